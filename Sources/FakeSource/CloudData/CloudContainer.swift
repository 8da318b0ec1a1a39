/// A container in one environment: who may enter, and its databases.
final class CloudContainer {
    let key: CloudContainerKey
    private let seed: UInt64
    var settings: CloudSettings
    var apiTokens: Set<String> = []
    /// Public keys by key ID, PEM.
    var serverKeys: [String: String] = [:]
    var schema: [String: CloudType] = [:]
    var assets = CloudAssets()
    /// The record types whose records server keys may write whoever created them: a role that the console grants.
    var typesKeysMayWrite: Set<String> = []
    let sessions = CloudSessions()
    let publicDatabase: CloudDatabase
    private var privateDatabases: [String: CloudDatabase] = [:]
    /// When each caller's latest requests came, by the virtual clock.
    var arrivals: [String: [Milliseconds]] = [:]

    /// The owner of the public database's zone.
    static let defaultOwner = "_defaultOwner"
    /// The owner of all zones that users find in their shared databases.
    static let sharer = "_sharer"

    init(_ key: CloudContainerKey, settings: CloudSettings, seed: UInt64) {
        self.key = key
        self.settings = settings
        self.seed = seed
        publicDatabase = CloudDatabase(
            id: "\(key.text)/public", owner: CloudContainer.defaultOwner, isPublic: true,
            seed: seed)
    }

    /// A user's own database, made at the first look.
    func database(_ kind: CloudPath.Database, of user: String) -> CloudDatabase {
        if kind == .public { return publicDatabase }
        let id = "\(key.text)/\(kind.rawValue)/\(user)"
        if let known = privateDatabases[id] { return known }
        let isShared = kind == .shared
        let made = CloudDatabase(
            id: id, owner: isShared ? CloudContainer.sharer : user, isPublic: false,
            isShared: isShared, seed: seed)
        privateDatabases[id] = made
        return made
    }

    /// Fields as a device saves them.
    func saved(_ fields: [String: CloudField]) -> [String: CloudField] {
        assets.kept(fields, above: settings.assetsAbove)
    }

    /// Adds a type and its fields as a write in development does: without an index.
    func declare(_ fields: [String: CloudField], of type: String) {
        var known = schema[type] ?? CloudType()
        for (name, field) in fields where !known.has(name) {
            known.fields[name] = CloudType.Attributes(type: field.type)
        }
        schema[type] = known
    }

    /// All databases, or those of one user.
    func databases(of user: String?) -> [CloudDatabase] {
        guard let user else { return [publicDatabase] + privateDatabases.values }
        return privateDatabases.filter { $0.key.hasSuffix("/\(user)") }.map(\.value)
    }
}

/// What a schema says of a record type: its fields, and which of them have an index.
///
/// Nothing has an index that nobody declared, not even a system field.
struct CloudType {
    /// System fields too, by the names that queries give them.
    var fields: [String: Attributes] = [:]

    struct Attributes {
        /// Nil for system fields.
        var type: String?
        var isQueryable = false
        var isSortable = false
    }

    init() {}

    /// A type with these fields, and with indexes of these fields and system fields.
    init(_ types: [String: String], queryable: [String] = [], sortable: [String] = []) {
        fields = types.mapValues { Attributes(type: $0) }
        for name in queryable { fields[name, default: Attributes()].isQueryable = true }
        for name in sortable { fields[name, default: Attributes()].isSortable = true }
    }

    /// Whether records may have this field.
    func has(_ field: String) -> Bool { fields[field]?.type != nil }
}
