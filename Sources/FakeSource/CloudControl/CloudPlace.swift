/// Where a command works: a container, one of its databases, and a zone of that.
struct CloudPlace {
    let container: CloudContainer
    let database: CloudDatabase
    let zoneName: String

    static let keys = CloudContainerKey.commandKeys + ["database", "user", "zone"]

    init(
        _ cloudKit: CloudKit, _ key: CloudContainerKey, database word: String?, user: String?,
        zone: String?
    ) throws(BadRequest) {
        guard let kind = CloudPath.Database(rawValue: word ?? (user == nil ? "public" : "private"))
        else { throw BadRequest("'database' must be public, private or shared") }
        guard kind == .public || user != nil else { throw BadRequest("'user' is missing") }
        container = cloudKit.container(key)
        database = container.database(kind, of: user ?? "")
        zoneName = zone ?? CloudZoneID.defaultName
        guard kind != .public || zoneName == CloudZoneID.defaultName else {
            throw BadRequest("the public database has no custom zones")
        }
    }

    init(_ cloudKit: CloudKit, _ command: Command) throws(BadRequest) {
        try self.init(
            cloudKit, CloudContainerKey(command), database: command.string("database"),
            user: command.string("user"), zone: command.string("zone"))
    }

    init(_ cloudKit: CloudKit, _ request: Request) throws(BadRequest) {
        guard let container = request.query("container") else {
            throw BadRequest("?container= is missing")
        }
        let key = try CloudContainerKey(container, in: request.query("environment"))
        try self.init(
            cloudKit, key, database: request.query("database"), user: request.query("user"),
            zone: request.query("zone"))
    }
}
