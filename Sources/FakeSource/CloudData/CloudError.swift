/// An error of CloudKit: the answer to a whole request, or one item inside a good answer.
struct CloudError: Error {
    let code: String
    let reason: String
    var status: Int
    /// Seconds, whole or not.
    var retryAfter: Double?
    var redirectURL: String?

    init(_ code: String, _ reason: String, retryAfter: Double? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
        status = CloudError.statuses[code] ?? 400
    }

    static func badRequest(_ reason: String) -> CloudError { CloudError("BAD_REQUEST", reason) }

    /// The same answer for every broken credential, so that none can be told from another.
    static let authenticationFailed = CloudError("AUTHENTICATION_FAILED", "Authentication failed")

    static let zoneNotFound = CloudError("ZONE_NOT_FOUND", "Zone does not exist")

    /// Apple's table of codes.
    static let statuses = [
        "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401,
        "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400, "CONFLICT": 409, "EXISTS": 409,
        "INTERNAL_ERROR": 500, "NOT_FOUND": 404, "QUOTA_EXCEEDED": 413, "THROTTLED": 429,
        "TRY_AGAIN_LATER": 503, "VALIDATING_REFERENCE_ERROR": 412, "ZONE_NOT_FOUND": 404,
    ]

    /// The members every form of an error has; the caller opens and closes the object.
    func write(into json: inout JSONText, uuid: String) {
        json.field("uuid", uuid)
        json.field("serverErrorCode", code)
        json.field("reason", reason)
        if let retryAfter {
            json.key("retryAfter")
            JSONValue.number(retryAfter).write(into: &json)
        }
        if let redirectURL { json.field("redirectURL", redirectURL) }
    }

    /// The whole answer.
    func answer(uuid: String) -> Answer {
        .json(status, JSONText.object { write(into: &$0, uuid: uuid) })
    }

    /// One record's place in a good answer.
    func write(record name: String, into json: inout JSONText, uuid: String) {
        json.raw("{")
        json.field("recordName", name)
        write(into: &json, uuid: uuid)
        json.raw("}")
    }

    /// One zone's place in a good answer.
    func write(zone: CloudZoneID, into json: inout JSONText, uuid: String) {
        json.raw("{")
        zone.write(into: &json)
        write(into: &json, uuid: uuid)
        json.raw("}")
    }
}
