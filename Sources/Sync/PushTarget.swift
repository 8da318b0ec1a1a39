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

    /// A zone that is missing is made once (CloudKit reference, 6).
    func exchange(_ request: DialectRequest) async throws -> JSONDocument {
        let answer = try await context.session.send(request)
        guard let failure = answer.failure else { return try answer.document() }
        let canMakeZone = entity.recover.contains { recovery in
            recovery.steps.contains(.createZone)
                && failure.code.map(recovery.codes.contains) ?? false
        }
        guard canMakeZone else { throw failure.end }
        try await calls.createZone(of: entity)
        let second = try await context.session.send(request)
        if let failure = second.failure { throw failure.end }
        return try second.document()
    }
}
