import Basics
import Asking
import HTTP
import JobFiles
import JSON
import Postgres
import JobQueue
import Reading
import Telemetry
import Writing

/// The named calls and the preset's steps of a job file: when they are made, and what is remembered of
/// them.
struct Calls {
    private let context: RunContext

    init(_ context: RunContext) { self.context = context }

    private var inputs: RunInputs { context.inputs }
    private var session: SourceSession { context.session }

    /// The steps before the entities.
    func takeFirstSteps() async throws {
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

    /// The steps after the entities, all of which were read to their ends.
    func takeLastSteps() async throws {
        for step in inputs.file.after
        where step.onlyIf == .complete || context.progress.changed > 0 {
            switch step.action {
            case .call(let name):
                guard let call = inputs.file.call(named: name), !isTooSoon(call) else { continue }
                try await make(call)
            case .cleanup(let table, let by, let span):
                try await cleanUp(table, by: by, olderThan: span)
            case .storeLists(let step): try await ListSteps(context).store(step)
            case .raiseCounts(let step): try await CountRaising(step, context)?.raise()
            }
        }
    }

    // MARK: The preset's steps

    /// A step of the preset; one that is remembered is not taken again.
    private func take(_ step: PresetStep, isAnew: Bool = false) async throws {
        guard session.dialect != nil else { return }
        if step.makesSomething, context.sink.withholds(step.memoryName) { return }
        let memory = inputs.job.calls.first { $0.call == step.memoryName }
        if !isAnew, step.isRemembered, let memory, memory.age < .seconds(100 * 365 * 86_400) {
            return
        }
        if !isAnew, case .ensureZone(let zone, _) = step, DeletedZones(context).wasRead(zone) {
            return
        }
        let result = try await session.take(step, remembered: memory?.listHash)
        guard step.isRemembered else { return }
        try session.credentials.checkHoldNone(result, "what is remembered of \(step.memoryName)")
        context.progress.remember(step.memoryName, listHash: result)
    }

    /// Makes a zone that is missing, whatever is remembered of it, and has what was in it sent again.
    ///
    /// Throws `RunEnd` zone_gone where its user deleted it, and no repair was asked for.
    ///
    /// The rows are marked, and readers told, before the zone is there, so that a run that dies in between finds it missing
    /// once more.
    func createZone(of entity: Entity) async throws {
        guard let zone = entity.cloudkit?.feed?.zone else { return }
        try await DeletedZones(context).leaveDeleted(zone, of: entity)
        let claim = inputs.job.claim
        let lost = inputs.file.entities.filter {
            $0.push != nil && $0.cloudkit?.feed?.zone == zone
        }
        let told =
            inputs.file.events.contains(.zones)
            ? [ToldEvents(of: entity.name, for: claim).zoneMade(zone)] : []
        let statements = lost.map { $0.sendAgainStatement(for: claim) } + told
        if !statements.isEmpty {
            _ = try await context.sink.run(statements, counts: false)
        }
        context.progress.sendsAgain.formUnion(lost.map(\.name))
        try await take(.ensureZone(zone, isRemembered: false), isAnew: true)
    }

    // MARK: Calls

    /// Makes a call whatever its conditions; a failure is a warning where the call says so.
    func make(_ call: Call) async throws {
        guard hasSomethingToSend(call) else { return }
        if call.request.method != "GET",
            context.sink.withholds("call \(call.name) (\(call.request.method))")
        {
            return
        }
        let hash = try await loadLists(of: call)
        do {
            let answer = try await session.send(call.request, retries: call.retries)
            guard call.request.expect.contains(answer.response.status) else {
                throw session.end(ofUnexpected: answer, method: call.request.method)
            }
            session.values.answers[call.name] = try? JSONDocument(parsing: answer.response.body)
            try await markSent(by: call)
            guard inputs.file.asks(about: call) else { return }
            context.progress.remember(call.name, listHash: hash)
        } catch {
            let end = classified(error)
            guard call.onFailure == .warn, isOrdinary(end) else { throw error }
            let text = context.redactor.sanitised(end.message ?? end.errorKind)
            context.services.log.emit(
                .callWarned(context.subject, call: call.name, error: text))
        }
    }

    /// A call that sends a list is not made while the list is empty.
    func hasSomethingToSend(_ call: Call) -> Bool {
        guard let list = call.skipIfEmpty else { return true }
        return inputs.lists[list]?.count ?? 0 > 0
    }

    /// A warning is for what the source did, never for a deadline, a stop or a lost claim.
    private func isOrdinary(_ end: RunEnd) -> Bool {
        switch end {
        case .interrupted, .lost: false
        default: ContinuousClock.now < context.deadline && !Task.isCancelled
        }
    }

    /// Loads the lists a call sends; the hash of the one it guards stands for exactly these items.
    private func loadLists(of call: Call) async throws -> String? {
        var hash: String?
        for list in inputs.file.lists where call.request.sends(list.name) {
            let column = ListColumn(table: list.table, column: list.column)
            let loaded = try await context.ask {
                try await $0.listItems(user: inputs.job.claim.userID, in: column)
            }
            session.values.lists[list.name] = loaded.items
            hash = loaded.hash
        }
        return hash
    }

    /// Of lists of which the application knows more than the ids, the items are marked that the source has now.
    private func markSent(by call: Call) async throws {
        for list in inputs.file.lists where !list.columns.isEmpty && call.request.sends(list.name) {
            guard let items = session.values.lists[list.name] else { continue }
            let column = ListColumn(table: list.table, column: list.column)
            _ = try await context.sink.run(
                [column.markSent(items, of: inputs.job.claim)], counts: false)
        }
    }

    // MARK: Conditions

    /// Whether any of the conditions holds for a call or an entity of that name; none asked always does.
    func holds(_ conditions: [Condition], for name: String) throws -> Bool {
        guard !conditions.isEmpty else { return true }
        return try conditions.contains { try holds($0, for: name) }
    }

    private func holds(_ condition: Condition, for name: String) throws -> Bool {
        let memory = inputs.job.calls.first { $0.call == name }
        switch condition {
        case .equals(let template, let expected):
            guard let lone = template.lonePlaceholder else {
                return try session.text(of: template).map(JSONValue.string) == expected
            }
            return session.value(of: lone) == expected
        case .neverSucceeded(let name): return !inputs.job.calls.contains { $0.call == name }
        case .listChanged(let list): return memory?.listHash != inputs.lists[list]?.hash
        case .tableEmpty(let table): return inputs.emptyTables.contains(table)
        }
    }

    /// `min_gap`; a forced run ignores it.
    private func isTooSoon(_ call: Call) -> Bool {
        guard let gap = call.minGap, !inputs.job.isForced,
            let memory = inputs.job.calls.first(where: { $0.call == call.name })
        else { return false }
        return memory.age + (ContinuousClock.now - inputs.claimedAt) < gap
    }

    // MARK: Cleaning up

    /// Deletes rows that have become too old; ones that come again are not written (`AgeTest`).
    private func cleanUp(_ table: String, by column: String, olderThan span: Duration) async throws
    {
        guard let entity = inputs.file.entities.first(where: { $0.write.table == table }) else {
            return
        }
        let delete = Cleanup(of: entity, by: column).statement(
            for: inputs.job.claim,
            before: inputs.claimedAtMicroseconds - span.wholeMicroseconds)
        context.progress.changed += try await context.sink.delete(delete, of: table)
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
