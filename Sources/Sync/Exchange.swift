import HTTP
import JSON
import JobFile
import Queue

/// An answer, and the address it came from.
struct Answer {
    var response: HTTPResponse
    var url: String
    /// The body, where a dialect has read it already.
    var document: JSONDocument?
    /// What a dialect says the answer failed with.
    var failure: SourceFailure?
}

/// Sends one run's requests: within its deadline and its source's budget, again where the rule says.
struct Exchange {
    let client: any Sender
    let budgets: Budgets
    let source: Source
    let dialect: (any SourceDialect)?
    let tenantID: Int64
    let deadline: ContinuousClock.Instant
    /// The source has answered this run before.
    let isAnswered: Bool
    /// Wall time for `Retry-After` dates, by the database's clock at the claim.
    let unixSeconds: @Sendable () -> Int

    /// Sends until an answer is not to be retried; its status is the caller's to judge.
    ///
    /// `prepare` is called for every attempt: it counts and signs. `received` sees every answer.
    /// Throws `RunEnd`: `deferred` when the next attempt would come after the deadline or the source
    /// asked for patience (invariant 8).
    func send(
        _ request: HTTPRequest, retries: Bool,
        prepare: (HTTPRequest) async throws -> HTTPRequest,
        received: (HTTPResponse) throws -> Void
    ) async throws -> Answer {
        let clock = RetryClock(rule: source.retry)
        var attempt = 0
        while true {
            attempt += 1
            var end: RunEnd
            var asked: Duration?
            do {
                let answer = try await once(request, prepare)
                try received(answer.response)
                let status = answer.response.status
                if let failure = answer.failure {
                    guard failure.mayPass else { return answer }
                    asked = failure.wait.map(RetryClock.bounded)
                    end = failure.end
                } else {
                    guard clock.retries(status: status), retries || status == 429 else {
                        return answer
                    }
                    asked = clock.askedWait(answer.response, nowUnixSeconds: unixSeconds())
                    end = retryable(status, asked: asked, request)
                }
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

    private func once(
        _ request: HTTPRequest, _ prepare: (HTTPRequest) async throws -> HTTPRequest
    ) async throws -> Answer {
        try await budgets.take(
            tenant: tenantID, source: source, isAnswered: isAnswered, until: deadline)
        return try await budgets.withPlace(tenant: tenantID, source: source) {
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            let prepared = try await prepare(request)
            let limit = min(deadline, .now + source.timeout)
            let response = try await client.send(prepared, deadline: limit)
            var answer = Answer(response: response, url: request.url)
            if let dialect {
                answer.document = try? JSONDocument(parsing: response.body)
                answer.failure = dialect.failure(in: response, answer.document)
            }
            return answer
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
    let bytes = request.url.utf8.prefix { $0 != UInt8(ascii: "?") }
    let rest = bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
    let path = String(decoding: rest.drop { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    return "\(request.method) \(path.isEmpty ? "/" : path)"
}
