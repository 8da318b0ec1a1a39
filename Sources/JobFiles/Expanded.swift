import JSON

extension JobFile {
    /// The whole file as JSON with every default written out; itself a job file that means the
    /// same.
    ///
    /// Secrets are only their placeholders, since a job file holds nothing else.
    public var expanded: String { expandedValue.indentedText }

    var expandedValue: JSONValue {
        .members(
            ("version", .integer(1)), ("job", .string(name)), ("scope", .string(scope.rawValue)),
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
            ("auth", auth.expanded),
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

extension Authentication {
    fileprivate var expanded: JSONValue {
        switch self {
        case .none: .members(("type", .string("none")))
        case .basic(let user, let password):
            .members(
                ("type", .string("basic")), ("user", .text(user)), ("password", .text(password)))
        case .bearer(let token): .members(("type", .string("bearer")), ("token", .text(token)))
        case .header(let name, let value):
            .members(
                ("type", .string("header")), ("name", .string(name)), ("value", .text(value)))
        case .query(let name, let value):
            .members(("type", .string("query")), ("name", .string(name)), ("value", .text(value)))
        case .oauth2Client(let client): client.expanded("oauth2_client", refreshToken: nil)
        case .oauth2Refresh(let client, let token):
            client.expanded("oauth2_refresh", refreshToken: token)
        case .cloudkitServer(let keyID, let privateKey):
            .members(
                ("type", .string("cloudkit_server")), ("key_id", .text(keyID)),
                ("private_key", .text(privateKey)))
        case .cloudkitUser(let apiToken, let webAuthToken, let rotates):
            .members(
                ("type", .string("cloudkit_user")), ("api_token", .text(apiToken)),
                ("web_auth_token", .string("{secret.\(webAuthToken)}")),
                ("rotates", .bool(rotates)))
        }
    }
}

extension OAuth2 {
    fileprivate func expanded(_ type: String, refreshToken: String?) -> JSONValue {
        .members(
            ("type", .string(type)), ("token_url", .string(tokenURL)),
            ("client_id", .text(clientID)),
            ("client_secret", clientSecret.map { .text($0) }),
            ("refresh_token", refreshToken.map { .string("{secret.\($0)}") }),
            ("scope", scope.map { .string($0) }),
            ("client_auth", clientSecret == nil ? nil : .string(clientAuth.rawValue)),
            ("parameters", NamedTemplate.expanded(parameters)))
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
