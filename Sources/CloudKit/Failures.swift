import Basics
public import HTTP
public import JSON
import JobFiles
import JobQueue
public import Asking
import Reading

/// A longer wait is left to the scheduler, which holds no slot for it.
private let waitInRunMax = Duration.seconds(60)

// What an answer as a whole failed with.
extension CloudKitDialect {
    /// The error of the request or of the one zone it asked for, inside a 200 too; else what a
    /// status from 400 on means.
    public func failure(
        in response: HTTPResponse, _ document: JSONDocument?, to request: HTTPRequest
    ) -> SourceFailure? {
        let error = document.flatMap { document in
            ErrorDictionary(document.root) ?? ErrorDictionary(ofZoneIn: document.root)
        }
        guard error != nil || response.status >= 400 else { return nil }
        let wait = [error?.wait, headerWait(response)].compactMap(\.self).max()
        let consequence = Consequence(
            code: error?.code, status: response.status, isWaitNamed: wait != nil)
        return SourceFailure(
            code: error?.code, reason: error?.reason ?? "", wait: wait,
            mayPass: consequence.mayPass(after: wait),
            refusesContent: consequence.refusesContent(error?.code, response.status),
            end: consequence.end(message(response, error, request), code: error?.code, wait: wait))
    }

    /// Parts are bounded so that the sign-in address still fits into `last_error`'s 1 KiB.
    private func message(
        _ response: HTTPResponse, _ error: ErrorDictionary?, _ request: HTTPRequest
    ) -> String {
        var text = "CloudKit answered \(response.status)"
        if let error {
            text += " \(error.code.beginning(64))"
            if !error.reason.isEmpty { text += ": \(error.reason.beginning(300))" }
            if let index = MissingIndex(reason: error.reason) { text += index.cure(of: request) }
        } else {
            text += " without an error of its own"
        }
        if let uuid = response.header("X-Apple-Request-UUID") ?? error?.uuid {
            text += " (request \(uuid.beginning(80)))"
        }
        if let url = error?.redirectURL { text += "; sign in at \(url.beginning(480))" }
        if error?.code == "AUTHENTICATION_FAILED", case .cloudkitServer = authentication {
            text += "; key id, private key, container, environment and this host's clock must fit"
        }
        return text
    }
}

/// What follows from an error.
private enum Consequence {
    case unauthorised, rateLimited, unavailable, refused

    /// By the code or, where Apple's table has none such, by status.
    ///
    /// A wait that comes with an unknown code says that it passes.
    init(code: String?, status: Int, isWaitNamed: Bool) {
        switch (code, status) {
        case ("AUTHENTICATION_REQUIRED", _), ("AUTHENTICATION_FAILED", _): self = .unauthorised
        case ("THROTTLED", _): self = .rateLimited
        case ("TRY_AGAIN_LATER", _), ("INTERNAL_ERROR", _): self = .unavailable
        case (let code?, _) where Self.final.contains(code): self = .refused
        case (_, 401), (_, 421): self = .unauthorised
        case (_, 429): self = .rateLimited
        case (_, 408), (_, 500...): self = .unavailable
        default: self = isWaitNamed ? .unavailable : .refused
        }
    }

    private static let final: Set = [
        "ACCESS_DENIED", "ATOMIC_ERROR", "BAD_REQUEST", "CHANGE_TOKEN_EXPIRED", "CONFLICT",
        "EXISTS", "NOT_FOUND", "QUOTA_EXCEEDED", "UNKNOWN_ITEM", "VALIDATING_REFERENCE_ERROR",
        "ZONE_NOT_FOUND",
    ]

    /// Whether the run itself tries again; a throttle that names no wait is not tried.
    func mayPass(after wait: Duration?) -> Bool {
        switch self {
        case .unauthorised, .refused: false
        case .rateLimited: wait.map { $0 <= waitInRunMax } ?? false
        case .unavailable: wait.map { $0 <= waitInRunMax } ?? true
        }
    }

    /// Whether a part of the request may go: by status, and for an error inside a 200 by its code.
    ///
    /// A missing zone, a full store and a lost position are no matter of what the request holds.
    func refusesContent(_ code: String?, _ status: Int) -> Bool {
        guard self == .refused else { return false }
        if let code, Self.ofNoContent.contains(code) { return false }
        if status < 400 { return code.map(Self.ofContent.contains) ?? false }
        return (400..<500).contains(status) && ![401, 403, 408, 409, 412, 429].contains(status)
    }

    private static let ofContent: Set = ["ATOMIC_ERROR", "BAD_REQUEST"]
    private static let ofNoContent: Set = [
        "ACCESS_DENIED", "CHANGE_TOKEN_EXPIRED", "CONFLICT", "EXISTS", "QUOTA_EXCEEDED",
        "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND",
    ]

    /// How the run ends; a source that names a wait is obeyed, one that merely failed has failed.
    func end(_ message: String, code: String?, wait: Duration?) -> RunEnd {
        switch self {
        case .unauthorised: return .needsReauth(message: message)
        case .rateLimited:
            return .deferred(.rateLimited, message: message, wait: wait ?? unsaidWait)
        case .unavailable:
            guard let wait else {
                return .failed(kind: ErrorKind.unavailable.rawValue, message: message)
            }
            return .deferred(.unavailable, message: message, wait: wait)
        case .refused: return .failed(kind: word(of: code), message: message)
        }
    }

    /// Such as `zone_not_found`; `rejected` for a text that is no code.
    private func word(of code: String?) -> String {
        let letters: Set<UInt8> = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8)
        guard let code, (1...64).contains(code.utf8.count), code.utf8.allSatisfy(letters.contains)
        else { return ErrorKind.rejected.rawValue }
        return code.lowercased()
    }
}
