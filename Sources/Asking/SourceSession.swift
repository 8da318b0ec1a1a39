import Basics
import HTTP
public import JSON
public import JobFiles
import Postgres
public import JobQueue
public import Reading
public import Telemetry

/// One run's conversation with its source, within the run's deadline and the source's budget.
///
/// Signs each attempt anew, tries again where the rule says so, renews access tokens, and keeps what the
/// source replaces credentials with.
public final class SourceSession {
    private let source: Source
    let base: String
    private let job: ClaimedJob
    private let tools: SourceTools
    private let deadline: ContinuousClock.Instant
    private let passesBreaker: Bool
    private let signsIn: Bool
    /// Errors may tell the beginning of an answer that is refused.
    public let quotes: Bool
    private let claimedAt: ContinuousClock.Instant
    private let activity: RunActivity

    /// What the source speaks besides plain REST; nil means nothing.
    public let dialect: (any SourceDialect)?
    /// The run's secrets.
    public let credentials: Credentials
    private let accessToken: AccessTokenHolder?
    /// A credential that serves one run at a time is this run's.
    private var holdsCredential = false
    /// What placeholders stand for in all requests of the run.
    public var values: Values
    private var sourceRequests = 0
    /// Server time of the first answer, microseconds since 1970; nil when there was none, or it told none.
    public private(set) var sourceTime: Int64?
    /// The source has answered with more than a failure that may pass.
    private var isAnswered = false

    /// Requests that were sent, those to a token server included.
    public var requests: Int { sourceRequests + (accessToken?.requests ?? 0) }

    /// Begins a conversation for a claimed job.
    ///
    /// `base` is the tenant's own address for the source; nil means the job file's. `secrets` are those that the job
    /// file names, and where it sends them. `signsIn`: a request holds one of them, so that a refusal may be of that; nil
    /// means that `auth` says so. `quotes`: errors may tell the beginning of an answer that is refused.
    public init(
        with source: Source, at base: String?, naming secrets: SecretUse, for job: ClaimedJob,
        _ tools: SourceTools, claimedAt: ContinuousClock.Instant, deadline: ContinuousClock.Instant,
        signsIn: Bool? = nil, quotes: Bool = true, passesBreaker: Bool = false,
        _ activity: RunActivity = RunActivity()
    ) {
        self.activity = activity
        self.passesBreaker = passesBreaker
        self.signsIn = signsIn ?? (source.auth != .none)
        self.quotes = quotes
        self.source = source
        self.base = base ?? source.base
        self.job = job
        self.tools = tools
        self.claimedAt = claimedAt
        self.deadline = deadline
        dialect = tools.dialect(source)
        values = Values(attributes: job.attributes, now: job.claimedAt)
        credentials = Credentials(
            of: CredentialOwner(
                tenantID: job.tenantID, userID: job.claim.userID, key: job.userKey),
            names: secrets.names, to: Destinations(of: secrets, source, at: self.base), tools.keys,
            tools.queue, deadline: deadline)
        accessToken = AccessTokenHolder(
            for: source, at: self.base, job.claim, tools, credentials, deadline: deadline)
    }

    /// Sends a declared request.
    ///
    /// `retries` false: only a source that asks for patience is asked again. `url`: a whole address that
    /// a page named, which must still lead to the source. `validator`: what the answer is asked to
    /// differ from, if it is of this very address. `rules`: what the answer is judged by, before all else but a refused
    /// credential. Throws `RunEnd`: `deferred` when the next attempt
    /// would come after the deadline or the source asked for patience (invariant 8).
    public func send(
        _ request: Request, _ pass: PassValues = PassValues(), retries: Bool, to url: String? = nil,
        validator: String? = nil, judgedBy rules: ErrorRules? = nil
    ) async throws -> Answer {
        try await send(retries: retries, judgedBy: rules) {
            try assembled(request, pass, url, validator)
        }
    }

    // What it handles is on a thread's stack so, not in the frame of each run that waits for an answer.
    @inline(never)
    private func assembled(
        _ request: Request, _ pass: PassValues, _ url: String?, _ validator: String?
    ) throws -> HTTPRequest {
        let assembly = RequestAssembly(
            source: source, base: base, renderer: Renderer(values: values(with: pass)))
        var assembled =
            try url.map { try assembly.request(request, to: try sameOrigin($0)) }
            ?? assembly.request(request)
        assembled.headers += conditions(validator, url: assembled.url)
        return assembled
    }

