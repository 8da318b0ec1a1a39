public import Postgres

extension Queue {
    /// The run and the number of its pages that an entity's checkpoint holds, read under the job's
    /// lock: the lock waits for a transaction whose reply was lost (invariant 13).
    ///
    /// Throws `QueueError.lost` when the claim is not held any more.
    public func runProgress(of entity: String, for claim: Claim) async throws -> CommittedPages {
        let read = Statement(
            """
            select k.run_fence, (k.counters).pages
            from jobrunner.checkpoints as k
            where k.user_id = $1 and k.job_name = $2 and k.entity = $3
            """, .int8(claim.userID), .text(claim.name), .text(entity))
        let rows = try await turn([claim.holdStatement, read])
        guard let row = rows[1].first else { return CommittedPages(fence: 0, pages: 0) }
        return CommittedPages(fence: Int64(try row.int(0)), pages: try row.int(1))
    }

    /// Every claim that a worker holds, by the database.
    public func heldClaims(worker: Int) async throws -> [Claim] {
        let statement = Statement(
            """
            select j.user_id, j.name, j.fence, j.nonce from jobrunner.held_jobs() as j where j.worker_id = $1
            """, .int8(Int64(worker)))
        return try await call(statement) { rows in
            try rows.map { row in
                Claim(
                    userID: Int64(try row.int("user_id")), name: try row.text("name"),
                    fence: Int64(try row.int("fence")), nonce: try row.uuid("nonce"))
            }
        }
    }

    /// Places, from 0, of values that do not fit a column type; asked after a page was refused.
    public func unsuitable(_ values: [String?], type: String) async throws -> [Int] {
        let statement = Statement(
            "select jobrunner.unsuitable_values($1, $2)", .textArray(values), .text(type))
        return try await call(statement) { try $0.only().intArray(0).map { $0 - 1 } }
    }

    /// One transaction in one network turn; JR errors become `QueueError`.
    public func turn(
        _ statements: [Statement], deadline: ContinuousClock.Instant? = nil
    ) async throws -> [Rows] {
        do {
            return try await database.run(deadline: deadline) {
                try $0.transactionTurn(statements)
            }
        } catch let error as DatabaseError {
            throw QueueError(error) ?? error as any Error
        } catch let error as TransactionError {
            guard let cause = error.databaseError else { throw error }
            throw QueueError(cause) ?? cause as any Error
        }
    }
}

/// How far a run has come in one entity, by the database.
public struct CommittedPages: Sendable, Equatable {
    /// Number of the run.
    public var fence: Int64
    /// Pages of that run that are committed for the entity.
    public var pages: Int
}
