import Basics

extension Template: CustomStringConvertible {
    /// Reads text with `{…}` from the closed vocabulary; `{{` and `}}` stand for the braces.
    public init(parsing text: String) throws(FormatError) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.first {
            rest = rest.dropFirst()
            if character == "{" || character == "}", rest.first == character {
                literal.append(character)
                rest = rest.dropFirst()
            } else if character == "}" {
                throw FormatError("'}' without '{'; write '}}' for the character itself")
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw FormatError("'{' without '}'; write '{{' for the character itself")
                }
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                pieces.append(.placeholder(try Placeholder(parsing: String(rest[..<end]))))
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append(character)
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        self.pieces = pieces
    }

    /// The template as a job file writes it; a secret is only its placeholder.
    public var description: String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .placeholder(let placeholder): text += placeholder.description
            case .literal(let literal):
                for character in literal {
                    text += character == "{" ? "{{" : character == "}" ? "}}" : String(character)
                }
            }
        }
    }
}

extension Placeholder: CustomStringConvertible {
    private static let known = [
        "since", "until", "now", "page.token", "page.size", "user.name", "secret.name", "list.name",
        "call.name.path", "chunk", "each.name", "row.name", "session.token",
    ]

    /// Reads what stands between the braces.
    init(parsing text: String) throws(FormatError) {
        let head = String(text.prefix { $0 != "." })
        let tail = String(text.dropFirst(head.count + 1))
        switch (head, tail) {
        case ("since", "") where text == head: self = .since
        case ("until", "") where text == head: self = .until
        case _ where head.hasPrefix("now"): self = .now(try Moment(text))
        case ("page", "token"): self = .pageToken
        case ("page", "size"): self = .pageSize
        case ("session", "token"): self = .sessionToken
        case ("user", _) where isNameText(tail): self = .user(tail)
        case ("secret", _) where isNameText(tail): self = .secret(tail)
        case ("chunk", "") where text == head: self = .chunk
        case ("row", _) where isNameText(tail): self = .row(tail)
        case ("each", _) where isNameText(tail): self = .each(tail)
        case ("list", _) where isNameText(tail): self = .list(tail)
        case ("call", _):
            let name = String(tail.prefix { $0 != "." })
            let path = try Path(parsing: String(tail.dropFirst(name.count + 1)))
            guard isNameText(name), !path.steps.isEmpty, !path.hasEach else {
                throw FormatError("{\(text)} must be {call.name.path} and lead to one value")
            }
            self = .call(name, path)
        default: throw Self.error(text, head: head)
        }
    }

    private static func error(_ text: String, head: String) -> FormatError {
        if ["user", "secret", "list", "row", "each"].contains(head) {
            return FormatError("{\(text)} must be {\(head).name}, the name \(nameRule)")
        }
        let nearest = nearestWord(
            to: text,
            in: ["since", "until", "now", "page.token", "page.size", "chunk", "session.token"])
        return FormatError(
            "unknown placeholder {\(text)}; "
                + (nearest.map { "did you mean {\($0)}?" }
                    ?? "known: \(known.map { "{\($0)}" }.joined(separator: ", "))"),
            nearest: nearest)
    }

    /// The placeholder as a job file writes it, braces included.
    public var description: String {
        switch self {
        case .user(let name): "{user.\(name)}"
        case .secret(let name): "{secret.\(name)}"
        case .list(let name): "{list.\(name)}"
        case .since: "{since}"
        case .until: "{until}"
        case .now(let moment): "{\(moment.text)}"
        case .pageToken: "{page.token}"
        case .pageSize: "{page.size}"
        case .call(let name, let path): "{call.\(name).\(path)}"
        case .chunk: "{chunk}"
        case .row(let name): "{row.\(name)}"
        case .sessionToken: "{session.token}"
        case .each(let name): "{each.\(name)}"
        }
    }
}

extension Moment {
    private static let formats: KeyValuePairs<String, TimeFormat> = [
        "": .iso8601, "date": .day, "epoch_s": .epochSeconds, "epoch_ms": .epochMilliseconds,
    ]

    /// Reads `now`, `now-30d`, `now.date` or both; throws where it is none.
    fileprivate init(_ text: String) throws(FormatError) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.count == 2 ? String(parts[1]) : ""
        let shift = parts[0].dropFirst("now".count)
        let span = Duration(jobFile: String(shift.dropFirst()))
        let isShifted = shift.first == "-" || shift.first == "+"
        guard let format = Self.formats.first(where: { $0.key == name })?.value,
            parts.count == 1 || !name.isEmpty, shift.isEmpty || isShifted && span != nil
        else {
            throw FormatError(
                "{\(text)} must be {now}, {now-30d} or {now+1d}, with .date, .epoch_s or .epoch_ms behind it where it "
                    + "is no ISO 8601")
        }
        self.format = format
        let milliseconds = (span?.wholeMicroseconds ?? 0) / 1_000
        self.shift = shift.first == "-" ? -milliseconds : milliseconds
    }

    fileprivate var text: String {
        let name = Self.formats.first { $0.value == format }?.key ?? ""
        let span = Duration.milliseconds(abs(shift)).jobFileText
        return "now" + (shift == 0 ? "" : (shift < 0 ? "-" : "+") + span)
            + (name.isEmpty ? "" : ".\(name)")
    }
}
