/// One command to misbehave: which requests, how often, how.
struct Fault {
    let id: Int
    let pattern: [String]
    let user: String?
    let method: String?
    /// This many matching requests go by first.
    let skip: Int
    /// How often it strikes, 0 for always.
    let times: Int
    let probability: Double
    let delay: Milliseconds
    let name: String
    let kind: FaultKind
    /// Conditions on a request to CloudKit.
    let cloud: CloudCondition
    var seen = 0
    var fired = 0

    func matches(_ request: Request) -> Bool {
        guard user == nil || user == request.user, method == nil || method == request.method,
            pattern.count <= request.segments.count, cloud.holds(request.cloud)
        else { return false }
        return zip(pattern, request.segments).allSatisfy { $0 == "*" || $0 == $1 }
    }
}

/// What a fault asks of a request to CloudKit, as far as it asks.
struct CloudCondition {
    var operation: String?
    var recordType: String?
    var zone: String?
    var container: String?

    func holds(_ trace: CloudTrace?) -> Bool {
        guard operation != nil || recordType != nil || zone != nil || container != nil else {
            return true
        }
        guard let trace else { return false }
        return (operation == nil || operation == trace.operation)
            && (recordType == nil || recordType == trace.recordType)
            && (zone == nil || zone == trace.zone)
            && (container == nil || container == trace.container)
    }
}

enum FaultKind {
    /// Nothing but the delay.
    case slow
    case status(Int, headers: [(String, String)], body: [UInt8]?)
    case drip(bytes: Int, every: Milliseconds)
    case hang
    case hangAfter(Int)
    case cut(after: Int)
    case longLength(Int)
    case chunked
    case text(type: String, body: [UInt8])
    case deep(Int)
    case gzip
    case gzipBomb(Int)
    case huge(Int)
    case page(CursorFault)
    case duplicates(Int)
    /// Texts of the answer are others, at most so many.
    case replace(String, with: String, most: Int)
    case redirect(String, status: Int)
    case echo(Int)
    case close
    case reset
    case raw([UInt8])
    case throttle(CloudThrottle)
    case cloudError(CloudError)
    case recordError(CloudError, CloudFaultTarget)
    /// Nil for all zones.
    case zoneError(CloudError, zone: String?)
}
