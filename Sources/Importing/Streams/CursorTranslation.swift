import JSON
import JobFiles

/// What a cursor comes to.
struct CursorDraft {
    /// `incremental`; nil where the source can't be asked for what is new.
    var incremental: [JSONMember]?
    var field: String
    /// How the cursor's field is read.
    var formats: [String]
}

extension StreamContext {
    /// Learns of a cursor before the request is read, since its texts may hold the bounds.
    func prepare(_ cursor: JSONValue?) {
        guard let cursor, cursor["type"]?.string == "DatetimeBasedCursor" else { return }
        hasCursor = true
        cursorFormat = cursor["datetime_format"]?.string ?? cursorFormat
        cursorFields.start = cursor["partition_field_start"]?.string ?? "start_time"
        cursorFields.end = cursor["partition_field_end"]?.string ?? "end_time"
    }

    func cursor(_ cursor: JSONValue?, into request: inout RequestDraft) -> CursorDraft? {
        guard let cursor, cursor != .null else { return nil }
        parameters = cursor["$parameters"] ?? .null
        guard cursor["type"]?.string == "DatetimeBasedCursor" else {
            leave(
                "incremental_sync", cursor["class_name"]?.string ?? cursor["type"]?.string ?? "",
                "a cursor that is not of time")
            return nil
        }
        for (key, bound) in [("start_time_option", Bound.since), ("end_time_option", .until)] {
            guard let option = cursor[key], option != .null else { continue }
            _ = attempt("incremental_sync.\(key)") { () throws(Untranslatable) in
                let placeholder = try sent(bound, cursorFormat, "\(key) (\(cursorFormat))")
                try inject(option, placeholder.description, into: &request)
            }
        }
        let field =
            attempt("incremental_sync.cursor_field") { () throws(Untranslatable) -> String in
                Template(
                    pieces: try template(try substituted(cursor["cursor_field"]?.string ?? ""))
                        .pieces
                ).description
            } ?? ""
        let written = (cursor["cursor_datetime_formats"]?.elements ?? []).compactMap(\.string)
        let known = (written.isEmpty ? [cursorFormat] : written).map(TimeForms.read)
        var formats: [String] = []
        for format in known.compactMap(\.self) where !formats.contains(format) {
            formats.append(format)
        }
        if known.contains(where: { $0 == nil }) { formats = [] }
        var draft = CursorDraft(incremental: nil, field: field, formats: formats)
        guard sendsSince || sendsUntil else { return draft }
        if !sendsSince {
            leave("incremental_sync", "end_time alone", "only the end of the time is sent")
            return draft
        }
        draft.incremental = incremental(cursor)
        return draft
    }

    private func incremental(_ cursor: JSONValue) -> [JSONMember] {
        var members = [JSONMember("watermark", .string("run_start"))]
        if let format = sentFormats.first, format != "iso8601" {
            members.append(JSONMember("format", .string(format)))
        }
        let start = attempt("incremental_sync.start_datetime") { () throws(Untranslatable) in
            try self.start(cursor["start_datetime"])
        }
        if let start { members.append(JSONMember("start", .string(start))) }
        if sendsUntil {
            if let step = cursor["step"], step != .null,
                let span = attempt(
                    "incremental_sync.step",
                    { () throws(Untranslatable) in try self.span(step, "step") })
            {
                if span > 0, span <= 3650 * 86_400_000 {
                    members.append(JSONMember("window", .string(spanText(span))))
                }
            }
            let lag =
                attempt("incremental_sync.end_datetime") { () throws(Untranslatable) in
                    try self.lag(cursor["end_datetime"])
                } ?? 0
            if lag > 0 { members.append(JSONMember("until", .string(spanText(lag)))) }
        }
        if let lookback = cursor["lookback_window"], lookback != .null,
            let span = attempt(
                "incremental_sync.lookback_window",
                { () throws(Untranslatable) in try self.span(lookback, "lookback_window") }),
            span > 0
        {
            if span > 365 * 86_400_000 {
                leave("incremental_sync.lookback_window", lookback.text, "overlap is 365d at most")
            } else {
                members.append(JSONMember("overlap", .string(spanText(span))))
            }
        }
        return members
    }

    /// `incremental.start`: a time, a span before the run, or an attribute of the user.
    private func start(_ value: JSONValue?) throws(Untranslatable) -> String {
        let text = (value?.string ?? value?["datetime"]?.scalarText) ?? ""
        if let floor = value?["min_datetime"]?.string, !floor.isEmpty {
            note("min_datetime \(floor) is left out")
        }
        let mixed = try substituted(text)
        if let plain = mixed.plain, let time = timestamp(plain) { return time }
        guard let written = mixed.alone else {
            throw Untranslatable(text, "a beginning that is put together")
        }
        let expression = written.withoutFormat
        if let found = try start(of: expression, text) { return found }
        throw Untranslatable(text, "a beginning that start can't say")
    }

