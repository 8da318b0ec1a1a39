import HTTP
import JSON
import JobFile
import Queue
import Telemetry

// The steps before the entities: named calls, their conditions, what is remembered of them.
extension Run {
    func takeSteps() async throws {
        for step in inputs.file.before {
            guard case .call(let name) = step.action, let call = inputs.file.call(named: name)
            else { continue }
            guard try holds(step.ifAny, for: call.name), !isTooSoon(call) else { continue }
            try await make(call)
        }
    }

    /// Makes a call whatever its conditions; a failure is a warning where the call says so.
    func make(_ call: Call) async throws {
        if let list = call.skipIfEmpty, inputs.lists[list]?.count ?? 0 == 0 { return }
        let hash = try await loadLists(of: call)
        do {
            let answer = try await exchange(call.request, retries: call.retries)
            guard call.expect.contains(answer.response.status) else {
                throw unexpected(answer, call.request.method)
            }
            values.answers[call.name] = try? JSONDocument(parsing: answer.response.body)
            guard inputs.file.asks(about: call) else { return }
            pendingCalls.removeAll { $0.call == call.name }
            pendingCalls.append(PendingCall(call: call.name, listHash: hash))
        } catch {
            let end = classified(error)
            guard call.onFailure == .warn, isOrdinary(end) else { throw error }
            let text = redactor.sanitised(end.message ?? end.word)
            services.log.emit(.callWarned(subject, call: call.name, error: text))
        }
    }

    /// A warning is for what the source did, never for a deadline, a stop or a lost claim.
    private func isOrdinary(_ end: RunEnd) -> Bool {
        switch end {
        case .interrupted, .lost: false
        default: ContinuousClock.now < deadline && !Task.isCancelled
        }
    }

    /// Loads the lists a call sends; the hash of the one it guards stands for exactly these items.
    private func loadLists(of call: Call) async throws -> String? {
        var hash: String?
        for list in inputs.file.lists where call.request.sends(list.name) {
            let place = ListPlace(table: list.table, column: list.column)
            let loaded = try await services.queue.listItems(
                user: inputs.job.claim.userID, in: place)
            values.lists[list.name] = loaded.items
            hash = loaded.hash
        }
        return hash
    }

    func holds(_ conditions: [Condition], for call: String) throws -> Bool {
        guard !conditions.isEmpty else { return true }
        return try conditions.contains { try holds($0, for: call) }
    }

    private func holds(_ condition: Condition, for call: String) throws -> Bool {
        let memory = inputs.job.calls.first { $0.call == call }
        switch condition {
        case .equals(let template, let expected):
            guard let lone = template.lonePlaceholder else {
                return try Renderer(values: values).text(template).map(JSONValue.string) == expected
            }
            return values[lone] == expected
        case .neverSucceeded(let name): return !inputs.job.calls.contains { $0.call == name }
        case .listChanged(let list): return memory?.listHash != inputs.lists[list]?.hash
        case .tableEmpty(let table): return inputs.emptyTables.contains(table)
        }
    }

    /// `min_gap` (MH28); a forced run ignores it.
    private func isTooSoon(_ call: Call) -> Bool {
        guard let gap = call.minGap, !inputs.job.isForced,
            let memory = inputs.job.calls.first(where: { $0.call == call.name })
        else { return false }
        return memory.age + (ContinuousClock.now - inputs.claimedAt) < gap
    }
}

// Requests of this run.
extension Run {
    /// Sends a declared request with this run's values.
    func exchange(_ request: Request, retries: Bool, to url: String? = nil) async throws -> Answer {
        let assembly = RequestAssembly(
            source: inputs.file.source, base: inputs.base ?? inputs.file.source.base,
            renderer: Renderer(values: values))
        let assembled =
            try url.map { try assembly.request(request, to: $0) } ?? assembly.request(request)
        let started = inputs.claimedAt
        let claimed = inputs.claimedAtMicroseconds
        let exchange = Exchange(
            client: services.client, budgets: services.budgets, source: inputs.file.source,
            tenantID: inputs.job.tenantID, deadline: deadline, isAnswered: isAnswered,
            unixSeconds: {
                Int((claimed + (ContinuousClock.now - started).microseconds) / 1_000_000)
            })
        let answer = try await exchange.send(assembled, retries: retries) { requests += 1 }
        isAnswered = true
        noteTime(of: answer.response)
        return answer
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
        let excerpt = redactor.sanitised(bytes: Array(answer.response.body.prefix(200)))
        let isSignedIn = inputs.file.source.auth != .none
        return classified(
            status: answer.response.status,
            of: label(HTTPRequest(method: method, url: answer.url, headers: [], body: nil)),
            excerpt: excerpt, hasCredential: isSignedIn)
    }
}

extension JobFile {
    /// Whether any rule looks at a call's last success: else remembering it would cost every run a row.
    fileprivate func asks(about call: Call) -> Bool {
        call.minGap != nil
            || before.contains { step in
                step.ifAny.contains { condition in
                    switch condition {
                    case .neverSucceeded(let name): name == call.name
                    case .listChanged: step.action == .call(call.name)
                    case .equals, .tableEmpty: false
                    }
                }
            }
    }
}

extension Request {
    /// Whether a list's items go out with this request.
    func sends(_ list: String) -> Bool {
        let templates = [path] + query.map(\.value) + headers.map(\.value)
        return templates.contains { $0.names(list) } || (body?.names(list) ?? false)
    }
}

extension Template {
    fileprivate func names(_ list: String) -> Bool { pieces.contains(.placeholder(.list(list))) }
}

extension BodyTemplate {
    fileprivate func names(_ list: String) -> Bool {
        switch self {
        case .literal: false
        case .text(let template): template.names(list)
        case .array(let elements): elements.contains { $0.names(list) }
        case .object(let members): members.contains { $0.value.names(list) }
        case .when(_, let body): body.names(list)
        }
    }
}
