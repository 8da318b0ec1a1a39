/// Opaque text for a position, and the misbehaviours of cursors.
///
/// Inside, a mark ends with `~` and is ignored when the cursor comes back; so a cursor that only
/// looks new still continues where it should.
enum Cursor {
    static func encode(_ position: Position?, mark: String = "") -> String {
        let inner =
            switch position {
            case .video(let time, let index)?: "v\(time).\(index)"
            case .seq(let seq)?: "s\(seq)"
            case nil: ""
            }
        return Base64.encode("c:" + (mark.isEmpty ? "" : mark + "~") + inner)
    }

    /// The position; nil for the beginning.
    ///
    /// Throws for anything not made here.
    static func decode(_ text: String) throws(BadRequest) -> Position? {
        guard let plain = Base64.decode(text), plain.hasPrefix("c:") else {
            throw BadRequest("Invalid cursor")
        }
        let inner = plain.dropFirst(2).split(separator: "~", omittingEmptySubsequences: false).last
        guard let inner, !inner.isEmpty else { return nil }
        let numbers = inner.dropFirst().split(separator: ".").map { Int64($0) }
        if inner.first == "s", numbers.count == 1, let seq = numbers[0] { return .seq(Int(seq)) }
        guard inner.first == "v", numbers.count == 2, let time = numbers[0], let index = numbers[1]
        else { throw BadRequest("Invalid cursor") }
        return .video(time, Int(index))
    }

    static func mark(of text: String) -> String? {
        guard let plain = Base64.decode(text), let end = plain.firstIndex(of: "~") else {
            return nil
        }
        return String(plain[..<end].dropFirst(2))
    }
}

/// What a fault does to the cursor of a page.
enum CursorFault {
    /// Always a new one, also at the end.
    case endless
    /// The one that was sent, again.
    case repeated
    /// A, then B, then A.
    case loop
    /// No records, and a cursor that leads on.
    case empty

    /// The cursor to send in place of `next`, for the `number`th request.
    func cursor(next: Position?, sent: String?, at position: Position?, number: Int) -> String {
        switch self {
        case .endless: Cursor.encode(next ?? position, mark: "x\(number)")
        case .repeated: sent ?? Cursor.encode(next, mark: "r")
        case .loop: Cursor.encode(nil, mark: sent.flatMap(Cursor.mark) == "A" ? "B" : "A")
        case .empty: Cursor.encode(position, mark: "e\(number)")
        }
    }
}
