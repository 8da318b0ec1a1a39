import Basics
import JSON

extension JobFile {
    /// The question of each entity; what a file says of it can't change once it is read.
    func withQuestions() -> JobFile {
        var file = self
        for index in file.entities.indices {
            file.entities[index].question = question(of: file.entities[index])
        }
        return file
    }

    private func question(of entity: Entity) -> Question {
        let asked = entity.requests + entity.requests.flatMap(calls)
        let placeholders = Set(
            asked.flatMap(\.placeholders) + source.placeholders + entity.startPlaceholders)
        let words = JSONValue.members(
            ("source", source.asked), ("entity", entity.asked),
            ("requests", .array(asked.map { .object($0.members) })),
            (
                "cleanup",
                .filled(
                    after.filter { $0.cleans(entity.write.table) }.map(
                        Mapping<AfterStep>.after.written))
            ))
        let list = JSONValue.members(
            ("source", source.asked), ("list", entity.list),
            ("requests", .array(asked.map { .object($0.members) })))
        return Question(
            hash: stableHashBits(words.text), list: stableHashBits(list.text),
            attributes: placeholders.compactMap(\.attribute).sorted(),
            lists: placeholders.compactMap(\.listName).sorted())
    }

    /// The calls whose answers the request is made of, and theirs.
    private func calls(for request: Request) -> [Request] {
        var names: [String] = []
        var rest = [request]
        while let next = rest.popLast() {
            for case .call(let name, _) in next.placeholders where !names.contains(name) {
                names.append(name)
                call(named: name).map { rest.append($0.request) }
            }
        }
        return names.sorted().compactMap { call(named: $0)?.request }
    }
}

extension Entity {
    /// Stands for all that the file says of the entity.
    public var declaration: Int64 { Int64(bitPattern: stableHashBits(written.text)) }
}

extension Entity {
    fileprivate var startPlaceholders: [Placeholder] {
        if case .attribute(let name)? = incremental?.start { [.user(name)] } else { [] }
    }
}

extension Placeholder {
    /// The attribute that it stands for; nil when it stands for something else.
    var attribute: String? { if case .user(let name) = self { name } else { nil } }
    fileprivate var listName: String? { if case .list(let name) = self { name } else { nil } }
}

extension Entity {
    fileprivate var asked: JSONValue {
        .members(
            ("cloudkit", cloudkit.flatMap(Form<CloudKitOperation>.cloudkit.write)),
            ("for_each", forEach.flatMap(Form<ForEach>.forEach.write)),
            ("probe", probe.map { .object($0.request.members) }),
            ("page", Form<Page>.page.write(page)),
            (
                "incremental",
                incremental.map {
                    .members(
                        ("watermark", .string($0.watermark.rawValue)),
                        ("format", Form<Incremental.Format>.format.write($0.format)),
                        ("start", $0.start.flatMap(Form<Incremental.Start>.start.write)),
                        ("window", $0.window.map { .span($0) }),
                        ("until", $0.lag.map { .span($0) }))
                }
            ),
            ("records", unexpanded.records.asked(for: decidingFields)),
            // Another table does not hold what was read so far.
            ("table", .string(write.table)))
    }

    /// What decides which records there are.
    fileprivate var list: JSONValue {
        .members(
            ("cloudkit", cloudkit.flatMap(Form<CloudKitOperation>.cloudkit.write)),
            ("for_each", forEach.flatMap(Form<ForEach>.forEach.write)),
            (
                "records",
                unexpanded.records.asked(
                    for: Set(records.key + records.keepIf.map(\.field)), asList: true)
            ))
    }

    /// Fields whose values decide whether a record is kept, under which key, and how far was read.
    private var decidingFields: Set<String> {
        Set(records.key + records.keepIf.map(\.field))
            .union([write.newerBy, page.keysetField].compactMap(\.self))
    }
}

extension Records {
    fileprivate func asked(for names: Set<String>, asList isList: Bool = false) -> JSONValue {
        var deciding = self
        // Another field makes another key of each record.
        let names = keyless == .content ? Set(fields.map(\.name)) : names
        // A secret that is brought from now on stands in records that were read before; the list is the same.
        if isList { deciding.secrets = [] }
        deciding.fields = fields.filter { names.contains($0.name) }
        return Form<Records>.records.write(deciding) ?? .null
    }
}

extension AfterStep {
    fileprivate func cleans(_ table: String) -> Bool {
        if case .cleanup(table, _, _) = action { true } else { false }
    }
}

extension Source {
    /// The base is not of the file alone: a tenant may have another.
    fileprivate var asked: JSONValue {
        .members(
            ("container", cloudkitAddress.map { .string($0.container) }),
            ("environment", cloudkitAddress.map { .string($0.environment.rawValue) }),
            ("database", cloudkitAddress.map { .string($0.database.rawValue) }),
            ("headers", NamedTemplate.written(headers)),
            ("zone", zone.flatMap(Form<ZoneRule>.zone.write)))
    }

    fileprivate var placeholders: [Placeholder] {
        auth.account + headers.flatMap(\.value.placeholders) + (zone?.placeholders ?? [])
    }
}

extension ZoneRule {
    fileprivate var placeholders: [Placeholder] {
        if case .attribute(let name) = self { [.user(name)] } else { [] }
    }
}

extension Authentication {
    /// What names the account whose records are read, as far as it is no secret.
    fileprivate var account: [Placeholder] {
        switch self {
        case .basic(let user, let password): user.placeholders + password.placeholders
        case .bearer(let value), .header(_, let value), .query(_, let value): value.placeholders
        case .oauth2Password(_, let user, _): user.placeholders
        case .oauth2JWT(_, let assertion): assertion.claims.flatMap(\.value.placeholders)
        case .session(let session): session.placeholders
        default: []
        }
    }
}

extension Request {
    /// All that its texts hold.
    public var placeholders: [Placeholder] {
        path.placeholders + (query + form + headers).flatMap(\.value.placeholders)
            + (body?.placeholders ?? [])
    }
}

extension BodyTemplate {
    /// All that its texts hold.
    public var placeholders: [Placeholder] {
        switch self {
        case .literal: []
        case .text(let template): template.placeholders
        case .array(let elements): elements.flatMap(\.placeholders)
        case .object(let members): members.flatMap(\.value.placeholders)
        case .when(let placeholder, let inner): [placeholder] + inner.placeholders
        }
    }
}
