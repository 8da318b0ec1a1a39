import HTTP
import JobFile
import Queue

/// Thrown where a recovery asks for the pass to begin again.
struct FullPassNeeded: Error {}

/// How often each recovery has been used: per page request, and a full pass per run.
struct RecoveryCounts {
    private var onThisPage: [String: Int] = [:]
    private var inThisRun: [String: Int] = [:]

    mutating func beginPage() {
        onThisPage = [:]
    }

    /// Counts a use; false when the recovery is spent (MH13).
    mutating func use(_ recovery: Recovery) -> Bool {
        let used =
            recovery.then == .fullPass
            ? inThisRun[recovery.name] ?? 0 : onThisPage[recovery.name] ?? 0
        guard used < recovery.times else { return false }
        onThisPage[recovery.name, default: 0] += 1
        inThisRun[recovery.name, default: 0] += 1
        return true
    }
}

// Declared recovery: a condition, named steps, and what comes after them (MH12–MH16).
extension Run {
    /// Recovers from an answer that is no page, so that the request may be repeated; else throws.
    ///
    /// It takes no retry attempt (MH15). A step that fails is what the run fails of (MH16).
    func recover(
        _ entity: Entity, from answer: Answer, _ counts: inout RecoveryCounts
    ) async throws {
        let end = unexpected(answer, entity.request.method)
        let status = answer.response.status
        guard let recovery = entity.recover.first(where: { $0.statuses.contains(status) }) else {
            throw end
        }
        let spent = RunEnd.failed(word: recovery.name, message: end.message ?? recovery.name)
        guard recovery.then != .fail, counts.use(recovery), canTake(recovery.steps) else {
            throw spent
        }
        for step in recovery.steps {
            guard case .call(let name) = step, let call = inputs.file.call(named: name) else {
                continue
            }
            try await make(call)
        }
        if recovery.then == .fullPass { throw FullPassNeeded() }
    }

    /// Without anything to send, a step can't help: the error stays what it was (MH14).
    private func canTake(_ steps: [Recovery.Step]) -> Bool {
        inputs.file.calls.allSatisfy { call in
            guard steps.contains(.call(call.name)), let list = call.skipIfEmpty else { return true }
            return inputs.lists[list]?.count ?? 0 > 0
        }
    }
}
