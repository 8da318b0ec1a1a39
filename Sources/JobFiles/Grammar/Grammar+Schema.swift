import JSON

/// What is made of the declared keys for others than our own readers.
public enum Grammar {
    /// `jobs/job.schema.json`: a JSON Schema (2020-12) for completion and hints in editors.
    public static var schema: String { wholeSchema.wrappedText + "\n" }

    /// Every kind of mapping, a whole file first.
    static let kinds: [MappingKind] = {
        var found = Found(all: [file])
        found.collect(file)
        return found.all
    }()

    private static let file = Mapping<JobFile>.file.kind
    private static let source = Mapping<Source>.source.kind
    private static let ofEntity = Mapping<Entity>.entity.kind

    private static var wholeSchema: JSONValue {
        let head: [JSONMember] = [
            JSONMember("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            JSONMember("title", .string("jobrunner job file")),
        ]
        let shape = file.shape.map { member in
            member.name == "properties"
                ? JSONMember("properties", ofFile(member.value.members ?? [])) : member
        }
        let rules: [JSONMember] = [
            JSONMember("allOf", .array(file.demands)),
            JSONMember("if", .members(("not", .members(("required", .texts(["defaults"])))))),
            JSONMember(
                "then",
                .members(
                    (
                        "properties",
                        .members(("entities", .members(("items", reference("entity")))))
                    ))),
        ]
        let definitions = ValueType.definitions + kinds.dropFirst().flatMap { definition($0) }
        return .object(head + shape + rules + [JSONMember("$defs", .object(definitions))])
    }

    /// An entity of a file with defaults may lack what they hold.
    private static func ofFile(_ properties: [JSONMember]) -> JSONValue {
        .object(
            properties.map { property in
                let schema = property.value.members ?? []
                return switch property.name {
                case "entities":
                    JSONMember("entities", .object(schema.map { $0.refersTo("entityPart") }))
                case "defaults":
                    JSONMember("defaults", .object(schema.map { $0.refersTo("defaults") }))
                default: property
                }
            })
    }

    /// What an entity's mappings are called where parts of them may be missing.
    private static let parts = ofEntity.keys.compactMap { key -> String? in
        guard case .keys(let kind) = key.facts.type else { return nil }
        return kind().title
    }

    private static func definition(_ keys: MappingKind) -> [JSONMember] {
        if keys.title == ofEntity.title { return entity }
        let demands = keys.demands
        guard parts.contains(keys.title) else {
            var all = demands
            if keys.title == source.title { all.append(presetRule) }
            return [JSONMember(keys.title, .object(keys.shape.with(all)))]
        }
        return [
            JSONMember(keys.title + "Part", .object(keys.shape)),
            JSONMember(
                keys.title,
                .members(
                    ("description", .string(keys.meaning)),
                    ("allOf", .array([reference(keys.title + "Part")] + demands)))),
        ]
    }

    private static var presetRule: JSONValue {
        .members(
            ("if", .members(("required", .texts(["preset"])))),
            ("then", source.overlay(isPreset: true)),
            ("else", source.overlay(isPreset: false)))
    }

    private static var entity: [JSONMember] {
        let whole = ofEntity.keys.compactMap { key -> JSONMember? in
            guard case .keys(let kind) = key.facts.type else { return nil }
            return JSONMember(key.name, reference(kind().title))
        }
        let rule = JSONValue.members(
            ("if", .members(("required", .texts(["cloudkit"])))),
            ("then", ofEntity.overlay(isPreset: true)),
            ("else", ofEntity.overlay(isPreset: false)))
        let part = ofEntity.shape.map(\.ofPart)
        let defaults = ofEntity.shape(of: Mapping<Entity>.ofDefaults).map(\.ofPart)
        return [
            JSONMember(
                "defaults",
                .object(
                    [JSONMember("description", .string(file.facts(of: "defaults")?.meaning ?? ""))]
                        + defaults.dropFirst())),
            JSONMember(
                "entityPart",
                .object(part + [JSONMember("required", .texts(["entity"]))])),
            JSONMember(
                "entity",
                .members(
                    ("description", .string("One kind of record.")),
                    (
                        "allOf",
                        .array(
                            [reference("entityPart"), .members(("properties", .object(whole)))]
                                + ofEntity.demands + [rule])
                    ))),
        ]
    }

    fileprivate static func reference(_ name: String) -> JSONValue {
        .members(("$ref", .string("#/$defs/\(name)")))
    }

    fileprivate static func isPart(_ reference: String) -> Bool {
        parts.contains { reference == "#/$defs/\($0)" }
    }
}

/// The kinds of mapping that are met on the way down from a file.
private struct Found {
    var all: [MappingKind]

