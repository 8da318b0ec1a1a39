import HTTP
import JSON
import JobFiles
import JobQueue

/// When a request is sent again, and how long it waits before that (MH6–MH8).
public struct RetryClock {
    /// No source may put a job off for longer than this at once.
    public static let waitMax = Duration.seconds(48 * 3600)
    /// Nor have it asked again sooner, by `0`, a past date or `-5`.
    public static let waitMin = Duration.seconds(1)
    /// A larger number of seconds (30 years) is a Unix time, as `X-RateLimit-Reset` often is.
    private static let unixTimeMin = 1e9

    let rule: RetryRule

    /// Why a request is to be sent again.
    struct Trouble {
        /// How the run ends where it is not.
        var end: RunEnd
        /// The wait that the source asked for.
        var asked: Duration?

        /// The end where the wait does not fit into the run and so belongs to the scheduler.
        ///
        /// A source that asked for it is obeyed; one that merely failed counts as failed.
        func putOff(by wait: Duration) -> RunEnd {
            switch end {
            case .deferred(let kind, let message, _):
                .deferred(kind, message: message, wait: wait)
            case .failed(let word, let message)
            where asked != nil && word == ErrorKind.unavailable.rawValue:
                .deferred(.unavailable, message: message, wait: wait)
            default: end
            }
        }
    }

    /// Why the answer is to be asked for again; nil: it is not.
    ///
    /// Without `retries` only a 429 is, so that its wait is obeyed.
    func trouble(
        in answer: Answer, of request: String, retries: Bool, nowUnixSeconds: Int
    ) -> Trouble? {
        if let failure = answer.failure {
            guard failure.mayPass else { return nil }
            return Trouble(end: failure.end, asked: failure.wait.map(Self.bounded))
        }
        let status = answer.response.status
        guard self.retries(status: status), retries || status == 429 else { return nil }
        let asked = askedWait(answer.response, nowUnixSeconds: nowUnixSeconds)
        let end = classified(status: status, of: request, excerpt: "", hasCredential: false)
        guard case .deferred(let kind, let message, _) = end else {
            return Trouble(end: end, asked: asked)
        }
        return Trouble(
            end: .deferred(kind, message: message, wait: asked ?? unsaidWait), asked: asked)
    }

    /// The wait before the next attempt; nil: there is none.
    ///
    /// `attempt` counts the requests made so far. A wait that the source itself asks for is taken
    /// as it is, others carry jitter.
    func wait(afterAttempt attempt: Int, asked: Duration?) -> Duration? {
        guard attempt < rule.attempts else { return nil }
        if let asked { return asked }
        var wait = rule.first
        for _ in 1..<max(attempt, 1) { wait = wait * rule.factor }
        return wait * (1 - rule.jitter * Double.random(in: 0...1))
    }

    func retries(_ error: HTTPError) -> Bool {
        if case .timedOut = error { return rule.on.contains(.timeout) }
        return error.isRetryable && rule.on.contains(.network)
    }

    func retries(status: Int) -> Bool {
        rule.on.contains(.status(status)) || (status >= 500 && rule.on.contains(.serverErrors))
    }

    /// What the source says about patience, capped; nil when it says nothing.
    func askedWait(_ response: HTTPResponse, nowUnixSeconds: Int) -> Duration? {
        for place in rule.waitFrom {
            if var seconds = askedSeconds(place, response, nowUnixSeconds) {
                if seconds >= Self.unixTimeMin {
                    seconds = max(0, seconds - Double(nowUnixSeconds))
                }
                return Self.bounded(.milliseconds(Int(min(seconds, 1e9) * 1000)))
            }
        }
        return nil
    }

    /// A wait that a source asked for, as it is obeyed.
    static func bounded(_ asked: Duration) -> Duration { min(max(asked, waitMin), waitMax) }

    private func askedSeconds(
        _ place: RetryRule.WaitSource, _ response: HTTPResponse, _ now: Int
    ) -> Double? {
        switch place {
        case .header(let name, let unit):
            guard let value = response.header(name) else { return nil }
            if unit == .milliseconds, let number = Double(value), number.isFinite {
                return max(number / 1000, 0)
            }
            return RetryAfter.seconds(value, nowUnixSeconds: now).map(Double.init)
        case .body(let path, let unit):
            guard let document = try? JSONDocument(parsing: response.body),
                let node = path.first(in: document.root),
                let number = Double(node.numberText ?? node.string ?? ""), number.isFinite
            else { return nil }
            return max(unit == .milliseconds ? number / 1000 : number, 0)
        }
    }
}
