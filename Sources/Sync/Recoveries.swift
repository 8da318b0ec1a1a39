import Asking
import HTTP
import JobFiles
import JobQueue
import Writing

/// How often each recovery has been used: per page request, and a full pass per run.
struct RecoveryCounts {
    private var onThisPage: [String: Int] = [:]
    private var inThisRun: [String: Int] = [:]

    mutating func beginPage() { onThisPage = [:] }

    /// Counts a use; false when the recovery is spent.
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

/// Declared recoveries of one pass: a condition, named steps, and what comes after them.
struct Recoveries {
    /// What follows an answer that is no page.
    enum Next {
        /// The request is sent again.
        case retryRequest
        /// The pass starts over and reads everything.
        case beginAnew
    }

    private let context: RunContext
    private let calls: Calls
    private let entity: Entity
    private var counts = RecoveryCounts()

    init(of entity: Entity, _ context: RunContext, _ calls: Calls) {
        self.entity = entity
        self.context = context
        self.calls = calls
    }

    mutating func beginPage() { counts.beginPage() }

    /// Whether a recovery is declared for the answer.
    func isDeclared(for answer: Answer) -> Bool { entity.recover.contains { $0.isFor(answer) } }

    /// Recovers from an answer that is no page; throws `RunEnd` where nothing cures it.
    ///
    /// It takes no retry attempt. A step that fails is what the run fails of.
    mutating func recover(from answer: Answer) async throws -> Next {
        let end = context.session.end(ofUnexpected: answer, method: entity.request.method)
        guard let recovery = entity.recover.first(where: { $0.isFor(answer) }) else { throw end }
        guard recovery.then != .fail, counts.use(recovery),
            recovery.steps.allSatisfy(canTake)
        else {
            throw RunEnd.failed(kind: recovery.name, message: end.message ?? recovery.name)
        }
        for step in recovery.steps { try await take(step) }
        return recovery.beginsAnew ? .beginAnew : .retryRequest
    }

    /// Without anything to send, a step can't help: the error stays what it was.
    ///
    /// A dry run sends nothing.
    private func canTake(_ step: Recovery.Step) -> Bool {
        if step != .forgetToken, context.sink.isDryRun { return false }
        guard case .call(let name) = step, let call = context.inputs.file.call(named: name) else {
            return true
        }
        return calls.hasSomethingToSend(call)
    }

    private func take(_ step: Recovery.Step) async throws {
        switch step {
        case .call(let name):
            if let call = context.inputs.file.call(named: name) { try await calls.make(call) }
        case .createZone: try await calls.createZone(of: entity)
        case .forgetToken: break
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
            || reasonHas.contains { failure.reason.mentions($0) }
    }
}

extension String {
    /// Whether it holds the words, upper and lower case being the same.
    fileprivate func mentions(_ words: String) -> Bool {
        let text = Array(lowercased().utf8)
        let sought = Array(words.lowercased().utf8)
        guard !sought.isEmpty, text.count >= sought.count else { return false }
        return (0...text.count - sought.count).contains { start in
            text[start..<start + sought.count].elementsEqual(sought)
        }
    }
}
