/// What every exchange of a client has in common.
struct ClientSettings: Sendable {
    var limits: HTTPLimits
    var userAgent: String
    var transfersMax: Int
    var connectionsPerHostMax: Int
    /// Connections open at the same time, those kept for later included.
    var connectionsMax: Int
    var caFile: String?
    var privateNetworks: Networks
}