    mutating func collect(_ kind: MappingKind) {
        for key in kind.keys { collect(key.facts.type) }
        for variant in kind.variants?.all ?? [] {
            if let kind = variant.kind { collect(kind) }
        }
    }

    private mutating func collect(_ type: ValueType) {
        switch type {
        case .keys(let kind):
            let kind = kind()
            if all.contains(where: { $0.title == kind.title }) { return }
            all.append(kind)
            collect(kind)
        case .list(let element, _), .named(let element, _, _, _), .oneOrMore(let element):
            collect(element)
        case .anyOf(let types): for type in types { collect(type) }
        default: break
        }
    }
}

extension [JSONMember] {
    /// These and what must hold besides.
    fileprivate func with(_ rules: [JSONValue]) -> [JSONMember] {
        guard !rules.isEmpty else { return self }
        let own = first { $0.name == "allOf" }?.value.elements ?? []
        return filter { $0.name != "allOf" } + [JSONMember("allOf", .array(own + rules))]
    }
}

extension JSONMember {
    /// With every reference of its own replaced by one to that name.
    fileprivate func refersTo(_ name: String) -> JSONMember {
        switch self.name {
        case "$ref": JSONMember("$ref", .string("#/$defs/\(name)"))
        case "items": JSONMember("items", Grammar.reference(name))
        default: self
        }
    }

    /// With the mappings of an entity referred to as parts.
    fileprivate var ofPart: JSONMember {
        guard name == "properties" else { return self }
        let properties = (value.members ?? []).map { property in
            JSONMember(
                property.name,
                .object(
                    (property.value.members ?? []).map { member in
                        guard member.name == "$ref", let text = member.value.string,
                            Grammar.isPart(text)
                        else { return member }
                        return JSONMember("$ref", .string(text + "Part"))
                    }))
        }
        return JSONMember(name, .object(properties))
    }
}

extension JSONValue {
    /// Indented, but what fits into a line stands in one.
    fileprivate var wrappedText: String { wrapped(indent: 0, used: 0) }

    private func wrapped(indent: Int, used: Int) -> String {
        let line = spaced
        if used + line.count <= 100 { return line }
        let margin = "\n" + String(repeating: " ", count: indent + 2)
        let end = "\n" + String(repeating: " ", count: indent)
        switch self {
        case .array(let elements):
            let lines = elements.map { $0.wrapped(indent: indent + 2, used: indent + 3) }
            return "[" + margin + lines.joined(separator: "," + margin) + end + "]"
        case .object(let members):
            let lines = members.map { member in
                let name = JSONValue.string(member.name).text + ": "
                return name
                    + member.value.wrapped(indent: indent + 2, used: indent + 3 + name.count)
            }
            return "{" + margin + lines.joined(separator: "," + margin) + end + "}"
        default: return line
        }
    }

    private var spaced: String {
        switch self {
        case .array(let elements): "[" + elements.map(\.spaced).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.map { JSONValue.string($0.name).text + ": " + $0.value.spaced }
                .joined(separator: ", ") + "}"
        default: text
        }
    }
}
