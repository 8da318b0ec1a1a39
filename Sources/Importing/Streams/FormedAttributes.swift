import JSON
import JobFiles

// Values of the configuration that a manifest sends in another form than they are given in.
//
// The attribute of the user has that form from the beginning, as long as nothing else of the stream wants another one.
extension StreamContext {
    /// The attribute that an expression makes a text of; nil for anything else.
    func formed(_ expression: Expression) throws(Untranslatable) -> Placeholder? {
        if let (place, format) = expression.formattedTime {
            return try formed(
                place.path, form: format, type: ["%s", "%ms"].contains(format) ? "int" : "text",
                "is a time as \(format) writes it")
        }
        if let (place, mark) = expression.joinedList {
            return try formed(
                place.path, form: "joined by \(mark)", type: "text",
                "is a text: values with \"\(mark)\" between them")
        }
        if let (place, clock) = expression.givenOrNow {
            note(
                "config.\(place.joined(separator: ".")) is left out: its default stands in the file, whatever was given there"
            )
            return try now(clock, "config.\(place.joined(separator: "."))")
        }
        return nil
    }

    private func formed(_ path: [String], form: String, type: String, _ meaning: String)
        throws(Untranslatable) -> Placeholder?
    {
        guard let entry = config.entry(path), !entry.isSecret else { return nil }
        // The value itself may stand elsewhere in its own form.
        let suffix = form.hasPrefix("%") ? "written" : "joined"
        let name = shortened("\(config.name(path))_\(suffix)")
        var input = DeclaredInput()
        input.type = type
        input.form = form
        input.isNeeded = entry.isRequired
        if let standard = entry.standardText {
            guard form == "%Y-%m-%d", let time = timestamp(standard) else { return nil }
            input.standard = String(time.prefix(10))
        }
        try declare(name, input)
        note("attribute \(name) \(meaning)")
        return .user(name)
    }
}

extension Expression {
    /// `format_datetime(config.x, '%Y-%m-%d')`, and what else writes a time of the configuration.
    fileprivate var formattedTime: (place: Reference, format: String)? {
        func plain(_ expression: Expression?) -> Reference? {
            guard let found = expression?.reference, found.root == "config", !found.path.isEmpty,
                found.fallback == nil
            else { return nil }
            return found
        }
        switch self {
        case .call(.name("format_datetime"), let arguments, let named)
        where arguments.count == 2 && named.isEmpty:
            guard let place = plain(arguments[0]), let format = arguments[1].literal?.string else {
                return nil
            }
            return (place, format)
        case .call(
            .member(.call(.name("str_to_datetime"), let arguments, _), "strftime"), let forms, _):
            guard let place = plain(arguments.first), let format = forms.first?.literal?.string
            else { return nil }
            return (place, format)
        case .call(.name("timestamp"), let arguments, _):
            return plain(arguments.first).map { ($0, "%s") }
        case .binary("*", let inner, .literal(.number("1000"))):
            guard case .call(.name("timestamp"), let arguments, _) = inner else { return nil }
            return plain(arguments.first).map { ($0, "%ms") }
        default: return nil
        }
    }

    /// `','.join(config.x)` and `config.x | join(',')`.
    fileprivate var joinedList: (place: Reference, mark: String)? {
        let list: Expression
        let mark: String
        switch self {
        case .call(.member(.literal(.string(let text)), "join"), let arguments, _)
        where arguments.count == 1:
            (list, mark) = (arguments[0], text)
        case .filter(let inner, "join", let arguments):
            (list, mark) = (inner, arguments.first?.literal?.string ?? "")
        default: return nil
        }
        guard let found = list.reference, found.root == "config", !found.path.isEmpty,
            found.fallback == nil
        else { return nil }
        return (found, mark)
    }

    /// A value of the configuration where there is one, else a time by the clock.
    fileprivate var givenOrNow: (place: [String], clock: Clock)? {
        guard case .choice(let value, let condition, let other) = self, let clock = other.clock,
            let place = condition.reference, place.root == "config", place.fallback == nil,
            value.isMade(of: place.path)
        else { return nil }
        return (place.path, clock)
    }

    /// Nothing but the value of the configuration at that place, in whatever form.
    private func isMade(of path: [String]) -> Bool {
        if let place = reference { return place.root == "config" && place.path == path }
        if let (place, _) = formattedTime { return place.path == path }
        switch self {
        case .index(let inner, .literal(.number)): return inner.isMade(of: path)
        case .call(.member(let inner, "split"), _, _): return inner.isMade(of: path)
        default: return false
        }
    }

    /// `x[:-2] + ":" + y[-2:]`: a time whose offset of four digits gets the colon of ISO 8601; offsets are all the same.
    var withColonInOffset: Reference? {
        guard
            case .binary("+", .binary("+", let head, .literal(.string(":"))), let tail) = self,
            case .part(let time, .literal(.null), .literal(.number("-2"))) = head,
            case .part(let other, .literal(.number("-2")), .literal(.null)) = tail,
            let place = time.reference, place.fallback == nil,
            let second = other.reference, second.root == place.root
        else { return nil }
        return place
    }

    /// `(next_page_token.next_page_token or 0) + 1`: the position, counted from 1.
    var countedFrom: Int? {
        guard case .binary("+", let token, .literal(.number(let text))) = self,
            let place = token.reference, place.root == "next_page_token",
            place.path == ["next_page_token"], place.fallback?.literal?.int == 0
        else { return nil }
        return Int(text)
    }

    /// What holds in a pass that has an interval, of an expression that asks whether there is one.
    func ofInterval(_ context: StreamContext) -> Expression? {
        guard context.hasCursor, case .choice(let value, var condition, _) = self else {
            return nil
        }
        if case .test(let inner, "defined", isNegated: false) = condition { condition = inner }
        guard let asked = condition.reference, asked.fallback == nil else { return nil }
        let isInterval =
            ["stream_interval", "stream_slice"].contains(asked.root) && asked.path.isEmpty
        return isInterval || context.bound(asked) != nil ? value : nil
    }
}
