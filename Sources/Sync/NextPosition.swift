import HTTP
import JSON
import JobFile
import Queue

/// Where a pass goes on after a page; nil `next` is the protocol's own end (invariant 5).
struct NextPosition: Sendable, Equatable {
    var next: String?
    /// Keyset: the position to keep when the pass ends.
    var reached: String?
}

/// What a page tells about the next one.
struct PageFacts {
    var root: JSONNode
    var response: HTTPResponse
    /// The address the page came from.
    var url: String
    /// The position it was asked for.
    var position: String?
    var recordCount: Int
    /// Greatest value of a keyset's field in the page.
    var greatest: String?
}

extension Page {
    /// The position of a pass's first request; nil: none is sent.
    func firstPosition(persisted: String?) -> String? {
        switch style {
        case .single, .token, .nextURL, .linkHeader: nil
        case .offset(let start, _), .number(let start, _): String(start)
        case .keyset(_, let start): persisted ?? start
        }
    }

    /// Decides from a page's own words whether and where the pass goes on.
    ///
    /// Throws `RunEnd` for a next address on another origin and for positions that make no sense.
    func position(after facts: PageFacts, signInName: String?) throws -> NextPosition {
        switch style {
        case .single: return NextPosition()
        case .token(let path): return NextPosition(next: token(path.first(in: facts.root)))
        case .nextURL(.body(let path)):
            return NextPosition(
                next: try address(token(path.first(in: facts.root)), facts, signInName))
        case .nextURL(.header(let name)):
            return NextPosition(next: try address(facts.response.header(name), facts, signInName))
        case .linkHeader:
            let next = LinkHeader.next(facts.response.allValues(of: "Link"))
            return NextPosition(next: try address(next, facts, signInName))
        case .offset(_, let total): return try offset(after: facts, totalAt: total)
        case .number(_, let last): return try number(after: facts, lastAt: last)
        case .keyset(let place, _): return try keyset(after: facts, place)
        }
    }

    private func token(_ node: JSONNode?) -> String? {
        guard let text = node?.string ?? node?.numberText, !text.isEmpty else { return nil }
        return text
    }

    /// The address in the source's own words, made whole, without the sign-in it may repeat.
    private func address(
        _ reference: String?, _ facts: PageFacts, _ signInName: String?
    ) throws -> String? {
        guard let reference, !reference.isEmpty else { return nil }
        guard let whole = Origin.resolve(reference, against: facts.url) else {
            throw RunEnd.failed(.malformed, "the next page's address is not one")
        }
        guard Origin(url: whole) == Origin(url: facts.url) else {
            throw RunEnd.failed(.rejected, "the next page is on another origin")
        }
        return signInName.map { withoutParameter($0, in: whole) } ?? whole
    }

    private func offset(after facts: PageFacts, totalAt: Path?) throws -> NextPosition {
        let position = try whole(facts.position)
        let next = position + facts.recordCount
        if isShort(facts) { return NextPosition() }
        if let total = totalAt?.first(in: facts.root)?.int, next >= total { return NextPosition() }
        return NextPosition(next: String(next))
    }

    private func number(after facts: PageFacts, lastAt: Path?) throws -> NextPosition {
        let position = try whole(facts.position)
        if isShort(facts) { return NextPosition() }
        if let last = lastAt?.first(in: facts.root)?.int, position >= last { return NextPosition() }
        return NextPosition(next: String(position + 1))
    }

    /// Ends at an empty page or without progress (MH33); what was reached outlives the pass.
    private func keyset(after facts: PageFacts, _ place: KeysetPlace) throws -> NextPosition {
        let reached: String?
        switch place {
        case .body(let path): reached = token(path.first(in: facts.root))
        case .field: reached = facts.greatest
        }
        guard facts.recordCount > 0, let reached, reached != facts.position else {
            return NextPosition(reached: facts.position)
        }
        return NextPosition(next: isShort(facts) ? nil : reached, reached: reached)
    }

    /// An empty page ends these styles; a short one only by declaration, since servers clamp sizes.
    private func isShort(_ facts: PageFacts) -> Bool {
        facts.recordCount == 0 || (endsAtShortPage && facts.recordCount < size ?? 0)
    }

    private func whole(_ position: String?) throws -> Int {
        guard let number = position.flatMap({ Int($0) }) else {
            throw RunEnd.failed(.malformed, "the stored position is not a number")
        }
        return number
    }
}

/// `Link: <…>; rel="next"` (RFC 8288).
enum LinkHeader {
    /// The target of the first link whose relations include `next`.
    static func next(_ values: [String]) -> String? {
        for value in values {
            var rest = Substring(value)
            while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">")
            {
                let target = rest[rest.index(after: open)..<close]
                rest = rest[rest.index(after: close)...]
                let parameters = rest.prefix(upTo: rest.firstIndex(of: "<") ?? rest.endIndex)
                if relations(parameters).contains("next") { return String(target) }
            }
        }
        return nil
    }

    private static func relations(_ parameters: Substring) -> [Substring] {
        for parameter in parameters.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "rel" else {
                continue
            }
            return parts[1].lowercased().split(whereSeparator: { $0 == "\"" || $0 == " " })
                .map { Substring($0) }
        }
        return []
    }
}

/// The address without one query parameter, so that a sign-in never reaches a checkpoint.
func withoutParameter(_ name: String, in url: String) -> String {
    guard let mark = url.firstIndex(of: "?") else { return url }
    let encoded = percentEncode(queryValue: name)
    let kept = url[url.index(after: mark)...].split(separator: "&").filter { pair in
        let key = pair.prefix { $0 != "=" }
        return key != encoded && key != name
    }
    return url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
}
