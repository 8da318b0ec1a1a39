import JSON
import JobFiles

/// What an entity sends for each page.
struct RequestDraft {
    var method = "GET"
    var query: [JSONMember] = []
    var headers: [JSONMember] = []
    var body: JSONValue?
    var form: [JSONMember] = []

    /// As a job file has it; `besides`: the parameters that its address brings.
    func members(path: String, besides others: [(name: String, value: Template)]) -> [JSONMember] {
        var members: [JSONMember] = []
        if method != "GET" || body != nil || !form.isEmpty {
            members.append(JSONMember("method", .string(method)))
        }
        members.append(JSONMember("path", .string(path)))
        let query =
            others.filter { entry in !self.query.contains { $0.name == entry.name } }
            .map { JSONMember($0.name, .string($0.value.description)) } + self.query
        if !query.isEmpty { members.append(JSONMember("query", .object(query))) }
        if !headers.isEmpty { members.append(JSONMember("headers", .object(headers))) }
        if !form.isEmpty {
            members.append(JSONMember("form", .object(form)))
        } else if let body {
            members.append(JSONMember("body", body))
        }
        return members
    }
}

extension StreamContext {
    /// Parameters, header fields and body of a requester; what can't be said is left.
    func request(_ requester: JSONValue) -> RequestDraft {
        parameters = requester["$parameters"] ?? .null
        var draft = RequestDraft()
        draft.method = requester["http_method"]?.string?.uppercased() ?? "GET"
        if !["GET", "POST"].contains(draft.method) {
            leave("requester", "http_method: \(draft.method)", "a list is asked for by GET or POST")
        }
        if requester["query_properties"] != nil
            || containsProperties(requester["request_parameters"])
        {
            leave(
                "requester", "QueryProperties",
                "the properties that are asked for are fetched first")
        }
        draft.query = texts(
            requester["request_parameters"], "request_parameters", mayHoldSecrets: true)
        draft.headers = texts(requester["request_headers"], "request_headers", mayHoldSecrets: true)
        addBody(of: requester, to: &draft)
        return draft
    }

    private func containsProperties(_ value: JSONValue?) -> Bool {
        (value?.members ?? []).contains { $0.value["type"]?.string == "QueryProperties" }
    }

    private func addBody(of requester: JSONValue, to draft: inout RequestDraft) {
        var json = requester["request_body_json"]
        var data = requester["request_body_data"]
        if let body = requester["request_body"] {
            switch body["type"]?.string {
            case "RequestBodyJsonObject", "RequestBodyGraphQL": json = body["value"]
            case "RequestBodyUrlEncodedForm": data = body["value"]
            case let other:
                leave("request_body", other ?? "", "a body that is neither JSON nor a form")
            }
        }
        if let json, json != .null, json != .object([]) {
            draft.body = attempt("request_body_json") { () throws(Untranslatable) in
                try self.body(json)
            }
        }
        guard let data, data != .null else { return }
        if let text = data.string {
            guard text.trimmingSpace.first != "{" else {
                draft.body = attempt("request_body_data") { () throws(Untranslatable) in
                    try self.body(data)
                }
                return
            }
            leave("request_body_data", text, "a body that is one text")
        } else {
            draft.form = texts(data, "request_body_data", mayHoldSecrets: true)
        }
    }

    /// Named texts; one that comes to nothing is not sent, as Airbyte sends none.
    private func texts(_ value: JSONValue?, _ place: String, mayHoldSecrets: Bool) -> [JSONMember] {
        guard let value, value != .null else { return [] }
        guard let members = value.members else {
            leave(place, value.text, "one text where names and values were expected")
            return []
        }
        return members.compactMap { member in
            if member.value["type"]?.string == "QueryProperties" { return nil }
            return attempt("\(place).\(member.name)") { () throws(Untranslatable) -> JSONValue in
                if member.name.contains("{{") {
                    throw Untranslatable(member.name, "a name that is made by an expression")
                }
                if let elements = member.value.elements {
                    var all: [JSONValue] = []
                    for element in elements { all.append(try self.text(element, mayHoldSecrets)) }
                    return .array(all)
                }
                return try self.text(member.value, mayHoldSecrets)
            }.flatMap { $0 == .string("") ? nil : JSONMember(member.name, $0) }
        }
    }

