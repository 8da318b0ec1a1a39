import HTTP
import JSON
import Asking
import Reading

/// What CloudKit puts in place of an answer, a zone or a record that failed.
struct ErrorDictionary {
    /// Such as `ZONE_NOT_FOUND`; one that nobody documents is kept as it is.
    var code: String
    /// The server's reason; empty when it gives none.
    var reason: String
    /// The body's `retryAfter`, capped.
    var wait: Duration?
    /// The record that failed.
    var recordName: String?
    /// The request's id at Apple.
    var uuid: String?
    /// Where a person signs in again.
    var redirectURL: String?

    /// Reads a dictionary; nil when the node is no error.
    init?(_ node: JSONNode) {
        guard let code = node["serverErrorCode"], code.kind != .null else { return nil }
        self.code = code.string ?? code.rawText
        reason = node["reason"]?.string ?? ""
        wait = node["retryAfter"].flatMap { $0.numberText ?? $0.string }.flatMap {
            waitInSeconds($0)
        }
        recordName = node["recordName"]?.string
        uuid = node["uuid"]?.string
        redirectURL = node["redirectURL"]?.string
    }

    /// The error of an answer's first zone, as only one is ever asked for; nil when it has none.
    init?(ofZoneIn root: JSONNode) {
        guard let zone = root["zones"]?.elements.first(where: { _ in true }) else { return nil }
        self.init(zone)
    }

    /// The error as that of one record; `name` stands in when the dictionary has none.
    func recordFailure(name: String = "") -> RecordFailure {
        RecordFailure(code: code, reason: reason, record: recordName ?? name, wait: wait)
    }

    /// There is no record of that name.
    var isMissing: Bool { Self.missing.contains(code) }

    /// There is another version of the record, or one where none was expected.
    var isConflict: Bool { Self.conflict.contains(code) }

    private static let missing: Set = ["NOT_FOUND", "UNKNOWN_ITEM"]
    private static let conflict: Set = ["CONFLICT", "EXISTS", "CAS_OP_LOCK"]
}

/// A number of seconds as a wait, capped; nil when it is none.
func waitInSeconds(_ text: String, now: Int? = nil) -> Duration? {
    SaidWait.seconds(text, now: now).map {
        min(.milliseconds(Int(min($0, 1e9) * 1000)), RetryClock.waitMax)
    }
}

/// The wait of a `Retry-After` header, capped; nil when there is none.
///
/// A date is compared with the answer's own `Date`, so that no clock of ours takes part.
func headerWait(_ response: HTTPResponse) -> Duration? {
    response.header("Retry-After").flatMap { value in
        waitInSeconds(value, now: response.header("Date").flatMap { HTTPDate.unixSeconds($0) })
    }
}
