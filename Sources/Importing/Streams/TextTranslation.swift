import JSON
import JobFiles

extension StreamContext {
    /// A text with expressions as a template; throws for the first expression that is none of the known shapes.
    func template(_ text: String, mayHoldSecrets: Bool = false) throws(Untranslatable) -> Template {
        var mixed = try MixedText(text)
        mixed.parts = mixed.parts.map { part in
            if case .expression(let expression, let written) = part {
                .expression(expression.knowing(parameters), written)
            } else {
                part
            }
        }
        return try template(mixed, mayHoldSecrets: mayHoldSecrets)
    }

    func template(_ mixed: MixedText, mayHoldSecrets: Bool = false) throws(Untranslatable)
        -> Template
    {
        var pieces: [Template.Piece] = []
        for part in mixed.parts {
            switch part {
            case .text(let text): pieces.append(.literal(text))
            case .expression(let expression, let written):
                pieces += try self.pieces(of: expression, written)
            }
        }
        let template = Template(pieces: pieces.joined)
        if !mayHoldSecrets, let name = template.secretNames.first {
            throw Untranslatable(
                "{secret.\(name)}", "a secret in an address or a name",
                nearest: "send it in the path below the base, or in a parameter")
        }
        return template
    }

    /// The closed table of expressions that a request may hold.
    func pieces(of expression: Expression, _ written: String) throws(Untranslatable) -> [Template
        .Piece]
    {
        let expression = expression.without([
            "string", "urlencode", "safe", "trim", "int", "tojson",
        ])
        if let text = expression.literalText { return [.literal(text)] }
        if expression == .null { return [] }
        if let place = expression.reference, let found = try pieces(of: place, written) {
            return found
        }
        if let clock = expression.clock { return [.placeholder(try now(clock, written))] }
        if let place = expression.withColonInOffset, let bound = bound(place),
            cursorFormat.hasSuffix("%S%z")
        {
            return [.placeholder(try sent(bound, cursorFormat, written))]
        }
        if let first = expression.countedFrom {
            // Counted from another number than the list itself.
            sendsToken = true
            firstPosition = first
            return [.placeholder(.pageToken)]
        }
        if let inner = expression.ofInterval(self) { return try pieces(of: inner, written) }
        if let formed = try formed(expression) { return [.placeholder(formed)] }
        if let (name, arguments, _) = expression.calling, name == "format_datetime",
            let format = arguments.dropFirst().first?.literal?.string,
            let place = arguments.first?.reference, place.fallback == nil,
            let bound = bound(place)
        {
            return [.placeholder(try sent(bound, format, written))]
        }
        if case .call(.member(let inner, "strftime"), let arguments, _) = expression,
            let format = arguments.first?.literal?.string,
            let place =
                (inner.calling?.name == "str_to_datetime" ? inner.calling?.arguments.first : inner)?
                .reference,
            let bound = bound(place)
        {
            return [.placeholder(try sent(bound, format, written))]
        }
        if case .binary("+", let left, let right) = expression {
            return try pieces(of: left, written) + pieces(of: right, written)
        }
        if let mapped = try mapped(expression) { return [.placeholder(mapped)] }
        throw Untranslatable(written, "an expression beyond what a job file can say")
    }

    /// What a value stands for that only a value of the configuration decides.
    private func mapped(_ expression: Expression) throws(Untranslatable) -> Placeholder? {
        guard let (name, input) = try mapping(of: expression) else { return nil }
        try declare(name, input)
        return .user(name)
    }

    /// The map of one attribute that says the same as an expression; nil where there is none.
    func mapping(of expression: Expression) throws(Untranslatable) -> (
        name: String, input: DeclaredInput
    )? {
        guard let inputs = Evaluation.inputs(of: expression), inputs.count == 1,
            let path = inputs.first, let entry = config.entry(path), !entry.isSecret,
            let domain = entry.domain
        else { return nil }
        var input = DeclaredInput()
        for value in domain {
            let given: JSONValue = entry.type == "boolean" ? .bool(value == "true") : .string(value)
            guard let text = Evaluation(path: path, value: given).value(of: expression)?.scalarText
            else { return nil }
            input.map[value] = text
        }
        input.standard = entry.standardText
        if input.standard == nil, !entry.isRequired {
            guard let text = Evaluation(path: path, value: .null).value(of: expression)?.scalarText,
                let same = domain.first(where: { input.map[$0] == text })
            else { return nil }
            input.standard = same
        }
        input.isNeeded = true
        return (config.name(path), input)
    }

