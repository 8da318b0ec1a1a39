import HTTP
import JSON
import JobFile
import Queue
import Telemetry

/// A dialect's request failed in the source's own words.
struct SourceRefusal: Error {
    var failure: SourceFailure
}

// Requests of this run.
extension Run {
    /// Sends a declared request with this run's values.
    ///
    /// `validator`: what the answer is asked to differ from, if it is of this very address.
    func exchange(
        _ request: Request, retries: Bool, to url: String? = nil, validator: String? = nil
    ) async throws -> Answer {
        let assembly = RequestAssembly(
            source: inputs.file.source, base: inputs.base ?? inputs.file.source.base,
            renderer: Renderer(values: values))
        var assembled =
            try url.map { try assembly.request(request, to: $0) } ?? assembly.request(request)
        assembled.headers += conditions(validator, url: assembled.url)
        return try await exchange(assembled, retries: retries)
    }

    /// Sends a dialect's own request and returns its answer's document.
    ///
    /// Throws how the source words its failure.
    func exchange(_ request: DialectRequest) async throws -> JSONDocument {
        let base = inputs.base ?? inputs.file.source.base
        let answer = try await exchange(
            HTTPRequest(
                method: request.body == nil ? "GET" : "POST", url: base + request.path,
                headers: [HTTPHeader("Accept", "application/json")]
                    + (request.body == nil ? [] : [HTTPHeader("Content-Type", "application/json")]),
                body: request.body?.bytes), retries: true)
        if let failure = answer.failure { throw SourceRefusal(failure: failure) }
        return try document(of: answer)
    }

    private func exchange(_ assembled: HTTPRequest, retries: Bool) async throws -> Answer {
        let started = inputs.claimedAt
        let claimed = inputs.claimedAtMicroseconds
        let unixSeconds: @Sendable () -> Int = {
            Int((claimed + (ContinuousClock.now - started).microseconds) / 1_000_000)
        }
        let exchange = Exchange(
            client: services.client, budgets: services.budgets, source: inputs.file.source,
            dialect: dialect, tenantID: inputs.job.tenantID, deadline: deadline,
            isAnswered: isAnswered, unixSeconds: unixSeconds)
        var answer = try await send(assembled, retries, exchange)
        if dropsRefusedToken(answer, of: assembled) {
            answer = try await send(assembled, retries, exchange)
        }
        isAnswered = true
        noteTime(of: answer.response)
        return answer
    }

    private func send(
        _ request: HTTPRequest, _ retries: Bool, _ exchange: Exchange
    ) async throws -> Answer {
        try await exchange.send(
            request, retries: retries, prepare: { try await prepared($0) },
            received: { response in
                if let credential = dialect?.newCredential(in: response) { try note(credential) }
            })
    }

    /// One attempt: what the source replaced is stored first, then the request is signed anew.
    private func prepared(_ request: HTTPRequest) async throws -> HTTPRequest {
        try await storeRotation()
        requests += 1
        guard let dialect else { return try await withAccessToken(request) }
        let now =
            inputs.claimedAtMicroseconds + (ContinuousClock.now - inputs.claimedAt).microseconds
        return try dialect.signed(
            request, with: SourceSecrets(values), unixSeconds: Int(now / 1_000_000))
    }

    /// The first answer's `Date` is when the run began by the source's clock.
    private func noteTime(of response: HTTPResponse) {
        guard sourceTime == nil, let date = response.header("Date"),
            let seconds = HTTPDate.unixSeconds(date)
        else { return }
        sourceTime = Int64(seconds) * 1_000_000
    }

    /// What an unexpected status ends the run with, with a little of the answer.
    func unexpected(_ answer: Answer, _ method: String) -> RunEnd {
        if let failure = answer.failure { return failure.end }
        let excerpt = redactor.sanitised(bytes: Array(answer.response.body.prefix(200)))
        let isSignedIn = inputs.file.source.auth != .none
        return classified(
            status: answer.response.status,
            of: label(HTTPRequest(method: method, url: answer.url, headers: [], body: nil)),
            excerpt: excerpt, hasCredential: isSignedIn)
    }
}
