import JSON
import JobFiles

// Positions that are values of the records themselves.
extension Page {
    /// Goes on from the greatest position of the page, so that no record of one position is left out.
    ///
    /// Where the page shows records of the position that it was asked for, the source gives "from there on": the greatest
    /// one may be asked for next, and the records that bear it come again. Else the source may give only what lies behind
    /// a position, so that records which share the greatest one and did not fit on the page would never come. Then it is
    /// asked from the position before. A whole number is a sequence's, which no two records share.
    func keyset(after facts: PageFacts, by name: String) throws -> NextPosition {
        // A time that lies ahead may be asked for, but is nothing to begin the next pass at.
        let reached =
            facts.positions.settled?.watermarkText
            ?? (liesAhead(facts.position, of: facts.begun, as: nil) ? nil : facts.position)
        guard facts.recordCount > 0 else { return NextPosition(reached: reached) }
        guard let greatest = facts.positions.greatest, let last = greatest.watermarkText else {
            throw PageError.malformed("no record of the page has a \"\(name)\" to go on from")
        }
        let asked = facts.position.flatMap { greatest.read($0) }
        try checkOrder(facts.positions, asked, by: name)
        guard asked != greatest else {
            // No progress is the end, unless the page is full of one position.
            if isFull(facts) { throw tooMany(at: last, by: name) }
            return NextPosition(reached: reached)
        }
        if isShort(facts) { return NextPosition(reached: reached) }
        guard greatest.mayBeShared, facts.positions.least != asked else {
            return NextPosition(next: last, reached: reached)
        }
        guard let before = facts.positions.before?.watermarkText else {
            // All of the page share one position, and others may not have fitted.
            if isFull(facts) { throw tooMany(at: last, by: name) }
            return NextPosition(next: last, reached: reached)
        }
        return NextPosition(next: before, reached: reached)
    }

    private func isFull(_ facts: PageFacts) -> Bool {
        !facts.isLast && facts.recordCount >= size ?? .max
    }

    private func tooMany(at position: String, by name: String) -> PageError {
        .cursorLoop(
            "all records of the page have \(name) \(position), so that those which did not fit can't be asked for: "
                + "make page.size larger, or page by a field of which each record has its own value"
        )
    }

    /// Texts are ordered by the source's own rules, which are not known here.
    private func checkOrder(_ positions: SeenPositions, _ asked: FieldValue?, by name: String)
        throws
    {
        guard positions.greatest?.isText == false else { return }
        let isBehind =
            if let least = positions.least, let asked { least.isLess(than: asked) ?? false } else {
                false
            }
        guard positions.isOrdered, !isBehind else {
            throw PageError.malformed(
                "the records of the page do not come in the order of \(name) from the position on, so that some would "
                    + "be left out: ask the source for that order")
        }
    }
}

extension FieldValue {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }

    /// Several records may have it: a time or a text, other than a number of a sequence.
    fileprivate var mayBeShared: Bool {
        switch self {
        case .int: false
        case .decimal(let text): text.contains(".")
        case .text, .timestamp, .double, .bool, .json: true
        }
    }

    /// A position as a checkpoint keeps it, of the same type.
    fileprivate func read(_ text: String) -> FieldValue? {
        switch self {
        case .timestamp: Timestamp.microseconds(text).map { .timestamp($0) }
        case .int: Int64(text).map { .int($0) }
        case .text: .text(text)
        case .decimal: DecimalText(text).map { .decimal($0.text) }
        case .double, .bool, .json: nil
        }
    }
}
