import HTTP
import JSON
import JobFiles

extension Page {
    /// Pages of so many records, or of a multiple, are taken for full where nobody knows how many a page holds.
    private static let roundSize = 50

    /// Whether the page proves that the list ends with it.
    ///
    /// A first page that says nothing of a next one may be the whole list, or its place for the next position has another
    /// name than the file says. Only the second can be a full page (docs/decisions/0047).
    func isEndProven(by facts: PageFacts) -> Bool {
        let isFirst = facts.position == firstPosition(persisted: nil)
        return !isFirst || facts.recordCount == 0 || !isSilent(facts) || !isFull(facts)
    }

    /// Nothing is at the place where the source names the next page: no null, no false, and no empty text either.
    private func isSilent(_ facts: PageFacts) -> Bool {
        switch style {
        case .token(.body(let path)), .nextURL(.body(let path)), .keyset(.body(let path), _),
            .number(_, .next(let path)):
            path.first(in: facts.root) == nil
        case .token(.header(let name)), .nextURL(.header(let name)):
            facts.response.header(name) == nil
        case .linkHeader: facts.response.allValues(of: "Link").isEmpty
        case .single, .token(.lastRecord), .offset, .number, .keyset, .syncToken: false
        }
    }

    private func isFull(_ facts: PageFacts) -> Bool {
        let known = [size, facts.fullPage > 0 ? facts.fullPage : nil].compactMap(\.self).min()
        guard let known else { return facts.recordCount.isMultiple(of: Self.roundSize) }
        return facts.recordCount >= known
    }
}
