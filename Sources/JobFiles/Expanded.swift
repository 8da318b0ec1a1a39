import JSON

extension JobFile {
    /// The whole file as JSON with every default written out; itself a job file that means the
    /// same.
    ///
    /// Secrets are only their placeholders, since a job file holds nothing else.
    public var expanded: String { expandedValue.indentedText }

    var expandedValue: JSONValue {
        .members(
            ("version", .integer(1)), ("job", .string(name)), ("kind", .string(kind)),
            ("note", note.map { .string($0) }), ("scope", .string(scope.rawValue)),
            ("schedule", Mapping<Schedule>.schedule.form.write(schedule)),
            ("freshness", freshness.flatMap { Mapping<Freshness>.freshness.form.write($0) }),
            ("source", source.expanded),
            (
                "lists", Form<[ListTable]>.lists.write(lists)
            ), ("calls", .named(calls.map { ($0.name, $0.expanded) })),
            ("before", .array(before.map(\.expanded))),
            ("entities", .array(entities.map(\.expanded))),
            ("after", .filled(after.map(\.expanded))),
            ("stores", Form<[Store]>.stores.write(stores)),
            ("health", .filled(health.map(\.expanded))),
            ("events", .filled(events.map { .string($0.rawValue) })),
            ("on_change", notifiesOnChange ? .string("notify") : nil))
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }

    /// An object, or nothing when it would be empty.
    static func named(_ members: [(String, JSONValue)]) -> JSONValue? {
        members.isEmpty ? nil : .object(members.map { JSONMember($0, $1) })
    }

    /// An array, or nothing when it would be empty.
    static func filled(_ elements: [JSONValue]) -> JSONValue? {
        elements.isEmpty ? nil : .array(elements)
    }

    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    static func span(_ span: Duration) -> JSONValue { .string(span.jobFileText) }

    static func text(_ text: some CustomStringConvertible) -> JSONValue {
        .string(text.description)
    }

    /// The shortest text that reads back as the same number.
    static func double(_ value: Double) -> JSONValue {
        Int(exactly: value).map { .integer($0) } ?? .number("\(value)")
    }
}

extension Source {
    fileprivate var expanded: JSONValue {
        .members(
            ("id", .string(id)), ("base", .string(base)),
            ("preset", cloudkitAddress.map { _ in .string("cloudkit") }),
            ("container", cloudkitAddress.map { .string($0.container) }),
            ("environment", cloudkitAddress.map { .string($0.environment.rawValue) }),
            ("database", cloudkitAddress.map { .string($0.database.rawValue) }),
            ("auth", Form<Authentication>.auth.write(auth)),
            ("timeout", .span(timeout)), ("retry", Mapping<RetryRule>.retry.form.write(retry)),
            ("rate", rate.flatMap { Mapping<Rate>.rate.form.write($0) }),
            ("headers", NamedTemplate.expanded(headers)), ("zone", zone?.expanded))
    }
}

extension ZoneRule {
    var expanded: JSONValue {
        switch self {
        case .named(let name): .string(name)
        case .attribute(let name): .text(Placeholder.user(name))
        }
    }
}

extension NamedTemplate {
    static func expanded(_ all: [NamedTemplate]) -> JSONValue? {
        .named(all.map { ($0.name, .text($0.value)) })
    }
}

extension Request {
    /// The request's own keys; a call has more beside them.
    var members: [JSONMember] {
        JSONValue.members(
            ("method", .string(method)), ("path", .text(path)),
            ("query", NamedTemplate.expanded(query)), ("headers", NamedTemplate.expanded(headers)),
            ("body", body?.expanded),
            ("expect", expect == [200] ? nil : .array(expect.map { .integer($0) }))
        ).members ?? []
    }
}

extension BodyTemplate {
    var expanded: JSONValue {
        switch self {
        case .literal(let value): value
        case .text(let template): .text(template)
        case .array(let elements): .array(elements.map(\.expanded))
        case .object(let members):
            .object(members.map { JSONMember($0.name, $0.value.expanded) })
        case .when(_, let body): body.expanded
        }
    }
}

extension Call {
    fileprivate var expanded: JSONValue {
        let rest = JSONValue.members(
            ("retry", .bool(retries)),
            ("skip_if_empty", skipIfEmpty.map { .string($0) }),
            ("min_gap", minGap.map { .span($0) }), ("on_failure", .string(onFailure.rawValue)))
        return .object(request.members + (rest.members ?? []))
    }
}

extension BeforeStep {
    fileprivate var expanded: JSONValue {
        switch action {
        case .call(let call):
            .members(("call", .string(call)), ("if_any", .filled(ifAny.map(\.expanded))))
        case .preset(.ensureZone(let zone, let isRemembered)):
            .members(
                ("cloudkit", .string("ensure_zone")), ("zone", .string(zone)),
                ("remember", .bool(isRemembered)))
        case .preset(.checkAccount): .members(("cloudkit", .string("check_account")))
        }
    }
}

extension Condition {
    var expanded: JSONValue {
        switch self {
        case .equals(let left, let right): .members(("equals", .array([.text(left), right])))
        case .neverSucceeded(let call): .members(("never_succeeded", .string(call)))
        case .listChanged(let list): .members(("list_changed", .string(list)))
        case .tableEmpty(let table): .members(("table_empty", .string(table)))
        }
    }
}