    private func start(of expression: Expression, _ text: String) throws(Untranslatable) -> String?
    {
        if let clock = expression.clock, clock.milliseconds <= -60_000 {
            return spanText(-clock.milliseconds)
        }
        if let literal = expression.literalText { return timestamp(literal) }
        guard let place = expression.reference, place.root == "config" else { return nil }
        let name = place.path.joined(separator: ".")
        if let fallback = place.fallback?.withoutFormat {
            if let clock = fallback.clock, clock.milliseconds <= -60_000 {
                note(
                    "config.\(name) stands in the file: incremental.start is \(spanText(-clock.milliseconds))"
                )
                return spanText(-clock.milliseconds)
            }
            guard let standard = fallback.literalText.flatMap(timestamp) else { return nil }
            return try placeholder(place.path, fallback: .string(standard), type: "timestamp")
                .description
        }
        guard let found = try? placeholder(place.path, type: "timestamp") else { return nil }
        guard case .user(let attribute) = found else {
            throw Untranslatable(text, "a beginning that is a secret")
        }
        if let standard = inputs[attribute]?.standard {
            inputs[attribute]?.standard = timestamp(standard)
        }
        // Without a beginning there is nothing to ask from.
        inputs[attribute]?.isNeeded = true
        note("attribute \(attribute) is a time such as 2025-01-31T00:00:00Z")
        return found.description
    }

    /// How long before now a pass ends; a configured end is left out, since a job goes on.
    private func lag(_ value: JSONValue?) throws(Untranslatable) -> Int64 {
        guard let value, value != .null, value != .string("") else { return 0 }
        let text = (value.string ?? value["datetime"]?.scalarText) ?? ""
        let mixed = try substituted(text)
        guard let expression = mixed.alone?.withoutFormat else {
            if mixed.plain?.isEmpty ?? false { return 0 }
            throw Untranslatable(text, "an end that lies fast")
        }
        if let clock = expression.clock { return max(0, -clock.milliseconds) }
        guard let place = expression.reference, place.root == "config" else {
            throw Untranslatable(text, "an end that until can't say")
        }
        note(
            "config.\(place.path.joined(separator: ".")) is left out: a pass ends now, also where an end was given"
        )
        return max(0, -(place.fallback?.withoutFormat.clock?.milliseconds ?? 0))
    }

    private func span(_ value: JSONValue, _ key: String) throws(Untranslatable) -> Int64 {
        let mixed = try substituted(value.scalarText ?? "")
        if let plain = mixed.plain, let span = isoSpan(plain) { return span }
        let all = mixed.joined
        if let place = configPlace(in: mixed),
            let standard = place.fallback?.literalText ?? config.entry(place.path)?.standardText
        {
            let evaluated = Evaluation(path: place.path, value: .string(standard)).value(
                of: all.withoutDefaults)?.scalarText
            if let span = evaluated.flatMap(isoSpan) {
                note(
                    "config.\(place.path.joined(separator: ".")) stands in the file: \(key) is \(spanText(span))"
                )
                return span
            }
        }
        throw Untranslatable(
            value.text, "a span that only a user's configuration knows",
            nearest: "write a span of yours")
    }

    private func configPlace(in mixed: MixedText) -> Reference? {
        let places = mixed.parts.compactMap { part -> Reference? in
            if case .expression(let expression, _) = part {
                expression.without(["int", "string"]).reference
            } else {
                nil
            }
        }
        return places.count == 1 && places[0].root == "config" ? places[0] : nil
    }
}

extension Expression {
    /// `format_datetime(x, …)` and `str_to_datetime(x)` as `x`: how a time is written is the format's business.
    fileprivate var withoutFormat: Expression {
        if let (name, arguments, _) = calling,
            ["format_datetime", "str_to_datetime", "timestamp"].contains(name), clock == nil,
            let inner = arguments.first
        {
            return inner.withoutFormat
        }
        if case .call(.member(let inner, "strftime"), _, _) = self, clock == nil {
            return inner.withoutFormat
        }
        if case .filter(let inner, "int", _) = self { return inner.withoutFormat }
        if case .choice(let value, let condition, let other) = self {
            return .choice(value.withoutFormat, when: condition, otherwise: other)
        }
        return self
    }

    /// `config.get(x, d)` as `config.x`.
    fileprivate var withoutDefaults: Expression {
        switch self {
        case .fallback(let inner, _), .binary("or", let inner, _): inner.withoutDefaults
        case .binary(let mark, let left, let right):
            .binary(mark, left.withoutDefaults, right.withoutDefaults)
        case .filter(let inner, "int", _), .filter(let inner, "string", _): inner.withoutDefaults
        default: self
        }
    }
}

/// A day or a time as a job file writes a time; nil for what is none.
func timestamp(_ text: String) -> String? {
    let digits = text.filter(\.isNumber)
    let isDay = text.count >= 10 && Array(text)[4] == "-" && Array(text)[7] == "-"
    if isDay, digits.count >= 8 {
        if text.count == 10 { return text + "T00:00:00Z" }
        let date = text.prefix(10)
        let time = text.dropFirst(11).prefix(8)
        let tail = text.dropFirst(19).filter { $0 != "0" }
        guard time.count == 8, time.filter({ $0 == ":" }).count == 2,
            ["", "Z", ".", ".Z", "+:", "+"].contains(String(tail))
        else { return nil }
        return "\(date)T\(time)Z"
    }
    return nil
}
