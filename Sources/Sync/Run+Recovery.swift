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
            recovery.beginsAnew
            ? inThisRun[recovery.name] ?? 0 : onThisPage[recovery.name] ?? 0
        guard used < recovery.times else { return false }
        onThisPage[recovery.name, default: 0] += 1
        inThisRun[recovery.name, default: 0] += 1
        return true
    }
}

// Declared recovery: a condition, named steps, and what comes after them (MH12–MH16).
extension Run {
    /// Recovers from an answer that is no page, so that the request may be repeated or the pass has
    /// ended; else throws.
    ///
    /// It takes no retry attempt (MH15). A step that fails is what the run fails of (MH16). A pass
    /// ends so only behind a page: a first page that is not there is no list at all.
    func recover(
        _ entity: Entity, from answer: Answer, _ counts: inout RecoveryCounts, mayEndPass: Bool
    ) async throws -> Recovery.Then {
        let end = unexpected(answer, entity.request.method)
        guard let recovery = entity.recover.first(where: { $0.isFor(answer) }) else { throw end }
        let spent = RunEnd.failed(word: recovery.name, message: end.message ?? recovery.name)
        if recovery.then == .endPass, mayEndPass { return .endPass }
        guard [.retryRequest, .fullPass].contains(recovery.then), counts.use(recovery),
            canTake(recovery.steps),
            rehearsal == nil || recovery.steps.allSatisfy({ $0 == .forgetToken })
        else {
            throw spent
        }
        for step in recovery.steps {
            switch step {
            case .call(let name):
                if let call = inputs.file.call(named: name) { try await make(call) }
            case .createZone: try await createZone(of: entity)
            case .forgetToken: break
            }
        }
        if recovery.beginsAnew { throw FullPassNeeded() }
        return recovery.then
    }

    /// The zone was deleted behind our back, whatever is remembered of it (MS6).
    func createZone(of entity: Entity) async throws {
        guard case .zoneChanges(let zone, _)? = entity.cloudkit else { return }
        try await take(.ensureZone(zone, isRemembered: false), isAnew: true)
    }

    /// Without anything to send, a step can't help: the error stays what it was (MH14).
    private func canTake(_ steps: [Recovery.Step]) -> Bool {
        inputs.file.calls.allSatisfy { call in
            guard steps.contains(.call(call.name)), let list = call.skipIfEmpty else { return true }
            return inputs.lists[list]?.count ?? 0 > 0
        }
    }
}

extension Recovery {
    /// The pass starts over: a forgotten token leaves no other way.
    var beginsAnew: Bool { then == .fullPass || steps.contains(.forgetToken) }

    /// Any of its conditions holds of what the source answered.
    func isFor(_ answer: Answer) -> Bool {
        guard let failure = answer.failure else {
            return statuses.contains(answer.response.status)
        }
        return statuses.contains(answer.response.status)
            || failure.code.map(codes.contains) ?? false
            || reasonHas.contains { failure.reason.contains(words: $0) }
    }
}

extension String {
    /// Whether it holds the words, upper and lower case being the same.
    fileprivate func contains(words: String) -> Bool {
        let text = Array(lowercased().utf8)
        let sought = Array(words.lowercased().utf8)
        guard !sought.isEmpty, text.count >= sought.count else { return false }
        return (0...text.count - sought.count).contains { start in
            text[start..<start + sought.count].elementsEqual(sought)
        }
    }
}
