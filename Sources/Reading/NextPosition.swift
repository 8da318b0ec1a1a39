import HTTP
import JSON
import JobFiles

extension Page {
    /// Decides from a page's own words whether and where the pass goes on.
    ///
    /// Throws `PageError` for a next address on another origin and for positions that make no sense.
    func position(after facts: PageFacts, signInName: String?) throws -> NextPosition {
        let isMore = try moreAt.flatMap { try more(at: $0, facts) }
        var facts = facts
        facts.isLast = try isMore == false || isLast(facts)
        var position = try following(facts, signInName)
        if facts.isLast { position.next = nil }
        if isMore == true, position.next == nil, !isDeclaredEnd(facts) {
            throw PageError.truncated(
                "the source says that more records follow, and the page leads to none")
        }
        // A place that is not there may have another name than the file says.
        let isSilent = moreIf.map { $0.first(in: facts.root) == nil } ?? false
        if position.next == nil, !facts.isLast || isSilent && isMore != false,
            !isDeclaredEnd(facts)
        {
            position.doubt = doubt(about: facts)
        }
        if let resumeAt, position.next == nil {
            position.reached = try resumption(at: resumeAt, facts, signInName)
        }
        return position
    }

    /// What the next pass begins with.
    private func resumption(
        at path: Path, _ facts: PageFacts, _ signInName: String?
    ) throws -> String {
        let found =
            continuesByAddress
            ? try address(url(at: path, facts), facts, signInName) : try token(at: path, facts)
        guard let found else {
            throw PageError.malformed(
                "the last page has nothing at \(path), so that nobody knows where the next pass begins"
            )
        }
        return found
    }

    /// Whether more follows by the source's own words; nil when it does not say.
    private func more(at path: Path, _ facts: PageFacts) throws -> Bool? {
        guard let node = path.first(in: facts.root), node.kind != .null else { return nil }
        guard let isMore = Truth.value(of: node) else {
            throw PageError.malformed(
                "at \(path) \(node.excerpt) is neither true nor false, so that the end is unknown")
        }
        return isMore
    }

    /// Whether the page is the last one by the source's own words; silence says nothing.
    private func isLast(_ facts: PageFacts) throws -> Bool {
        if let moreIf, moreIf.first(in: facts.root)?.saysSomething != true { return true }
        guard let lastAt, let node = lastAt.first(in: facts.root), node.kind != .null else {
            return false
        }
        guard let isLast = Truth.value(of: node) else {
            throw PageError.malformed(
                "at \(lastAt) \(node.excerpt) is neither true nor false, so that the end is unknown"
            )
        }
        return isLast
    }

    private func following(_ facts: PageFacts, _ signInName: String?) throws -> NextPosition {
        switch style {
        case .single: return NextPosition()
        case .token(let location):
            return try named(facts) { try token(at: location, facts) }
        case .nextURL(.body(let path)):
            return try named(facts) { try address(url(at: path, facts), facts, signInName) }
        case .nextURL(.firstOf(let paths)):
            return try named(facts) {
                for path in paths {
                    if let url = try url(at: path, facts) {
                        return try address(url, facts, signInName)
                    }
                }
                return nil
            }
        case .nextURL(.header(let name)):
            return try named(facts) { try address(facts.response.header(name), facts, signInName) }
        case .linkHeader(let endIf):
            return try named(facts) {
                try address(nextLink(facts, endIf: endIf), facts, signInName)
            }
        case .offset(_, let total): return try offset(after: facts, totalAt: total)
        case .number(let start, let end):
            return try number(after: facts, start: start, end: end)
        case .keyset(let location, _): return try keyset(after: facts, location)
        case .syncToken(let at, let more): return try syncToken(after: facts, at, more)
        }
    }

    /// A position in the source's own words, unless the file says that the pass ends with this page.
    private func named(_ facts: PageFacts, _ next: () throws -> String?) rethrows -> NextPosition {
        NextPosition(next: facts.isLast || isDeclaredEnd(facts) ? nil : try next())
    }

    /// Nil when there is no next page, or its link says that nothing is behind it.
    private func nextLink(_ facts: PageFacts, endIf signs: [LinkSign]) -> String? {
        guard let link = LinkHeader.nextLink(facts.response.allValues(of: "Link")) else {
            return nil
        }
        let isEnd =
            !signs.isEmpty
            && signs.allSatisfy { link.parameters[$0.name.lowercased()] == $0.value }
        return isEnd ? nil : link.target
    }

    private func token(at location: TokenLocation, _ facts: PageFacts) throws -> String? {
        switch location {
        case .body(let path): return try token(at: path, facts)
        case .header(let name):
            return facts.response.header(name).flatMap { $0.isEmpty ? nil : KeptPosition.text($0) }
        case .lastRecord(let path):
            guard let record = facts.lastRecord else { return nil }
            // The list goes on behind this record, wherever that is.
            guard let token = try token(at: path, in: record) else {
                throw PageError.malformed("the last record of the page has no position at \(path)")
            }
            return token
        case .sum(let addends, let below): return try sum(of: addends, below: below, facts)
        }
    }

