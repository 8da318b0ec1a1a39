import HTTP
import JSON
import JobFile
import Postgres
import Queue
import Telemetry

// The steps before the entities: named calls, their conditions, what is remembered of them.
extension Run {
    func takeSteps() async throws {
        for step in inputs.file.before {
            switch step.action {
            case .call(let name):
                guard let call = inputs.file.call(named: name),
                    try holds(step.ifAny, for: name), !isTooSoon(call)
                else { continue }
                try await make(call)
            case .preset(let preset): try await take(preset)
            }
        }
    }

    /// A step of the preset; one that is remembered is not taken again (MS5).
    func take(_ step: PresetStep, isAnew: Bool = false) async throws {
        guard let dialect else { return }
        if let rehearsal, step.makesSomething {
            return rehearsal.note(unsent: step.memoryName)
        }
        let memory = inputs.job.calls.first { $0.call == step.memoryName }
        if !isAnew, step.isRemembered, let memory, memory.age < .seconds(100 * 365 * 86_400) {
            return
        }
        let result = try await dialect.take(step, remembered: memory?.listHash) { request in
            do {
                return try await exchange(request)
            } catch let refusal as SourceRefusal {
                throw refusal.failure.end
            }
        }
        guard step.isRemembered else { return }
        pendingCalls.removeAll { $0.call == step.memoryName }
        pendingCalls.append(PendingCall(call: step.memoryName, listHash: result))
    }

    /// The steps after the entities, all of which were read to their ends (ST23).
    func takeLastSteps() async throws {
        for step in inputs.file.after where step.onlyIf == .complete || counts.changed > 0 {
            switch step.action {
            case .call(let name):
                guard let call = inputs.file.call(named: name), !isTooSoon(call) else { continue }
                try await make(call)
            case .cleanup(let table, let by, let span):
                try await cleanUp(table, by: by, olderThan: span)
            }
        }
    }

    /// Deletes rows that have become too old; ones that come again are not written (`AgeTest`).
    private func cleanUp(_ table: String, by column: String, olderThan span: Duration) async throws
    {
        guard let entity = inputs.file.entities.first(where: { $0.write.table == table }) else {
            return
        }
        let claim = inputs.job.claim
        let delete = Statement(
            """
            with old as (
              delete from synced.\(quoted(table)) as t
              where t.user_id = $1 and t.\(quoted(column)) < $5 and t.synced
              returning true
            ), counted as (
              select count(*) as rows from old
            )
            select c.rows, c.rows = 0 or jobrunner.note_push($1, $2, $3, $4, 0, 0, c.rows) from counted as c
            """, .int8(claim.userID), .text(claim.name), .text(entity.name), .int8(claim.fence),
            .timestamptz(inputs.claimedAtMicroseconds - span.microseconds))
        if let rehearsal { return rehearsal.keep(cleanup: delete, of: table) }
        mayHaveCommitted = true
        let rows = try await services.queue.turn([claim.holdStatement, delete], deadline: deadline)
        counts.changed += try rows[1].only().int("rows")
    }

    /// Makes a call whatever its conditions; a failure is a warning where the call says so.
    func make(_ call: Call) async throws {
        if let list = call.skipIfEmpty, inputs.lists[list]?.count ?? 0 == 0 { return }
        if let rehearsal, call.request.method != "GET" {
            return rehearsal.note(unsent: "call \(call.name) (\(call.request.method))")
        }
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

extension PresetStep {
    /// The name under which its success is remembered.
    fileprivate var memoryName: String {
        switch self {
        case .ensureZone(let zone, _): "cloudkit.ensure_zone:\(zone)"
        case .checkAccount: "cloudkit.check_account"
        }
    }

    /// It asks the source for more than an answer.
    fileprivate var makesSomething: Bool {
        if case .ensureZone = self { true } else { false }
    }

    fileprivate var isRemembered: Bool {
        if case .ensureZone(_, let isRemembered) = self { isRemembered } else { true }
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