    private func text(_ value: JSONValue, _ mayHoldSecrets: Bool) throws(Untranslatable)
        -> JSONValue
    {
        guard let text = value.scalarText ?? (value == .null ? "" : nil) else {
            throw Untranslatable(value.text, "a text was expected")
        }
        return .string(try template(text, mayHoldSecrets: mayHoldSecrets).description)
    }

    /// A body as JSON, with templates for its texts.
    func body(_ value: JSONValue) throws(Untranslatable) -> JSONValue {
        switch value {
        case .string(let text):
            if let inner = try bodyText(text) { return inner }
            return .string(try template(text, mayHoldSecrets: true).description)
        case .array(let elements):
            var all: [JSONValue] = []
            for element in elements { all.append(try body(element)) }
            return .array(all)
        case .object(let members):
            var all: [JSONMember] = []
            for member in members {
                guard !member.name.contains("{{") else {
                    throw Untranslatable(member.name, "a value that decides the name of a key")
                }
                all.append(JSONMember(member.name, try body(member.value)))
            }
            return .object(all)
        default: return value
        }
    }

    /// JSON inside a text, or an expression that is an object.
    private func bodyText(_ text: String) throws(Untranslatable) -> JSONValue? {
        let mixed = try MixedText(text.trimmingSpace)
        if let alone = mixed.alone {
            switch alone.without(["tojson"]) {
            case .literal(let value): return value
            case .object(let members):
                var all: [JSONMember] = []
                for member in members {
                    all.append(JSONMember(member.name, try body(of: member.value)))
                }
                return .object(all)
            case .list(let elements):
                var all: [JSONValue] = []
                for element in elements { all.append(try body(of: element)) }
                return .array(all)
            default: return nil
            }
        }
        guard let plain = mixed.plain, plain.first == "{" || plain.first == "[",
            let document = try? JSONDocument(parsing: Array(plain.utf8)),
            let value = document.root.value
        else { return nil }
        return try body(value)
    }

    private func body(of expression: Expression) throws(Untranslatable) -> JSONValue {
        switch expression {
        case .literal(.string(let text)):
            return .string(Template(pieces: [.literal(text)]).description)
        case .literal(let value): return value
        case .list(let elements):
            var all: [JSONValue] = []
            for element in elements { all.append(try body(of: element)) }
            return .array(all)
        case .object(let members):
            var all: [JSONMember] = []
            for member in members {
                all.append(JSONMember(member.name, try body(of: member.value)))
            }
            return .object(all)
        default:
            return .string(
                Template(pieces: try pieces(of: expression, "an expression in a body").joined)
                    .description)
        }
    }

    /// Sends a template where a `RequestOption` says.
    func inject(_ option: JSONValue, _ text: String, into draft: inout RequestDraft)
        throws(Untranslatable)
    {
        try inject(option, .string(text), into: &draft)
    }

    /// The same of an object with templates, which only a body holds.
    func inject(_ option: JSONValue, _ value: JSONValue, into draft: inout RequestDraft)
        throws(Untranslatable)
    {
        parameters = option["$parameters"] ?? .null
        var names: [String] = []
        if let path = option["field_path"]?.elements {
            names = path.compactMap(\.scalarText)
        } else {
            names = [try template(option["field_name"]?.scalarText ?? "").description]
        }
        guard let name = names.first, !name.isEmpty else {
            throw Untranslatable("RequestOption", "names no field")
        }
        let place = option["inject_into"]?.string
        if value.string == nil, place != "body_json" || draft.body?[path: names] != nil {
            throw Untranslatable(value.text, "an object that is sent as the position")
        }
        switch place {
        case "request_parameter":
            draft.query.removeAll { $0.name == name }
            draft.query.append(JSONMember(name, value))
        case "header": draft.headers.append(JSONMember(name, value))
        case "body_json": draft.body = (draft.body ?? .object([])).setting(names[...], to: value)
        case "body_data": draft.form.append(JSONMember(name, value))
        case let other: throw Untranslatable(other ?? "inject_into", "no place of a request")
        }
    }
}

extension JSONValue {
    /// This object with a value at that place.
    fileprivate func setting(_ names: ArraySlice<String>, to value: JSONValue) -> JSONValue {
        guard let name = names.first else { return value }
        var found = members ?? []
        if let index = found.firstIndex(where: { $0.name == name }) {
            found[index].value = found[index].value.setting(names.dropFirst(), to: value)
        } else {
            found.append(
                JSONMember(name, JSONValue.object([]).setting(names.dropFirst(), to: value)))
        }
        return .object(found)
    }
}
