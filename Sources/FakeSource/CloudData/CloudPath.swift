/// `/database/1/{container}/{environment}/{database}/{operation}`.
struct CloudPath {
    enum Database: String { case `public`, `private`, shared }

    let container: CloudContainerKey
    let database: Database
    let operation: Operation

    enum Operation: String {
        case query = "records/query"
        case lookup = "records/lookup"
        case modify = "records/modify"
        case recordChanges = "records/changes"
        case zoneChanges = "changes/zone"
        case databaseChanges = "changes/database"
        case oldDatabaseChanges = "zones/changes"
        case listZones = "zones/list"
        case lookupZones = "zones/lookup"
        case modifyZones = "zones/modify"
        case currentUser = "users/current"
        case caller = "users/caller"

        func allows(_ method: String) -> Bool {
            switch self {
            case .currentUser, .caller: method == "GET"
            case .listZones: method == "GET" || method == "POST"
            default: method == "POST"
            }
        }

        /// Whether it asks for changes, which the public database does not know.
        var isFeed: Bool {
            switch self {
            case .recordChanges, .zoneChanges, .databaseChanges, .oldDatabaseChanges: true
            default: false
            }
        }

        var isAboutUsers: Bool { self == .currentUser || self == .caller }
    }

    /// Nil when it is no path of CloudKit's.
    init?(_ segments: [String]) {
        guard segments.count == 7, segments[0] == "database", segments[1] == "1",
            CloudContainerKey.environments.contains(segments[3]),
            let database = Database(rawValue: segments[4]),
            let operation = Operation(rawValue: "\(segments[5])/\(segments[6])")
        else { return nil }
        container = CloudContainerKey(name: segments[2], environment: segments[3])
        self.database = database
        self.operation = operation
    }
}
