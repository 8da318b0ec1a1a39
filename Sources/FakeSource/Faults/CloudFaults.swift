/// The faults that only CloudKit has: errors of the whole request, of a record or of a zone.
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
