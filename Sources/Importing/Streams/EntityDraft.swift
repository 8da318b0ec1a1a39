import JSON

/// One stream, translated.
final class EntityDraft {
    let name: String
    let stream: String
    let address: StreamAddress
    let auth: JSONValue
    /// The call that begins its session.
    let login: LoginDraft?
    let hosts: [String]
    let inputs: [String: DeclaredInput]
    let secrets: Set<String>
    let waitHeaders: [String]
    /// The entities whose rows it is read for.
    let parents: [EntityDraft]
    /// The stream's own fields of its items, each with the column that keeps it.
    var keptItems: [(String, String)] = []
    var fields: FieldSet
    /// The parts beside the path of the request and the fields.
    private let make: (EntityDraft, String, String) -> JSONValue

    init(
        name: String, stream: String, address: StreamAddress, auth: JSONValue,
        context: StreamContext,
        waitHeaders: [String], fields: FieldSet,
        make: @escaping (EntityDraft, String, String) -> JSONValue
    ) {
        self.name = name
        self.stream = stream
        self.address = address
        self.auth = auth
        login = context.login
        let all = address.hosts + context.tokenHosts + (context.login?.address.hosts ?? [])
        hosts = Array(Set(all)).sorted()
        inputs = context.inputs
        secrets = context.secrets
        self.waitHeaders = waitHeaders
        parents = context.parentEntities
        self.fields = fields
        self.make = make
    }

    /// The column by which another entity is asked for each row, made where there is none.
    func itemColumn(_ path: [String], avoiding taken: Set<String>) -> String {
        if path.count == 1, let kept = keptItems.first(where: { $0.0 == path[0] }),
            fields.field(at: path) == nil
        {
            return kept.1
        }
        if path.count == 1, fields.field(at: path) == nil,
            let made = fields.fields.first(where: { $0.name == snakeCase(path[0]) && $0.canBeItem }
            ), !taken.contains(made.name)
        {
            return made.name
        }
        let column = fields.keyColumn(path)
        guard taken.contains(column) else { return column }
        return fields.add(
            FieldDraft(
                name: shortened("\(name)_\(column)"), path: path, type: "text", isJoined: true))
    }

    func type(of column: String) -> String {
        fields.fields.first { $0.name == column }?.type ?? "text"
    }

    /// The entity as a job file has it, with the path below the base.
    func json(path: String, table: String) -> JSONValue { make(self, path, table) }
}
