import HTTP
import JSON
import JobFiles
import JobQueue
import Reading

/// When a request is sent again, and how long it waits before that.
public struct RetryClock {
    /// No source may put a job off for longer than this at once.
    public static let waitMax = Duration.seconds(48 * 3600)
    /// Nor have it asked again sooner, by `0`, a past date or `-5`.
    public static let waitMin = Duration.seconds(1)

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

    /// Why the answer is to be asked for again; nil when it is not.
    ///
    /// Without `retries` only a 429 is, so that its wait is obeyed.
    func trouble(
        in answer: Answer, of request: String, retries: Bool, nowUnixSeconds: Int
    ) -> Trouble? {
        if let failure = answer.failure {
            guard failure.mayPass else { return nil }
            return Trouble(end: failure.end, asked: failure.wait.map(Self.bounded))
        }
        switch answer.verdict {
        case .retry(let said): return trouble(said, answer.response, nowUnixSeconds)
        case .skip, .empty, .end, .fail: return nil
        case nil: break
        }
        let status = answer.response.status
        if let wait = refusalWait(answer.response, nowUnixSeconds: nowUnixSeconds) {
            return Trouble(
                end: .deferred(
                    .rateLimited, message: "\(request) was answered with \(status)", wait: wait),
                asked: wait)
        }
        guard self.retries(status: status), retries || status == 429 else { return nil }
        let asked = askedWait(answer.response, nowUnixSeconds: nowUnixSeconds)
        let end = classified(status: status, of: request, excerpt: "", hasCredential: false)
        guard case .deferred(let kind, let message, _) = end else {
            return Trouble(end: end, asked: asked)
        }
        return Trouble(
            end: .deferred(kind, message: message, wait: asked ?? unsaidWait), asked: asked)
    }

    /// What a rule of the file has asked again for: an answer like 5xx, or one that names a wait.
    private func trouble(_ said: SaidFailure, _ response: HTTPResponse, _ now: Int) -> Trouble {
        let asked = said.wait.map(Self.bounded) ?? askedWait(response, nowUnixSeconds: now)
        return Trouble(
            end: asked.map { .deferred(.rateLimited, message: said.message, wait: $0) }
                ?? .failed(.unavailable, said.message),
            asked: asked)
    }

    /// The answer says that its source wants to be asked later.
    func asksForPatience(_ response: HTTPResponse, nowUnixSeconds now: Int) -> Bool {
        response.status == 429 || refusalWait(response, nowUnixSeconds: now) != nil
    }

    /// The wait before the next attempt; nil when there is none.
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

    /// How long a refusal wants to be waited for, whatever its status; nil when it is no matter of patience.
    ///
    /// Some services refuse with 403 or 400 who has asked too often: by a wait, or by a rate limit that is spent.
    /// What a status says of a record's state is no refusal.
    private func refusalWait(_ response: HTTPResponse, nowUnixSeconds now: Int) -> Duration? {
        guard (400..<500).contains(response.status),
            ![404, 409, 410, 412].contains(response.status)
        else { return nil }
        if let asked = askedWait(response, nowUnixSeconds: now) { return asked }
        for prefix in ["X-RateLimit", "RateLimit", "X-Rate-Limit"] {
            guard let rest = response.header("\(prefix)-Remaining"), Double(rest) == 0 else {
                continue
            }
            let reset = response.header("\(prefix)-Reset")
                .flatMap { SaidWait.seconds($0, now: now) }
            return reset.map { Self.bounded(.milliseconds(Int(min($0, 1e9) * 1000))) } ?? unsaidWait
        }
        return nil
    }

    /// What the source says about patience, capped; nil when it says nothing.
    func askedWait(_ response: HTTPResponse, nowUnixSeconds: Int) -> Duration? {
        for location in rule.waitFrom {
            if let seconds = askedSeconds(location, response, nowUnixSeconds) {
                return Self.bounded(.milliseconds(Int(min(seconds, 1e9) * 1000)))
            }
        }
        return nil
    }

    /// A wait that a source asked for, as it is obeyed.
    static func bounded(_ asked: Duration) -> Duration { min(max(asked, waitMin), waitMax) }

    private func askedSeconds(
        _ location: RetryRule.WaitSource, _ response: HTTPResponse, _ now: Int
    ) -> Double? {
        switch location {
        case .header(let name, let unit):
            return response.header(name).flatMap {
                SaidWait.seconds($0, countsMilliseconds: unit == .milliseconds, now: now)
            }
        case .body(let path, let unit):
            guard let document = try? JSONDocument(parsing: response.body),
                let node = path.first(in: document.root), let text = node.numberText ?? node.string
            else { return nil }
            return SaidWait.seconds(text, countsMilliseconds: unit == .milliseconds, now: now)
        }
    }
}
