import JobQueue
import Sync

/// An outcome that could not be written when it came.
struct UnwrittenOutcome {
    /// Refused so often even in its plainest form, half a minute after it came, it is given up.
    static let refusalsMax = 6

    let run: FinishedRun
    /// A try may have been written without being heard.
    var isDoubtful: Bool
    var refusals = 0
    var due = ContinuousClock.now

    init(_ run: FinishedRun, _ isDoubtful: Bool) {
        self.run = run
        self.isDoubtful = isDoubtful
    }

    /// Until the next try: what is refused is hardly ever taken later, anything else may pass soon.
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