    /// Nil where the source does not say one of the numbers, or the sum has reached the bound.
    private func sum(of addends: [Addend], below: Path?, _ facts: PageFacts) throws -> String? {
        var sum = 0
        for addend in addends {
            guard let number = try number(addend, facts) else { return nil }
            let (next, isOver) = sum.addingReportingOverflow(number)
            guard !isOver else { throw PageError.malformed("the position is too large") }
            sum = next
        }
        if let below, let bound = try number(.at(below), facts), sum >= bound { return nil }
        return String(sum)
    }

    private func number(_ addend: Addend, _ facts: PageFacts) throws -> Int? {
        switch addend {
        case .number(let number): return number
        case .at(let path):
            guard let node = path.first(in: facts.root), node.kind != .null else { return nil }
            guard let number = wholeNumber(node.numberText ?? node.string ?? "") else {
                throw PageError.malformed("the page's position at \(path) is no whole number")
            }
            return Int(number)
        }
    }

    private func token(at path: Path, _ facts: PageFacts) throws -> String? {
        try token(at: path, in: facts.root)
    }

    /// Nil when absent, null, false or empty, which is how sources say that there is none.
    ///
    /// Anything else that is no position is a mistake of the source's, and never an end.
    private func token(at path: Path, in root: JSONNode) throws -> String? {
        guard let node = path.first(in: root), node.kind != .null, node.bool != false else {
            return nil
        }
        guard let text = node.string ?? node.numberText else {
            throw PageError.malformed("the page's position at \(path) is no text and no number")
        }
        return text.isEmpty ? nil : node.kind == .string ? KeptPosition.text(text) : text
    }

    private func url(at path: Path, _ facts: PageFacts) throws -> String? {
        try token(at: path, facts).map { KeptPosition.value($0).string ?? $0 }
    }

    /// The address in the source's own words, made whole, without the sign-in it may repeat.
    private func address(
        _ reference: String?, _ facts: PageFacts, _ signInName: String?
    ) throws -> String? {
        guard let reference, !reference.isEmpty else { return nil }
        guard let whole = Origin.resolve(reference, against: facts.url) else {
            throw PageError.malformed("the next page's address is not one")
        }
        let next = try atHome(whole, facts)
        return signInName.map { withoutParameter($0, in: next) } ?? next
    }

    /// The address itself where it is at the source's origin; else its path and query there, if the file allows that.
    private func atHome(_ address: String, _ facts: PageFacts) throws -> String {
        guard let home = Origin(url: facts.url), let origin = Origin(url: address) else {
            throw PageError.malformed("the next page's address is not one")
        }
        guard origin != home else { return address }
        guard staysAtOrigin else {
            throw PageError.foreignOrigin(
                "the next page is on another origin, \(origin); page.origin: base would ask for it at the source's own"
            )
        }
        let rest = address.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
        let path = String(Substring(rest.drop { !"/?#".utf8.contains($0) }))
        return "\(home)\(path.hasPrefix("/") ? "" : "/")\(path)"
    }

    /// Ends without progress; what was reached outlives the pass.
    ///
    /// A page without records may lie before others.
    private func keyset(after facts: PageFacts, _ location: KeysetLocation) throws -> NextPosition {
        switch location {
        case .field(let name): return try keyset(after: facts, by: name)
        case .body(let path):
            guard let reached = try token(at: path, facts), !isSame(reached, facts.position),
                facts.recordCount > 0 || !fallsBack(reached, facts.position)
            else { return NextPosition(reached: facts.position) }
            return NextPosition(next: isDeclaredEnd(facts) ? nil : reached, reached: reached)
        }
    }

    /// One position, whether it is written as a text or as a number.
    private func isSame(_ reached: String, _ asked: String?) -> Bool {
        guard let asked else { return false }
        let values = [reached, asked].map { KeptPosition.value($0) }
        return values[0].string ?? reached == values[1].string ?? asked
    }

    /// A number below the one that was asked for: without records, some sources count from nothing.
    private func fallsBack(_ reached: String, _ asked: String?) -> Bool {
        guard let asked, let reached = DecimalText(reached), let asked = DecimalText(asked) else {
            return false
        }
        return reached < asked
    }

    /// Goes on while the source says so, also through empty pages; its token outlives the pass.
    ///
    /// The same token with more to come is no progress (`PassState.advance`).
    private func syncToken(
        after facts: PageFacts, _ location: Path, _ moreAt: Path
    ) throws -> NextPosition {
        guard let reached = try token(at: location, facts) else {
            throw PageError.malformed("the page has no sync token at \(location)")
        }
        let node = moreAt.first(in: facts.root)
        guard let node, node.kind != .null, let isMore = Truth.value(of: node) else {
            let found = node.map { "\($0.excerpt) is" } ?? "nothing is"
            throw PageError.malformed(
                "at \(moreAt) \(found) neither true nor false, so that the end is unknown")
        }
        return NextPosition(next: isMore ? reached : nil, reached: reached)
    }
}

/// The address without one query parameter, so that a sign-in never reaches a checkpoint.
func withoutParameter(_ name: String, in url: String) -> String {
    // What is resolved is ASCII, where a byte is a Character.
    guard let mark = url.firstIndex(of: "?") else { return url }
    let kept = url[url.index(after: mark)...].split(separator: "&").filter { pair in
        percentDecoded(pair.prefix { $0 != "=" }) != name
    }
    return url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
}

/// A query's name as its server reads it, however the page's author chose to write it.
private func percentDecoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16) {
            bytes.append(code)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
