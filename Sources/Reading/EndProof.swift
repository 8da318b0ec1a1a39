import HTTP
import JSON
import JobFiles

extension Page {
    /// Pages of so many records, or of a multiple, are taken for full where nobody knows how many a page holds.
    private static let roundSize = 50

    /// Why the page does not prove that the list ends with it; nil when it does.
    ///
    /// A page that says nothing of a next one may be the last, or its place for the next position has another name
    /// than the file says. Then it may say in other words that more follows, or the first page is a full one
    /// (docs/decisions/0047).
    func doubt(about facts: PageFacts) -> String? {
        guard let place = silentPlace(facts) else { return emptyPosition(facts) }
        let isFirst = facts.position == firstPosition(persisted: nil)
        if let sign = signOfMore(facts, counts: isFirst) {
            return "nothing is at \(place), though the page says that more follows (\(sign))"
        }
        guard isFirst, facts.recordCount > 0, isFull(facts) else { return nil }
        return "the first page looks full and has nothing at \(place), so that the list may go on"
    }

    /// The place where the source names the next page, if nothing is there: no null, no false, and no empty text
    /// either.
    private func silentPlace(_ facts: PageFacts) -> String? {
        if let moreIf, moreIf.first(in: facts.root) == nil { return "\(moreIf)" }
        return switch style {
        case .token(.body(let path)), .nextURL(.body(let path)), .keyset(.body(let path), _),
            .number(_, .next(let path)):
            path.first(in: facts.root) == nil ? "\(path)" : nil
        case .nextURL(.firstOf(let paths)):
            paths.allSatisfy { $0.first(in: facts.root) == nil } ? paths.first.map { "\($0)" } : nil
        case .token(.header(let name)), .nextURL(.header(let name)):
            facts.response.header(name) == nil ? "header \(name)" : nil
        case .linkHeader:
            facts.response.allValues(of: "Link").isEmpty ? "header Link" : nil
        case .token(.sum(let addends, _)):
            addends.lazy.compactMap { addend in
                guard case .at(let path) = addend, path.first(in: facts.root) == nil else {
                    return nil
                }
                return "\(path)"
            }.first
        case .single, .token(.lastRecord), .offset, .number, .keyset, .syncToken: nil
        }
    }

    /// A full page whose position is an empty text: for some sources the end, for others a position like any other.
    private func emptyPosition(_ facts: PageFacts) -> String? {
        guard case .keyset(.body(let path), _) = style, path.first(in: facts.root)?.string == "",
            facts.recordCount > 0, isFull(facts)
        else { return nil }
        return "the page looks full, and its position at \(path) is an empty text"
    }

    /// What of the page says that more follows; `counts`: the list begins with it, so that a total can be compared.
    private func signOfMore(_ facts: PageFacts, counts: Bool) -> String? {
        if case .linkHeader = style {
        } else if LinkHeader.next(facts.response.allValues(of: "Link"))?.isEmpty == false {
            return "Link: rel=next"
        }
        return facts.root.withTree { tree in
            let signs = MoreSigns(tree, shown: counts ? facts.recordCount : nil)
            return signs.first(in: facts.root.treeIndex)
                ?? facts.around.first(in: facts.root).flatMap { signs.first(in: $0.treeIndex) }
        }
    }

    private func isFull(_ facts: PageFacts) -> Bool {
        let known = [size, facts.fullPage > 0 ? facts.fullPage : nil].compactMap(\.self).min()
        guard let known else { return facts.recordCount.isMultiple(of: Self.roundSize) }
        return facts.recordCount >= known
    }
}

extension Records {
    /// Where the object is that holds the outermost list.
    var aroundList: Path {
        Path(steps: Array(at.steps.prefix { $0 != .each }.dropLast()))
    }
}
