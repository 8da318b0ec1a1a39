/// What the log tells of a request to CloudKit, and what faults can be aimed at.
struct CloudTrace {
    let container: String
    let database: String
    let operation: String
    var user: String?
    /// user, key, world or nothing.
    var credential: String
    var zone: String?
    var recordType: String?
    /// The sync token or marker that was sent.
    var token: String?
    /// Base64 of the body's SHA-256, as in signatures.
    let bodyHash: String
    /// Records, zones or operations in the request.
    var items = 0

    func write(into json: inout JSONText) {
        json.field("op", operation)
        json.field("container", container)
        json.field("database", database)
        json.field("credential", credential)
        if let zone { json.field("zone", zone) }
        if let recordType { json.field("record_type", recordType) }
        if let token { json.field("token", token) }
        json.field("body_hash", bodyHash)
        json.field("items", items)
    }
}

extension CloudTrace {
    init(_ path: CloudPath, _ request: Request, _ body: JSONValue?, _ container: CloudContainer?) {
        self.container = path.container.name
        database = path.database.rawValue
        operation = path.operation.rawValue
        bodyHash = CloudSignature.hash(request.body)
        credential = "none"
        if let key = request.header(CloudCaller.keyHeader) {
            credential = "key"
            user = CloudCaller.pseudoUser(key)
        } else if let token = request.query("ckWebAuthToken") {
            credential = "user"
            user = container?.sessions.owner(token)
        } else if request.query("ckAPIToken") != nil {
            credential = "world"
        }
        read(body)
    }

    private mutating func read(_ body: JSONValue?) {
        let firstZone = body?["zones"]?.elements?.first
        let firstOperation = body?["operations"]?.elements?.first
        let zone = body?["zoneID"] ?? firstZone?["zoneID"] ?? firstZone
        self.zone = (zone ?? firstOperation?["zone"]?["zoneID"])?["zoneName"]?.text
        recordType =
            body?["query"]?["recordType"]?.text ?? firstOperation?["record"]?["recordType"]?.text
            ?? firstZone?["desiredRecordTypes"]?.elements?.first?.text
        token =
            (body?["continuationMarker"] ?? body?["syncToken"] ?? body?["metaSyncToken"]
            ?? firstZone?["syncToken"])?.text
        items =
            (body?["operations"] ?? body?["records"] ?? body?["zones"])?.elements?.count ?? 0
    }
}
