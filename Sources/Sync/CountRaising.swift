import Asking
import JSON
import JobFiles
import JobQueue
import Postgres
import Reading
import Writing

/// Raises a number in each item's record by one for this user, however often it is sent.
///
/// `raise_counts` notes in the database what is about to be written over which version of the record, before it is
/// sent with that version's tag. So a lost answer, a killed worker or many users at once lead to one more for each
/// user.
struct CountRaising {
    private let steps: ListSteps
    private let context: RunContext
    private let dialect: any SourceDialect
    private let step: RaisedCounts

    /// Nil when the list has not changed since all of its items were counted.
    init?(_ step: RaisedCounts, _ context: RunContext) {
        steps = ListSteps(context)
        guard let dialect = steps.dialect(for: .raiseCounts(step)) else { return nil }
        self.context = context
        self.dialect = dialect
        self.step = step
    }

    /// Raises what is not known to have arrived.
    ///
    /// Throws `RunEnd` when the source refuses a record, after all others were raised.
    func raise() async throws {
        let (items, hash) = try await steps.items(of: step.list)
        let open = try await context.ask {
            try await $0.unraised(
                items, field, in: source, by: context.inputs.job.claim.userID)
        }
        var failures: [RecordFailure] = []
        var areLater = false
        for start in stride(from: 0, to: open.count, by: CloudKitAddress.batchMax) {
            var left = Array(open[start..<min(start + CloudKitAddress.batchMax, open.count)])
            var refused: [String] = []
            for _ in 1...ListSteps.roundsMax where !left.isEmpty {
                let met = try await attempt(left, after: refused, &failures, &areLater)
                (left, refused) = (met.records, met.refused)
            }
            areLater = areLater || !left.isEmpty
        }
        if let failure = failures.first(where: { $0.wait != nil }) ?? failures.first {
            throw context.end(by: failure, in: "raise_counts")
        }
        if areLater { throw ListSteps.changedAgain("raise_counts") }
        context.progress.remember(AfterStep.Action.raiseCounts(step).memoryName, listHash: hash)
    }

    private var place: RecordPlace { RecordPlace(recordType: step.recordType) }
    private var source: String { context.inputs.file.source.id }
    private var field: String { "\(step.recordType).\(step.field)" }

    /// Records that somebody else has written over meanwhile.
    private struct Met {
        var records: [String]
        /// Of them those that have refused the only attempt that was ever made over their version: the number surely
        /// is not in them.
        var refused: [String]
    }

    /// One round over some records; returns those that met another version.
    private func attempt(
        _ names: [String], after refused: [String], _ failures: inout [RecordFailure],
        _ areLater: inout Bool
    ) async throws -> Met {
        let seen = try await seenNumbers(names, &failures)
        let answer = try await answer(to: seen.there, after: refused)
        areLater = areLater || answer.areLater
        var arrived = seen.gone
        var met: [String] = []
        if !answer.operations.isEmpty {
            // Sent once: after a lost answer only the tag can tell whether it has arrived.
            let document = try await steps.exchange(
                dialect.pushRequest(answer.operations, to: place), retries: false)
            let results = try dialect.pushResults(document, of: answer.operations)
            for (operation, result) in zip(answer.operations, results) {
                switch result {
                case .saved, .gone, .deleted: arrived.append(operation.recordName)
                case .conflict: met.append(operation.recordName)
                case .failed(let failure): failures.append(failure)
                }
            }
        }
        if !arrived.isEmpty {
            _ = try await context.sink.run(
                [context.inputs.job.claim.markRaised(arrived, field, in: source)], counts: false)
        }
        return Met(
            records: met, refused: met.filter { answer.first.contains($0) })
    }

    /// What the records hold, and those that are gone, in which there is nothing to raise.
    private func seenNumbers(
        _ names: [String], _ failures: inout [RecordFailure]
    ) async throws -> (there: [SeenNumber], gone: [String]) {
        let answer = try await steps.exchange(dialect.lookupRequest(names, in: place))
        let records = dialect.lookedUp(answer)
        var there: [SeenNumber] = []
        var gone: [String] = []
        for name in names {
            switch records[name] {
            case .some(nil): gone.append(name)
            case .some(let record?):
                if let seen = dialect.number(step.field, of: record) {
                    there.append(SeenNumber(record: name, tag: seen.tag, number: seen.number))
                } else {
                    failures.append(
                        refusal(of: name, "\(step.field) holds something that is no whole number"))
                }
            case nil: failures.append(refusal(of: name, "the record could not be looked up"))
            }
        }
        return (there, gone)
    }

    private func refusal(of record: String, _ reason: String) -> RecordFailure {
        RecordFailure(code: "UNCOUNTED", reason: reason, record: record, wait: nil)
    }

    /// What is to be written, after it is noted; what has arrived already is not.
    private func answer(
        to seen: [SeenNumber], after refused: [String]
    ) async throws -> Answer {
        guard !seen.isEmpty else { return Answer() }
        let raise = context.inputs.job.claim.raise(seen, refused: refused, field, in: source)
        let rows = try await context.sink.run([raise], counts: false)[0]
        let tags = Dictionary(seen.map { ($0.record, $0.tag) }, uniquingKeysWith: { $1 })
        var answer = Answer()
        for row in rows {
            let record = try row.text("record")
            guard let number = try row.optionalInt("number"), let tag = tags[record] else {
                answer.areLater = try answer.areLater || !row.bool("is_there")
                continue
            }
            if try row.bool("is_first") { answer.first.insert(record) }
            answer.operations.append(
                PushOperation(
                    action: .update(changeTag: tag), recordName: record,
                    fields: [
                        PushField(name: step.field, kind: .int, value: .int(Int64(number)))
                    ]))
        }
        return answer
    }

    /// What is to be done about some records.
    private struct Answer {
        var operations: [PushOperation] = []
        /// Those of which nothing was ever sent over the version that was seen.
        var first: Set<String> = []
        /// Of some it can't be told yet.
        var areLater = false
    }
}
