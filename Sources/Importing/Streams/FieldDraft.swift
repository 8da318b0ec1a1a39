import JSON

/// A column to be.
struct FieldDraft: Equatable {
    var name: String
    /// Where in the record it is read; nil for what is made.
    var path: [String]?
    var type: String
    var format: [String] = []
    var isRequired = false
    /// The item that it keeps.
    var item: String?
    var constant: JSONValue?
    /// Places whose values make one text, and what stands between two of them.
    var joined: [[String]] = []
    var mark = ""
    /// What stands in for a missing value.
    var standard: JSONValue?
    /// A text whatever the source writes, a text or a number.
    var isJoined = false

    var json: JSONMember {
        var members: [JSONMember] = []
        if let item {
            members.append(JSONMember("each", .string(item)))
        } else if let constant {
            members.append(JSONMember("value", constant))
        } else if !joined.isEmpty {
            var parts = [JSONMember("of", .array(joined.map { .string(pathText($0)) }))]
            if !mark.isEmpty { parts.append(JSONMember("with", .string(mark))) }
            members.append(JSONMember("join", .object(parts)))
        } else if isJoined {
            members.append(
                JSONMember(
                    "join", .object([JSONMember("of", .array([.string(pathText(path ?? []))]))])))
        } else {
            members.append(JSONMember("at", .string(pathText(path ?? []))))
        }
        members.append(JSONMember("type", .string(type)))
        if format.count == 1, format != ["iso8601"] {
            members.append(JSONMember("format", .string(format[0])))
        } else if format.count > 1 {
            members.append(JSONMember("format", .array(format.map { .string($0) })))
        }
        if let standard { members.append(JSONMember("default", standard)) }
        if isRequired, standard == nil, item == nil {
            members.append(JSONMember("required", .bool(true)))
        }
        return JSONMember(name, .object(members))
    }

    /// A record may be asked for by it.
    var canBeItem: Bool { ["text", "url", "int", "decimal", "bool"].contains(type) }
}

/// The columns of an entity.
struct FieldSet {
    var fields: [FieldDraft] = []
    private var names = NameSet.columns

    mutating func add(_ field: FieldDraft) -> String {
        var field = field
        field.name = names.unique(field.name)
        fields.append(field)
        return field.name
    }

    func field(at path: [String]) -> FieldDraft? {
        fields.first { $0.path == path && $0.item == nil && $0.constant == nil }
    }

    mutating func remove(at path: [String]) {
        fields.removeAll { $0.path == path && !$0.isRequired }
    }

    mutating func update(_ name: String, _ change: (inout FieldDraft) -> Void) {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
        change(&fields[index])
    }

    /// The column of a value that tells records apart or leads to others: a text, if nobody knows what it is.
    mutating func keyColumn(_ path: [String]) -> String {
        if let known = fields.first(where: { $0.path == path && $0.isJoined }) { return known.name }
        if let known = field(at: path), known.canBeItem, known.type != "bool" { return known.name }
        if let known = field(at: path), known.type != "json" {
            // The number's digits, however many: a floating number keeps 15.
            update(known.name) { ($0.type, $0.isJoined, $0.format) = ("text", true, []) }
            return known.name
        }
        return add(
            FieldDraft(
                name: snakeCase(path.joined(separator: "_")), path: path, type: "text",
                isJoined: true))
    }
}
