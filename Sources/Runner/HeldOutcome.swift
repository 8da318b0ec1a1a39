import JobQueue
import Sync

/// An end of a run that the worker holds until it is written.
struct HeldOutcome {
    /// Refused so often even in its plainest form, half a minute after it came, it is given up.
    static let refusalsMax = 6

    /// Where it stands on its way into the database.
    enum State: Equatable {
        /// Waits for its first try, or for one more with others after the database was away.
        case pending
        /// A statement with it is under way.
        case writing
        /// Somebody else's transaction holds its job until then, perhaps; it is tried again with others.
        case busy(until: ContinuousClock.Instant)
        /// It could not be written with others; it is tried again by itself at that time.
        case alone(due: ContinuousClock.Instant)

        /// When it is tried again; nil for one that waits for nothing.
        var retryTime: ContinuousClock.Instant? {
            switch self {
            case .pending, .writing: nil
            case .busy(let time), .alone(let time): time
            }
        }
    }

    /// Thousands are gone through at a time: one holds a reference to what is long, and no copy of it.
    private final class Box: Sendable {
        let run: FinishedRun

        init(_ run: FinishedRun) { self.run = run }
    }

    private var box: Box
    var state = State.pending
    /// A try may have been written without being heard.
    var isDoubtful = false
    var refusals = 0

    init(run: FinishedRun) { box = Box(run) }

    var run: FinishedRun {
        get { box.run }
        set { box = Box(newValue) }
    }

    /// Until the next try alone: what is refused is hardly ever taken later, anything else may pass soon.
    func wait(_ pause: Duration) -> Duration {
        refusals > 0 ? pause * (1 << (refusals - 1)) : .milliseconds(Int.random(in: 500...2000))
    }
}

extension FinishedRun {
    /// The same end without what the server may have stumbled over: a failure that says so.
    func reduced(by refusal: any Error) -> FinishedRun {
        let words = "the outcome '\(outcome.rawValue)' was refused: \(refusal)"
        return FinishedRun(
            claim: claim, tenantID: tenantID, outcome: .failed,
            errorKind: ErrorKind.malformed.rawValue,
            error: String(decoding: words.utf8.prefix(900), as: UTF8.self))
    }
}
