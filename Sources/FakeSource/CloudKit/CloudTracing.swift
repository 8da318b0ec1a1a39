/// How a request to CloudKit is described in the log.
extension CloudTrace {
    /// Reads what a request asks of CloudKit, whether or not it is allowed.
    convenience init(
        _ path: CloudPath, _ request: Request, _ body: JSONValue?, _ container: CloudContainer?
    ) {
        let credential: String
        let user: String?
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
        let ownToken = body?["continuationMarker"] ?? body?["syncToken"] ?? body?["metaSyncToken"]
        let items = body?["operations"] ?? body?["records"] ?? body?["zones"]
        self.init(
            container: path.container.name, database: path.database.rawValue,
            operation: path.operation.rawValue, credential: credential, user: user,
            zone: (ownZone ?? firstOperation?["zone"]?["zoneID"])?["zoneName"]?.text,
            recordType: body?["query"]?["recordType"]?.text
                ?? firstOperation?["record"]?["recordType"]?.text
                ?? firstZone?["desiredRecordTypes"]?.elements?.first?.text,
            token: (ownToken ?? firstZone?["syncToken"])?.text,
            bodyHash: CloudSignature.hash(request.body), items: items?.elements?.count ?? 0)
    }
}
