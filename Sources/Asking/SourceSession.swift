import Basics
import HTTP
public import JSON
public import JobFiles
public import Postgres
public import JobQueue
public import Reading
import Telemetry

/// One run's conversation with its source, within the run's deadline and the source's budget.
///
/// Signs each attempt anew, tries again where the rule says so, renews access tokens, and keeps what the
/// source replaces credentials with.
public final class SourceSession {
    private let source: Source
    private let base: String
    private let job: ClaimedJob
    private let tools: SourceTools
    private let deadline: ContinuousClock.Instant
    private let claimedAt: ContinuousClock.Instant

    /// What the source speaks besides plain REST; nil: nothing.
    public let dialect: (any SourceDialect)?
    /// The run's secrets.
    public let credentials: Credentials
    /// What placeholders stand for in all requests of the run.
    public var values: Values
    /// Requests that were sent, those to a token server included.
    public private(set) var requests = 0
    /// Server time of the first answer, microseconds since 1970; nil: there was none, or it told none.
    public private(set) var sourceTime: Int64?
    /// The source has answered with more than a failure that may pass.
    private var isAnswered = false

    /// Begins a conversation for a claimed job.
    ///
    /// `base` is the tenant's own address for the source, nil: the job file's. `proof` stands before
    /// every write of the session; empty for a dry run.
    public init(
        with source: Source, at base: String?, for job: ClaimedJob, _ tools: SourceTools,
        proof: [Statement], claimedAt: ContinuousClock.Instant, deadline: ContinuousClock.Instant
    ) {
        self.source = source
        self.base = base ?? source.base
        self.job = job
        self.tools = tools
        self.claimedAt = claimedAt
        self.deadline = deadline
        dialect = tools.dialect(source)
        values = Values(attributes: job.attributes)
        credentials = Credentials(
            ofTenant: job.tenantID, tools.sealer, tools.queue, proof: proof, deadline: deadline)
    }

    /// Sends a declared request.
    ///
    /// `retries` false: only a source that asks for patience is asked again. `url`: a whole address that
    /// a page named, which must still lead to the source. `validator`: what the answer is asked to
    /// differ from, if it is of this very address. Throws `RunEnd`: `deferred` when the next attempt
    /// would come after the deadline or the source asked for patience (invariant 8).
    public func send(
        _ request: Request, _ pass: PassValues = PassValues(), retries: Bool, to url: String? = nil,
        validator: String? = nil
    ) async throws -> Answer {
        let assembly = RequestAssembly(
            source: source, base: base, renderer: Renderer(values: values(with: pass)))
        var assembled =
            try url.map { try assembly.request(request, to: try sameOrigin($0)) }
            ?? assembly.request(request)
        assembled.headers += conditions(validator, url: assembled.url)
        return try await send(assembled, retries: retries)
    }

    /// Sends a dialect's own request; its answer may be a failure in the source's words.
    public func send(_ request: DialectRequest) async throws -> Answer {
        try await send(
            HTTPRequest(
                method: request.body == nil ? "GET" : "POST", url: base + request.path,
                headers: [HTTPHeader("Accept", "application/json")]
                    + (request.body == nil ? [] : [HTTPHeader("Content-Type", "application/json")]),
                body: request.body?.bytes), retries: true)
    }

    /// Takes a step of the preset; returns what is to be remembered of it.
    public func take(_ step: PresetStep, remembered: String?) async throws -> String? {
        guard let dialect else { return nil }
        return try await dialect.take(step, remembered: remembered) { request in
            let answer = try await send(request)
            if let failure = answer.failure { throw failure.end }
            return try answer.document()
        }
    }

    /// What an unexpected answer ends the run with, with a little of it.
    public func end(ofUnexpected answer: Answer, method: String) -> RunEnd {
        if let failure = answer.failure { return failure.end }
        let excerpt = credentials.redactor.sanitised(bytes: Array(answer.response.body.prefix(200)))
        return classified(
            status: answer.response.status,
            of: requestLabel(HTTPRequest(method: method, url: answer.url, headers: [], body: nil)),
            excerpt: excerpt, hasCredential: source.auth != .none)
    }

    /// How a run ends whose list is still being made: put off, for as long as the source says, else for a little longer each
    /// time.
    public func end(ofUnready answer: Answer, method: String) -> RunEnd {
        let wait = RetryClock(rule: source.retry).askedWait(
            answer.response, nowUnixSeconds: unixSeconds)
        let request = HTTPRequest(method: method, url: answer.url, headers: [], body: nil)
        return .deferred(
            .notReady,
            message: "\(requestLabel(request)) was answered with 202: the list is still being made",
            wait: wait ?? .zero)
    }

    /// How a run ends whose source says inside a good answer that it failed.
    public func end(by failure: SaidFailure) -> RunEnd {
        guard let wait = failure.wait else { return .failed(.sourceError, failure.message) }
        return .deferred(
            .rateLimited, message: failure.message, wait: RetryClock.bounded(wait))
    }

    /// What a placeholder stands for outside of any pass; nil: nothing.
    public func value(of placeholder: Placeholder) -> JSONValue? {
        values(with: PassValues())[placeholder]
    }

    /// The text of a template, or nil where what it is for is not there.
    public func text(of template: Template) throws -> String? {
        try Renderer(values: values(with: PassValues())).text(template)
    }

    /// The text of a template that names columns of a row.
    public func text(of template: Template, row: [String: String]) throws -> String {
        var pass = PassValues()
        pass.row = row
        return try Renderer(values: values(with: pass)).requiredText(template)
    }

