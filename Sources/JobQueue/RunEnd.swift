/// Why a run did not go on to its end: the outcome as data, thrown upward and never handled twice.
public enum RunEnd: Error, Sendable, Equatable {
    /// Counts as a failure and backs off. `word`: an `ErrorKind`, or a recovery's own name.
    case failed(kind: String, message: String)
    /// The source asked for patience, or its budget or breaker does.
    case deferred(ErrorKind, message: String, wait: Duration)
    /// The source refuses the credential, or there is none.
    case needsReauth(message: String)
    /// The run has nothing it could do.
    case skipped(message: String)
    /// The deadline, an operator, a shutdown, a page cap or a reset; progress is kept.
    case interrupted(ErrorKind)
    /// All was read, and the source refuses edits one by one: they wait, and pulls go on in their rhythm. `wait`: the source asked
    /// for patience with some of them, and the job is due when that is over.
    case unsent(ErrorKind, message: String, wait: Duration?)
    /// The claim was taken away; nothing more may be written.
    case lost

    /// A failure of one of our own kinds.
    public static func failed(_ kind: ErrorKind, _ message: String) -> RunEnd {
        .failed(kind: kind.rawValue, message: message)
    }

    /// The source's breaker is open.
    public static func breakerOpen(_ source: String, wait: Duration) -> RunEnd {
        .deferred(.breakerOpen, message: "the breaker of source \(source) is open", wait: wait)
    }

    /// A secret that the run needs is not set, whether the job file says so or a request shows it.
    public static func secretMissing(_ name: String) -> RunEnd {
        .needsReauth(message: "secret '\(name)' is not set")
    }

    /// The outcome the job's row gets; nil for a lost run, which gets none.
    public var outcome: Outcome? {
        switch self {
        case .failed: .failed
        case .deferred: .deferred
        case .needsReauth: .needsReauth
        case .skipped: .skipped
        case .interrupted, .unsent: .partial
        case .lost: nil
        }
    }

    /// What `last_error_kind` gets.
    public var errorKind: String {
        switch self {
        case .failed(let kind, _): kind
        case .deferred(let kind, _, _), .interrupted(let kind), .unsent(let kind, _, _):
            kind.rawValue
        case .needsReauth: ErrorKind.unauthorised.rawValue
        case .skipped: ErrorKind.missing.rawValue
        case .lost: "lost"
        }
    }

    /// The text that `last_error` gets, before secrets are taken out.
    public var message: String? {
        switch self {
        case .failed(_, let message), .deferred(_, let message, _), .needsReauth(let message),
            .skipped(let message), .unsent(_, let message, _):
            message
        case .interrupted, .lost: nil
        }
    }
}
