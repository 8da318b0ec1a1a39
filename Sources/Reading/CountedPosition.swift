import JSON
public import JobFiles

/// The position of pages that are counted here: `3`, or `3:250` where the records seen so far are
/// compared with the source's total.
private struct CountedPosition {
    /// The offset, or the page's number.
    var number: Int
    /// Records of the pages before; nil means not known, as the file did not ask for it then.
    var seen: Int?

    init(_ text: String?, start: Int) throws {
        let parts = (text ?? "").split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = parts.first.flatMap({ Int($0) }) else {
            throw PageError.malformed("the stored position is not a number")
        }
        self.number = number
        seen = number == start ? 0 : parts.dropFirst().first.flatMap { Int($0) }
    }
}

// Offsets and page numbers: counted here, ended by the source.
extension Page {
    /// A stored position as it is sent.
    public func sent(_ position: String) -> String {
        guard case .number(_, .total) = style else { return position }
        return String(position.prefix { $0 != ":" })
    }

    func offset(after facts: PageFacts, totalAt: Path?) throws -> NextPosition {
        let position = try CountedPosition(facts.position, start: 0).number
        let next = try sum(position, facts.recordCount)
        guard let total = try totalAt.flatMap({ try count(at: $0, facts) }) else {
            return NextPosition(next: isShort(facts) ? nil : String(next))
        }
        return try NextPosition(next: following(String(next), isEnd: next >= total, facts))
    }

    func number(after facts: PageFacts, start: Int, end: NumberEnd?) throws -> NextPosition {
        let position = try CountedPosition(facts.position, start: start)
        let next = try sum(position.number, 1)
        switch end {
        case nil: return NextPosition(next: isShort(facts) ? nil : String(next))
        case .next(let path):
            let named = try nextNumber(at: path, after: position.number, next, facts)
            return NextPosition(next: isDeclaredShort(facts) ? nil : named)
        case .last(let path):
            guard let isEnd = try isLast(position.number, at: path, facts) else {
                return NextPosition(next: isShort(facts) ? nil : String(next))
            }
            return try NextPosition(next: following(String(next), isEnd: isEnd, facts))
        case .total(let path):
            guard let total = try count(at: path, facts), let seen = position.seen else {
                return NextPosition(next: isShort(facts) ? nil : String(next))
            }
            let sum = try sum(seen, facts.recordCount)
            return try NextPosition(next: following("\(next):\(sum)", isEnd: sum >= total, facts))
        }
    }

    /// The next position, unless the source's own words or a declared short page end the pass.
    ///
    /// An empty page where the source counts more is a list cut short, and no end (invariant 5).
    private func following(_ next: String, isEnd: Bool, _ facts: PageFacts) throws -> String? {
        if isEnd || facts.isLast || isDeclaredShort(facts) { return nil }
        guard facts.recordCount > 0 else {
            throw PageError.truncated(
                "the page is empty, though the source says that more records follow")
        }
        return next
    }

    private func isDeclaredShort(_ facts: PageFacts) -> Bool {
        end == .shortPage && facts.recordCount > 0 && facts.recordCount < size ?? 0
    }

    /// Whether the page is the last one by the source's own words; nil when it does not say.
    private func isLast(_ position: Int, at path: Path, _ facts: PageFacts) throws -> Bool? {
        if let isLast = path.first(in: facts.root)?.bool { return isLast }
        return try count(at: path, facts).map { position >= $0 }
    }

    /// The position of the next page; nil when none follows.
    private func nextNumber(
        at path: Path, after position: Int, _ next: Int, _ facts: PageFacts
    ) throws -> String? {
        guard let node = path.first(in: facts.root), node.kind != .null else { return nil }
        if let isMore = node.bool { return isMore ? String(next) : nil }
        guard let text = node.numberText ?? node.string else { throw unreadable(path) }
        if text.isEmpty { return nil }
        guard let number = wholeNumber(text).map({ Int($0) }) else {
            // A link tells that a page follows, and its number is counted here.
            guard node.string != nil else { throw unreadable(path) }
            return String(next)
        }
        guard number > position else {
            throw PageError.cursorLoop(
                "page \(position) names page \(number) as the one that follows")
        }
        return String(number)
    }

    /// A count of the source's, also one that is written as a text; nil when it does not say.
    private func count(at path: Path, _ facts: PageFacts) throws -> Int? {
        guard let node = path.first(in: facts.root), node.kind != .null else { return nil }
        guard let count = wholeNumber(node.numberText ?? node.string ?? ""), count >= 0 else {
            throw unreadable(path)
        }
        return Int(count)
    }

    private func unreadable(_ path: Path) -> PageError {
        .malformed("what the page has at \(path) says nothing of where its list ends")
    }

    private func sum(_ position: Int, _ step: Int) throws -> Int {
        let (sum, isOver) = position.addingReportingOverflow(step)
        guard !isOver else { throw PageError.malformed("the position is too large") }
        return sum
    }
}
