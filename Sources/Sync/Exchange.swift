import HTTP
import JobFile
import Queue

/// An answer, and the address it came from.
struct Answer {
    var response: HTTPResponse
    var url: String
}

/// Sends one run's requests: within its deadline and its source's budget, again where the rule says.
struct Exchange {
    let client: HTTPClient
    let budgets: Budgets
    let source: Source
    let tenantID: Int64
    let deadline: ContinuousClock.Instant
    /// The source has answered this run before.
    let isAnswered: Bool
    /// Wall time for `Retry-After` dates, by the database's clock at the claim.
    let unixSeconds: @Sendable () -> Int

    /// Sends until an answer is not to be retried; its status is the caller's to judge.
    ///
    /// `sent` is called before every request. Throws `RunEnd`: `deferred` when the next attempt
    /// would come after the deadline or the source asked for patience (invariant 8).
    func send(
        _ request: HTTPRequest, retries: Bool, sent: () -> Void
    ) async throws -> Answer {
        let clock = RetryClock(rule: source.retry)
        var attempt = 0
        while true {
            attempt += 1
            var end: RunEnd
            var asked: Duration?
            do {
                let response = try await once(request, sent: sent)
                guard clock.retries(status: response.status), retries || response.status == 429
                else {
                    return Answer(response: response, url: request.url)
                }
                asked = clock.askedWait(response, nowUnixSeconds: unixSeconds())
                end = retryable(response.status, asked: asked, request)
                guard retries else { throw end }
            } catch let error as HTTPError {
                end = classified(error, of: label(request))
                guard retries, clock.retries(error) else { throw end }
            }
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            guard let wait = clock.wait(afterAttempt: attempt, asked: asked) else { throw end }
            guard ContinuousClock.now + wait < deadline else {
                throw putOff(end, wait: wait, isAsked: asked != nil)
            }
            try await Task.sleep(until: .now + wait, clock: .continuous)
        }
    }

    private func once(_ request: HTTPRequest, sent: () -> Void) async throws -> HTTPResponse {
        try await budgets.take(
            tenant: tenantID, source: source, isAnswered: isAnswered, until: deadline)
        return try await budgets.withPlace(tenant: tenantID, source: source) {
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            sent()
            let limit = min(deadline, .now + source.timeout)
            return try await client.send(request, deadline: limit)
        }
    }

    private func retryable(_ status: Int, asked: Duration?, _ request: HTTPRequest) -> RunEnd {
        let end = classified(status: status, of: label(request), excerpt: "", hasCredential: false)
        if case .deferred(let kind, let message, _) = end {
            return .deferred(kind, message: message, wait: asked ?? RetryClock.unsaidWait)
        }
        return end
    }

    /// A wait that does not fit into the run belongs to the scheduler.
    ///
    /// A source that asked for it is obeyed; one that merely failed counts as failed.
    private func putOff(_ end: RunEnd, wait: Duration, isAsked: Bool) -> RunEnd {
        switch end {
        case .deferred(let kind, let message, _): .deferred(kind, message: message, wait: wait)
        case .failed(let word, let message)
        where isAsked && word == ErrorKind.unavailable.rawValue:
            .deferred(.unavailable, message: message, wait: wait)
        default: end
        }
    }
}

/// `GET /api/users/42/feed`: never the query, which may hold a sign-in.
func label(_ request: HTTPRequest) -> String {
    let address = request.url.prefix { $0 != "?" }
    let path = address.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
    return "\(request.method) \(path.isEmpty ? "/" : path)"
}
