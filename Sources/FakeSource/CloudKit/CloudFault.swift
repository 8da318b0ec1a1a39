/// The faults only CloudKit has: errors of the whole request, of a record or of a zone.
enum CloudFaultTarget {
    case name(String)
    /// Every so many records of a reply.
    case every(Int)
}

extension Fault {
    static let cloudKeys = [
        "op", "record_type", "zone", "container", "code", "reason", "retry_after", "wait",
        "record_name", "every",
    ]
    static let cloudKinds = ["cloudkit_error", "throttle", "record_error", "zone_error"]

    static func cloudKind(_ name: String, _ command: Command) throws(BadRequest) -> FaultKind? {
        switch name {
        case "throttle":
            return .throttle(
                CloudThrottle(
                    status: try command.int("status", in: 400...599),
                    retryAfter: try command.double("retry_after", in: 0...1e9) ?? 30,
                    wait: try command.choice("wait")))
        case "cloudkit_error": return .cloudError(try error(command))
        case "zone_error": return .zoneError(try error(command), zone: try command.string("zone"))
        case "record_error":
            let stride = try command.int("every", in: 1...CloudSettings.pageMax) ?? 1
            let target = try command.string("record_name").map { CloudFaultTarget.name($0) }
            return .recordError(try error(command), target ?? .every(stride))
        default: return nil
        }
    }

    private static func error(_ command: Command) throws(BadRequest) -> CloudError {
        let code = try command.needed("code")
        var error = CloudError(
            code, try command.string("reason") ?? "fault commanded",
            retryAfter: try command.double("retry_after", in: 0...1e9))
        error.status = try command.int("status", in: 200...599) ?? error.status
        return error
    }
}

/// How a throttled request is answered; what is nil is the container's setting.
struct CloudThrottle {
    var status: Int?
    var retryAfter: Double
    var wait: CloudSettings.ThrottleWait?

    /// The reply of Apple's technical note, with the wait in the body, in the header or in both.
    func answer(_ settings: CloudSettings, number: Int) -> Answer {
        let wait = wait ?? settings.throttleWait
        var answer = Answer.json(
            status ?? settings.throttleStatus,
            JSONText.object { json in
                json.field("uuid", "wsThrottles_\(number)")
                json.field("serverErrorCode", "THROTTLED")
                json.field("error_code", "THROTTLED")
                json.field("reason", "Database throttled, retry later")
                if wait == .body || wait == .both {
                    json.key("retryAfter")
                    JSONValue.number(retryAfter).write(into: &json)
                }
                json.field("messageForDeveloper", "Too many requests; wait before the next one")
            })
        if wait == .header || wait == .both {
            answer.headers.append(("Retry-After", String(Int(retryAfter.rounded(.up)))))
        }
        return answer
    }
}

extension FaultKind {
    /// The answer in place of the real one, for the faults that know a container's settings.
    func cloudReplacement(
        _ settings: CloudSettings, uuid: String, number: Int
    ) -> Answer? {
        switch self {
        case .throttle(let throttle): throttle.answer(settings, number: number)
        case .cloudError(let error): error.answer(uuid: uuid)
        default: nil
        }
    }
}
