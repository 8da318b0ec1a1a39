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

    init(
        container: String, database: String, operation: String, credential: String, user: String?,
        zone: String?, recordType: String?, token: String?, bodyHash: String, items: Int
    ) {
        self.container = container
        self.database = database
        self.operation = operation
        self.credential = credential
        self.user = user
        self.zone = zone
        self.recordType = recordType
        self.token = token
        self.bodyHash = bodyHash
        self.items = items
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
