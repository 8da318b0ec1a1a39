/// What the log tells of a request to CloudKit, and what faults can be aimed at.
///
/// A class, so that the entries of other requests stay small.
final class CloudTrace {
    let container: String
    let database: String
    let operation: String
    /// user, key, world or none.
    let credential: String
    let user: String?
    let zone: String?
    let recordType: String?
    /// The sync token or marker that was sent.
    let token: String?
    /// Base64 of the body's SHA-256, as in signatures.
    let bodyHash: String
    /// Records, zones or operations in the request.
    let items: Int

    init(_ path: CloudPath, _ request: Request, _ body: JSONValue?, _ container: CloudContainer?) {
        self.container = path.container.name
        database = path.database.rawValue
        operation = path.operation.rawValue
        bodyHash = CloudSignature.hash(request.body)
        if let key = request.header(CloudCaller.keyHeader) {
            credential = "key"
            user = CloudCaller.pseudoUser(key)
        } else if let token = request.query("ckWebAuthToken") {
            credential = "user"
            user = container?.sessions.owner(token)
        } else {
            credential = request.query("ckAPIToken") == nil ? "none" : "world"
            user = nil
        }
        let firstZone = body?["zones"]?.elements?.first
        let firstOperation = body?["operations"]?.elements?.first
        let ownZone = body?["zoneID"] ?? firstZone?["zoneID"] ?? firstZone
        zone = (ownZone ?? firstOperation?["zone"]?["zoneID"])?["zoneName"]?.text
        recordType =
            body?["query"]?["recordType"]?.text ?? firstOperation?["record"]?["recordType"]?.text
            ?? firstZone?["desiredRecordTypes"]?.elements?.first?.text
        let ownToken = body?["continuationMarker"] ?? body?["syncToken"] ?? body?["metaSyncToken"]
        token = (ownToken ?? firstZone?["syncToken"])?.text
        items = (body?["operations"] ?? body?["records"] ?? body?["zones"])?.elements?.count ?? 0
    }

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
