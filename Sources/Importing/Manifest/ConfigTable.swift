import JSON

/// What a manifest's `spec` says that its users must give.
struct ConfigTable {
    /// One value of the configuration.
    struct Entry: Equatable {
        var path: [String]
        var isSecret = false
        var isRequired = false
        var type = "string"
        /// The values that there are; empty: any.
        var choices: [String] = []
        var standard: JSONValue?
        var isDate = false
    }
    private(set) var entries: [Entry] = []
    let source: String

    init(spec: JSONValue?, source: String) {
        self.source = source
        add(spec?["connection_specification"] ?? .null, at: [], isRequired: true)
    }

    func entry(_ path: [String]) -> Entry? { entries.first { $0.path == path } }

    /// The name of the attribute or secret: the source's, so that no other one is meant, and its own.
    func name(_ path: [String]) -> String {
        let own = path.last ?? ""
        let isAlone = entries.count { $0.path.last == own } <= 1
        let name = snakeCase(isAlone ? own : path.joined(separator: "_"))
        return shortened(name.hasPrefix(source + "_") ? name : "\(source)_\(name)")
    }

    private mutating func add(_ schema: JSONValue, at path: [String], isRequired: Bool) {
        let required = (schema["required"]?.elements ?? []).compactMap(\.string)
        for member in schema["properties"]?.members ?? [] {
            let isNeeded = isRequired && required.contains(member.name)
            let inner = path + [member.name]
            let branches = ["oneOf", "anyOf", "allOf"].flatMap { member.value[$0]?.elements ?? [] }
            if member.value["properties"] != nil
                || branches.contains(where: { $0["properties"] != nil })
            {
                add(member.value, at: inner, isRequired: isNeeded)
                for branch in branches { add(branch, at: inner, isRequired: false) }
            } else {
                add(Entry(member.value, at: inner, isRequired: isNeeded))
            }
        }
    }

    /// Of branches that say the same key the safer one counts.
    private mutating func add(_ entry: Entry) {
        guard let index = entries.firstIndex(where: { $0.path == entry.path }) else {
            return entries.append(entry)
        }
        if entry.isSecret { entries[index].isSecret = true }
        if entries[index].choices != entry.choices {
            entries[index].choices += entry.choices.filter { !entries[index].choices.contains($0) }
        }
        if entries[index].standard != entry.standard { entries[index].standard = nil }
    }
}

extension ConfigTable.Entry {
    fileprivate init(_ schema: JSONValue, at path: [String], isRequired: Bool) {
        self.path = path
        self.isRequired = isRequired
        isSecret = schema["airbyte_secret"]?.bool ?? false
        let types = schema["type"]?.elements?.compactMap(\.string) ?? []
        type = schema["type"]?.string ?? types.first { $0 != "null" } ?? "string"
        let values = schema["enum"]?.elements ?? schema["const"].map { [$0] } ?? []
        choices = values.compactMap(\.scalarText)
        standard = schema["default"] == .null ? nil : schema["default"]
        isDate = ["date-time", "date"].contains(schema["format"]?.string ?? "")
    }

    /// What it can be, where that is known beforehand.
    var domain: [String]? {
        if type == "boolean" { return ["true", "false"] }
        return choices.isEmpty ? nil : choices
    }

    var standardText: String? {
        if let text = standard?.scalarText, !text.isEmpty { return text }
        return type == "boolean" && !isRequired ? "false" : nil
    }
}

/// What a job file declares of an attribute.
struct DeclaredInput: Equatable {
    var type = "text"
    var standard: String?
    /// What each value stands for.
    var map: [String: String] = [:]
    var choices: [String] = []
    /// The form in which it is sent, where the manifest is given another one.
    var form = ""
    /// An attribute that may be missing, and removes what it stands in, is not declared.
    var isNeeded = false

    var json: JSONValue? {
        guard isNeeded || standard != nil || !map.isEmpty else { return nil }
        var members: [JSONMember] = []
        if type != "text" { members.append(JSONMember("type", .string(type))) }
        if let standard { members.append(JSONMember("default", .string(standard))) }
        if !map.isEmpty {
            let entries = map.sorted { $0.key < $1.key }
            members.append(
                JSONMember("map", .object(entries.map { JSONMember($0.key, .string($0.value)) })))
        } else if !choices.isEmpty {
            members.append(JSONMember("one_of", .array(choices.map { .string($0) })))
        }
        return .object(members)
    }
}