    private func values(with pass: PassValues) -> Values {
        var filled = values
        filled.secrets = credentials.secrets
        filled.pass = pass
        return filled
    }

    /// A stored address must still lead to the source: its base may have been changed since.
    private func sameOrigin(_ url: String) throws -> String {
        guard Origin(url: url) == Origin(url: base) else {
            throw RunEnd.failed(
                .rejected, "the stored next page is on another origin than the source")
        }
        return url
    }

    // MARK: Attempts

    private func send(_ request: HTTPRequest, retries: Bool) async throws -> Answer {
        var answer = try await settled(request, retries: retries)
        if dropsRefusedToken(answer) { answer = try await settled(request, retries: retries) }
        isAnswered = true
        noteTime(of: answer.response)
        return answer
    }

    /// Sends until an answer is not to be retried; its status is the caller's to judge.
    private func settled(_ request: HTTPRequest, retries: Bool) async throws -> Answer {
        let clock = RetryClock(rule: source.retry)
        var attempt = 0
        while true {
            attempt += 1
            var trouble: RetryClock.Trouble
            do {
                let answer = try await once(request)
                guard
                    let found = clock.trouble(
                        in: answer, of: requestLabel(request), retries: retries,
                        nowUnixSeconds: unixSeconds)
                else { return answer }
                trouble = found
                guard retries else { throw trouble.end }
            } catch let error as HTTPError {
                trouble = RetryClock.Trouble(end: classified(error, of: requestLabel(request)))
                guard retries, clock.retries(error) else { throw trouble.end }
            }
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            guard let wait = clock.wait(afterAttempt: attempt, asked: trouble.asked) else {
                throw trouble.end
            }
            guard ContinuousClock.now + wait < deadline else { throw trouble.putOff(by: wait) }
            try await Task.sleep(until: .now + wait, clock: .continuous)
        }
    }

    private func once(_ request: HTTPRequest) async throws -> Answer {
        try await tools.budgets.take(
            tenant: job.tenantID, source: source, isAnswered: isAnswered, until: deadline)
        return try await tools.budgets.withPlace(tenant: job.tenantID, source: source) {
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            let signed = try await signed(request)
            let response = try await tools.client.send(
                signed, deadline: min(deadline, .now + source.timeout))
            if let credential = dialect?.newCredential(in: response) {
                try credentials.replace(with: credential)
            }
            return Answer(response, from: request.url, dialect)
        }
    }

    /// One attempt: what the source replaced is stored first, then the request is signed anew.
    private func signed(_ request: HTTPRequest) async throws -> HTTPRequest {
        try await credentials.store()
        requests += 1
        guard let dialect else { return try await withAccessToken(request) }
        return try dialect.signed(request, with: secrets, unixSeconds: unixSeconds)
    }

    private var secrets: SourceSecrets { SourceSecrets(values(with: PassValues())) }

    /// Wall time by the database's clock at the claim.
    public var unixSeconds: Int {
        Int((job.claimedAt + (ContinuousClock.now - claimedAt).wholeMicroseconds) / 1_000_000)
    }

    /// The first answer's `Date` is when the run began by the source's clock.
    private func noteTime(of response: HTTPResponse) {
        guard sourceTime == nil, let date = response.header("Date"),
            let seconds = HTTPDate.unixSeconds(date)
        else { return }
        sourceTime = Int64(seconds) * 1_000_000
    }

    // MARK: Access tokens

    /// The request with an access token; unchanged where the source wants none.
    ///
    /// Throws `RunEnd.needsReauth` when the token server refuses the credential.
    private func withAccessToken(_ request: HTTPRequest) async throws -> HTTPRequest {
        guard let tokenRequest = TokenRequest(for: source.auth) else { return request }
        let key = tokenKey(tokenRequest)
        let token: String
        if let kept = tools.tokens.token(of: key) {
            token = kept
        } else {
            token = try await fetchToken(tokenRequest, key)
            // A refresh token that rotates is worth nothing until it is stored.
            try await credentials.store()
        }
        credentials.protect(Array(token.utf8))
        var request = request
        request.headers.append(HTTPHeader("Authorization", "Bearer \(token)"))
        return request
    }

    private func fetchToken(
        _ tokenRequest: TokenRequest, _ key: AccessTokens.Key
    ) async throws -> String {
        let response = try await tools.client.send(
            try tokenRequest.request(secrets), deadline: min(deadline, .now + source.timeout))
        requests += 1
        let issued = try tokenRequest.issued(by: response)
        if let name = tokenRequest.refreshToken, let next = issued.refreshToken,
            try secrets.text(ofSecret: name) != next
        {
            try credentials.replace(with: NewCredential(name: name, value: next))
        }
        tools.tokens.keep(issued.accessToken, of: key, for: issued.validity)
        return issued.accessToken
    }

    /// Drops the token that the source has answered 401 to; true when a fresh one may help.
    private func dropsRefusedToken(_ answer: Answer) -> Bool {
        guard answer.response.status == 401, let request = TokenRequest(for: source.auth) else {
            return false
        }
        let key = tokenKey(request)
        guard let token = tools.tokens.token(of: key) else { return false }
        tools.tokens.drop(token, of: key)
        return true
    }

    private func tokenKey(_ request: TokenRequest) -> AccessTokens.Key {
        AccessTokens.Key(
            tenantID: job.tenantID, userID: request.refreshToken == nil ? 0 : job.claim.userID,
            source: source.id)
    }
}