    private func pieces(
        of place: Reference, _ written: String
    ) throws(Untranslatable) -> [Template.Piece]? {
        switch place.root {
        case "parameters", "options":
            guard let text = parameterText(place) else { return nil }
            return try template(text, mayHoldSecrets: true).pieces
        case "config":
            guard !place.path.isEmpty else { return nil }
            guard let fallback = place.fallback else {
                return [.placeholder(try placeholder(place.path))]
            }
            if let clock = fallback.clock {
                note(
                    "config.\(place.path.joined(separator: ".")) is left out: its default stands in the file, whatever was given there"
                )
                return [.placeholder(try now(clock, written))]
            }
            guard let value = fallback.literal else { return nil }
            return [.placeholder(try placeholder(place.path, fallback: value))]
        case "next_page_token":
            guard place.fallback == nil, place.path == ["next_page_token"] else { return nil }
            sendsToken = true
            return [.placeholder(.pageToken)]
        case "stream_partition", "stream_slice", "stream_interval":
            if let bound = bound(place) {
                // A pass has its bounds, so that nothing stands in for one.
                return [.placeholder(try sent(bound, cursorFormat, written))]
            }
            guard place.fallback == nil else { return nil }
            if isNothing(place) { return [] }
            guard let item = item(place) else { return nil }
            sentItems.insert(item)
            return [.placeholder(.each(item))]
        default: return nil
        }
    }

    enum Bound { case since, until }

    /// A bound of the time that a pass asks for.
    func bound(_ place: Reference) -> Bound? {
        guard hasCursor,
            ["stream_slice", "stream_interval", "stream_partition"].contains(place.root)
        else { return nil }
        if place.path == [cursorFields.start] { return .since }
        return place.path == [cursorFields.end] ? .until : nil
    }

    /// A name that the pass has no value for, which comes to nothing.
    func isNothing(_ place: Reference) -> Bool {
        guard place.path.count == 1, place.fallback == nil, bound(place) == nil else {
            return false
        }
        // A slice has the bounds of its cursor, and what its routers name.
        let known = ["partition", "cursor_slice", "extra_fields", "parent_slice", "_partition"]
        return ["stream_interval", "stream_partition", "stream_slice"].contains(place.root)
            && items[place.path[0]] == nil && !known.contains(place.path[0])
    }

    private func item(_ place: Reference) -> String? {
        var path = place.path
        while path.count > 1, ["parent_slice", "extra_fields", "partition"].contains(path[0]) {
            path.removeFirst()
        }
        return path.count == 1 ? items[path[0]] : nil
    }

    func sent(_ bound: Bound, _ format: String, _ written: String) throws(Untranslatable)
        -> Placeholder
    {
        guard let sent = TimeForms.sent(format) else {
            throw Untranslatable(written, "no format of a job file is \(format)")
        }
        sentFormats.insert(sent)
        if sentFormats.count > 1 {
            throw Untranslatable(written, "the cursor is sent in two formats")
        }
        if bound == .since { sendsSince = true } else { sendsUntil = true }
        return bound == .since ? .since : .until
    }

    func now(_ clock: Clock, _ written: String) throws(Untranslatable) -> Placeholder {
        let forms = ["%Y-%m-%d": ".date", "%s": ".epoch_s", "%ms": ".epoch_ms"]
        let format = clock.format ?? "%Y-%m-%dT%H:%M:%S.%f%z"
        guard let form = forms[format] ?? (TimeForms.read(format) == "iso8601" ? "" : nil) else {
            throw Untranslatable(written, "{now} has no format \(format)")
        }
        let sign = clock.milliseconds < 0 ? "-" : "+"
        let shift = clock.milliseconds == 0 ? "" : sign + spanText(abs(clock.milliseconds))
        guard let found = (try? Template(parsing: "{now\(shift)\(form)}"))?.lonePlaceholder else {
            throw Untranslatable(written, "no such time can be said")
        }
        return found
    }
}

extension [Template.Piece] {
    /// Texts in a row as one.
    var joined: [Template.Piece] {
        reduce(into: []) { result, piece in
            if case .literal(let text) = piece, case .literal(let before)? = result.last {
                result[result.count - 1] = .literal(before + text)
            } else if piece != .literal("") {
                result.append(piece)
            }
        }
    }
}
