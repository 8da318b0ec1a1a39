/// What every exchange of a client has in common.
struct ClientSettings: Sendable {
    var limits: HTTPLimits
    var userAgent: String
    var transfersMax: Int
    var connectionsPerHostMax: Int
    var caFile: String?
}
