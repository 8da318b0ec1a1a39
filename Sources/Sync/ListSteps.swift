import Asking
import JSON
import JobFiles
import JobQueue
import Postgres
import Reading
import Telemetry
import Writing

/// What follows at the source from changes of lists: they are kept in a record there, or numbers go up.
///
/// A step is taken when its lists are not as they were when it last succeeded, and remembered with their hash.
struct ListSteps {
    /// A record that others change at the same time is tried so often; then the next run goes on.
    static let roundsMax = 8

    let context: RunContext

    init(_ context: RunContext) { self.context = context }

    /// Whether any list has changed since its step was last taken.
    var hasChanges: Bool {
        context.inputs.file.listSteps.contains { action in
            action.listMemory.map { remembered($0.name) != hash(of: $0.lists) } ?? false
        }
    }

    func store(_ step: StoredLists) async throws {
        guard let dialect = dialect(for: .storeLists(step)) else { return }
        let place = RecordPlace(recordType: step.recordType)
        guard let name = try context.session.text(of: step.recordName) else {
            throw RunEnd.failed(.malformed, "store_lists: the record has no name")
        }
        for _ in 1...Self.roundsMax {
            // The lists are read after the record's tag: a writer that has read older ones meets another tag.
            let found = try await exchange(dialect.lookupRequest([name], in: place))
            guard let record = dialect.lookedUp(found)[name] else {
                throw RunEnd.failed(
                    .rejected, "store_lists: record \(name) could not be looked up")
            }
            let sent = try await lists(of: step)
            let action = record.flatMap { dialect.changeTag(of: $0) }
                .map { PushOperation.Action.update(changeTag: $0) }
            let operation = PushOperation(
                action: action ?? .create, recordName: name, fields: sent.map(\.field))
            let answer = try await exchange(dialect.pushRequest([operation], to: place))
            switch try dialect.pushResults(answer, of: [operation])[0] {
            case .saved:
                try await markSent(sent)
                context.progress.remember(
                    AfterStep.Action.storeLists(step).memoryName,
                    listHash: joined(sent.map(\.hash)))
                return
            case .conflict, .gone, .deleted: continue
            case .failed(let failure): throw context.end(by: failure, in: "store_lists")
            }
        }
        throw Self.changedAgain("store_lists")
    }

    /// Others change the same records all the time: the run is put off for a little.
    static func changedAgain(_ step: String) -> RunEnd {
        .deferred(
            .notReady, message: "\(step): a record was changed by others again and again",
            wait: .zero)
    }

    /// A list on its way to its field.
    private struct SentList {
        var list: String
        var items: [String]
        var hash: String
        var field: PushField
    }

    private func lists(of step: StoredLists) async throws -> [SentList] {
        var lists: [SentList] = []
        for field in step.fields {
            let (items, hash) = try await items(of: field.list)
            let texts = JSONValue.array(items.map { .string($0) }).text
            let value = PushField(
                name: field.name, kind: .json, value: items.isEmpty ? nil : .json(texts))
            lists.append(SentList(list: field.list, items: items, hash: hash, field: value))
        }
        return lists
    }

    /// Of lists of which the application knows more than the ids, the items are marked that the source has now.
    private func markSent(_ lists: [SentList]) async throws {
        let marks = lists.compactMap { sent in
            context.inputs.file.list(named: sent.list).flatMap { list in
                list.columns.isEmpty
                    ? nil
                    : ListColumn(table: list.table, column: list.column)
                        .markSent(sent.items, of: context.inputs.job.claim)
            }
        }
        if !marks.isEmpty { _ = try await context.sink.run(marks, counts: false) }
    }

    // MARK: What both steps need

    /// The dialect that takes a step whose lists have changed; nil when there is nothing to do.
    func dialect(for action: AfterStep.Action) -> (any SourceDialect)? {
        guard let memory = action.listMemory, let dialect = context.session.dialect,
            remembered(memory.name) != hash(of: memory.lists),
            !context.sink.withholds(memory.name)
        else { return nil }
        return dialect
    }

    func exchange(
        _ request: DialectRequest, retries: Bool = true
    ) async throws -> JSONDocument {
        let answer = try await context.session.send(request, retries: retries)
        if let failure = answer.failure { throw failure.end }
        return try answer.document()
    }

    func items(of list: String) async throws -> (items: [String], hash: String) {
        guard let declared = context.inputs.file.list(named: list) else { return ([], "") }
        return try await context.ask {
            try await $0.listItems(
                user: context.inputs.job.claim.userID,
                in: ListColumn(table: declared.table, column: declared.column))
        }
    }

    /// Before a step's first success the source knows of no item.
    private func remembered(_ name: String) -> String {
        context.inputs.job.calls.first { $0.call == name }?.listHash ?? ""
    }

    /// Stands for the items when the job was claimed; empty: there are none.
    private func hash(of lists: [String]) -> String {
        joined(lists.map { context.inputs.lists[$0]?.hash ?? "" })
    }

    /// What is remembered of lists with these hashes; of empty ones what is remembered of none.
    private func joined(_ hashes: [String]) -> String {
        hashes.allSatisfy(\.isEmpty) ? "" : hashes.joined(separator: " ")
    }
}

extension AfterStep.Action {
    /// The name under which a step's success is remembered.
    var memoryName: String {
        switch self {
        case .storeLists(let step): "store_lists:\(step.recordType)"
        case .raiseCounts(let step): "raise_counts:\(step.list)"
        case .call, .cleanup: ""
        }
    }

    /// The lists that a step follows, with the name of what is remembered of it; nil when it follows none.
    var listMemory: (name: String, lists: [String])? {
        switch self {
        case .storeLists(let step): (memoryName, step.fields.map(\.list))
        case .raiseCounts(let step): (memoryName, [step.list])
        case .call, .cleanup: nil
        }
    }
}

extension RunContext {
    /// How a run ends that a source refused one record; a wait it names puts the run off.
    func end(by failure: RecordFailure, in step: String) -> RunEnd {
        let text = redactor.sanitised(
            "\(step): record \(failure.record): \(failure.code): \(failure.reason)")
        guard let wait = failure.wait else { return .failed(.rejected, text) }
        return .deferred(.rateLimited, message: text, wait: wait)
    }
}
