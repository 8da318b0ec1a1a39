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
    let sessions = CloudSessions()
    let publicDatabase: CloudDatabase
    private var privateDatabases: [String: CloudDatabase] = [:]
    /// When each caller's latest requests came, by the virtual clock.
    var arrivals: [String: [Milliseconds]] = [:]

    /// The owner of the public database's zone.
    static let defaultOwner = "_defaultOwner"

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
        let made = CloudDatabase(id: id, owner: user, isPublic: false, seed: seed)
        privateDatabases[id] = made
        return made
    }

    /// Fields as a device saves them.
    func saved(_ fields: [String: CloudField]) -> [String: CloudField] {
        assets.kept(fields, above: settings.assetsAbove)
    }

    /// All databases, or those of one user.
    func databases(of user: String?) -> [CloudDatabase] {
        let all = [publicDatabase] + privateDatabases.values
        return all.filter { user == nil || ($0.owner == user && !$0.isPublic) }
    }
}

/// What a schema says of a record type.
struct CloudType {
    var fields: [String: Attributes] = [:]

    struct Attributes {
        /// Nil for system fields.
        var type: String?
        var isQueryable = true
        var isSortable = true
    }
}