    /// Sends a dialect's own request; its answer may be a failure in the source's words.
    ///
    /// `retries` false: it is sent once, so that an answer is of this very attempt.
    public func send(_ request: DialectRequest, retries: Bool = true) async throws -> Answer {
        try await send(retries: retries) {
            HTTPRequest(
                method: request.body == nil ? "GET" : "POST", url: base + request.path,
                headers: [HTTPHeader("Accept", "application/json")]
                    + (request.body == nil ? [] : [HTTPHeader("Content-Type", "application/json")]),
                body: request.body?.bytes)
        }
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

    /// What an unexpected answer ends the run with, with a little of it where the job file allows that.
    public func end(ofUnexpected answer: Answer, method: String) -> RunEnd {
        if let failure = answer.failure { return failure.end }
        let excerpt =
            quotes
            ? credentials.redactor.sanitised(bytes: Array(answer.response.body.prefix(200))) : ""
        return classified(
            status: answer.response.status,
            of: requestLabel(HTTPRequest(method: method, url: answer.url, headers: [], body: nil)),
            excerpt: excerpt, form: quotes ? "" : answer.form, hasCredential: signsIn)
    }

    /// How a run ends whose list is still being made: put off, for as long as the source says, else for a little
    /// longer each time.
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

    /// What a placeholder stands for outside of any pass; nil means nothing.
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

    private func send(
        retries: Bool, judgedBy rules: ErrorRules? = nil, _ assemble: () throws -> HTTPRequest
    ) async throws -> Answer {
        let answer = try await sendUntilAnswered(retries: retries, judgedBy: rules, assemble)
        isAnswered = true
        learnClock(of: answer.response)
        return answer
    }

    // Each run that waits has this function's frame in memory. What need not wait is not inlined, so that its values stand
    // on a thread's stack.

    /// Sends until an answer is not to be retried; its status is the caller's to judge.
    ///
    /// `assemble` makes the request with the credentials as they are then.
    /// `isSigned` false: no credential goes along, and none is looked for in the answer.
    func sendUntilAnswered(
        retries: Bool, isSigned: Bool = true, judgedBy rules: ErrorRules? = nil,
        _ assemble: () throws -> HTTPRequest
    ) async throws -> Answer {
        var request = try assemble()
        let clock = RetryClock(rule: source.retry)
        var attempt = 0
        var refusals = 0
        while true {
            attempt += 1
            var trouble: RetryClock.Trouble
            do {
                var answer = try await judged(once(request, isSigned: isSigned), rules, clock)
                // Before any wait that a refusal names: another credential may need none.
                while isSigned, try await hasOtherCredential(after: answer, refusals) {
                    refusals += 1
                    request = try assemble()
                    answer = try await judged(once(request, isSigned: isSigned), rules, clock)
                }
                guard
                    let found = reasonToRetry(
                        after: answer, to: request, retries: retries, clock)
                else { return answer }
                trouble = found
                guard retries else { throw trouble.end }
            } catch let error as HTTPError {
                trouble = reasonToRetry(after: error, of: request)
                guard retries, clock.retries(error) else { throw trouble.end }
            }
            guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
            guard let wait = clock.wait(afterAttempt: attempt, asked: trouble.asked) else {
                throw trouble.end
            }
            guard ContinuousClock.now + wait < deadline else { throw trouble.putOff(by: wait) }
            try await activity.during(.awaitingRetry) {
                try await Task.sleep(until: .now + wait, clock: .continuous)
            }
        }
    }

    @inline(never)
    private func judged(_ answer: Answer, _ rules: ErrorRules?, _ clock: RetryClock) -> Answer {
        guard let rules, !rules.isEmpty else { return answer }
        var answer = answer
        answer.judge(
            by: rules,
            asksForPatience: clock.asksForPatience(answer.response, nowUnixSeconds: unixSeconds),
            nowUnixSeconds: unixSeconds)
        return answer
    }

    @inline(never)
    private func reasonToRetry(
        after answer: Answer, to request: HTTPRequest, retries: Bool, _ clock: RetryClock
    ) -> RetryClock.Trouble? {
        clock.trouble(
            in: answer, of: requestLabel(request), retries: retries, nowUnixSeconds: unixSeconds)
    }

    @inline(never)
    private func reasonToRetry(after error: HTTPError, of request: HTTPRequest)
        -> RetryClock.Trouble
    {
        RetryClock.Trouble(end: classified(error, of: requestLabel(request)))
    }

    private func once(_ request: HTTPRequest, isSigned: Bool) async throws -> Answer {
        let response = try await activity.during(.awaitingBudget) { () async throws in
            try await tools.budgets.take(
                tenant: job.tenantID, source: source, passesBreaker: passesBreaker || isAnswered,
                until: deadline)
            return try await tools.budgets.withSlot(tenant: job.tenantID, source: source) {
                guard ContinuousClock.now < deadline else { throw RunEnd.interrupted(.deadline) }
                return try await attempt(request, isSigned: isSigned)
            }
        }
        guard isSigned else { return Answer(response, to: request, nil) }
        if let credential = dialect?.newCredential(in: response) {
            try credentials.replace(with: credential)
        }
        return Answer(response, to: request, dialect)
    }

    private func attempt(_ request: HTTPRequest, isSigned: Bool) async throws -> HTTPResponse {
        guard isSigned else {
            sourceRequests += 1
            return try await activity.during(.asking) { try await download(request) }
        }
        let ready = try await activity.during(.awaitingCredential) { try await signed(request) }
        return try await activity.during(.asking) { try await answered(ready) }
    }

    /// The answer to one attempt, counted by its class.
    func answered(_ request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        request.isPublicOnly = source.reachesPublicOnly
        let began = ContinuousClock.now
        do {
            let response = try await tools.client.send(
                request, deadline: min(deadline, .now + source.timeout))
            tools.metrics.add(to: .sourceRequests, source.id, "\(response.status / 100)xx")
            tools.metrics.observe(.now - began, in: .sourceDuration, source.id)
            return response
        } catch {
            // What this process lacks says nothing of the source.
            let isOwn = if case .lacking = error { true } else { false }
            if !isOwn {
                tools.metrics.add(to: .sourceRequests, source.id, "error")
                tools.metrics.observe(.now - began, in: .sourceDuration, source.id)
            }
            throw error
        }
    }

    /// One attempt: what the source replaced is stored first, then the request is signed anew.
    private func signed(_ request: HTTPRequest) async throws -> HTTPRequest {
        try await credentials.store()
        guard let dialect else {
            guard let accessToken else {
                sourceRequests += 1
                return request
            }
            var request = request
            try await accessToken.sign(&request, nowUnixSeconds: unixSeconds) { secrets }
            sourceRequests += 1
            return request
        }
        if let name = dialect.rotatingSecret { try await holdCredential(name) }
        sourceRequests += 1
        return try dialect.signed(request, with: secrets, unixSeconds: unixSeconds)
    }

    private var secrets: SourceSecrets { SourceSecrets(values(with: PassValues())) }

    /// Wall time by the database's clock at the claim.
    public var unixSeconds: Int {
        Int((job.claimedAt + (ContinuousClock.now - claimedAt).wholeMicroseconds) / 1_000_000)
    }

    /// The first answer's `Date` is when the run began by the source's clock.
    private func learnClock(of response: HTTPResponse) {
        guard sourceTime == nil, let date = response.header("Date"),
            let seconds = HTTPDate.unixSeconds(date)
        else { return }
        sourceTime = Int64(seconds) * 1_000_000
    }

    // MARK: Credentials

    /// Waits until no other run uses a credential that each answer replaces, and takes it as it is then.
    ///
    /// Two runs that send the same one make each other's worthless. The turn ends with the run.
    private func holdCredential(_ name: String) async throws {
        guard !holdsCredential, let secret = credentials.known([name]).first else { return }
        let claim = job.claim.fence == 0 ? nil : job.claim
        let credential = RenewedCredential(
            tenantID: job.tenantID, userID: secret.userID, name: name)
        let (lease, stored) = try await CredentialTurn(name: name, deadline: deadline).wait {
            let answer = try await tools.queue.leaseCredential(
                credential, refused: nil, for: deadline - .now + .seconds(10), claim: claim,
                deadline: deadline)
            return answer.lease.map { ($0, answer.secrets) }
        }
        holdsCredential = true
        if claim == nil {
            credentials.ending = .endRenewal(of: credential, lease: lease, accessToken: nil)
        }
        try await credentials.adopt(stored)
    }

    /// Whether a request that the source refused may go with another credential, which it takes up.
    ///
    /// An access token is renewed once; a secret is looked at again, since a person or another run may
    /// have stored another one meanwhile.
    private func hasOtherCredential(after answer: Answer, _ refusals: Int) async throws -> Bool {
        guard answer.isRefusal, refusals < 3 else { return false }
        if let accessToken {
            return refusals == 0 && answer.response.status == 401 && accessToken.dropRefused()
        }
        return try await activity.during(.awaitingDatabase) { try await credentials.readAgain() }
    }
}
