import Asking
import JSON
import JobFiles
import JobQueue
import Writing

/// Where an entity's rows are pushed to, and how.
struct PushTarget {
    let context: RunContext
    let calls: Calls
    let dialect: any SourceDialect
    let entity: Entity
    let push: Push
    let statements: PushStatements

    init(
        _ context: RunContext, _ calls: Calls, _ dialect: any SourceDialect, _ entity: Entity,
        _ push: Push
    ) {
        self.context = context
        self.calls = calls
        self.dialect = dialect
        self.entity = entity
        self.push = push
        statements = PushStatements(entity, push)
    }

    /// The answer, or the end of the run that its failure is.
    func exchange(_ request: DialectRequest) async throws -> JSONDocument {
        let answer = try await answer(to: request)
        if let failure = answer.failure { throw failure.end }
        return try answer.document()
    }

    /// A zone that is missing is made once (CloudKit reference, 6).
    func answer(to request: DialectRequest) async throws -> Answer {
        let answer = try await context.session.send(request)
        guard let failure = answer.failure else { return answer }
        let canMakeZone = entity.recover.contains { recovery in
            recovery.steps.contains(.createZone)
                && failure.code.map(recovery.codes.contains) ?? false
        }
        guard canMakeZone else { return answer }
        try await calls.createZone(of: entity)
        return try await context.session.send(request)
    }
}
