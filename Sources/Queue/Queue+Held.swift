public import Postgres

extension Queue {
    /// Remembers a named call's success, in a transaction that proves the claim.
    ///
    /// Throws `QueueError.lost` when the claim is not held any more.
    public func recordCall(_ call: String, listHash: String?, for claim: Claim) async throws {
        let record = Statement(
            "select jobrunner.record_call($1, $2, $3, $4)", .int8(claim.userID), .text(claim.name),
            .text(call), .optional(listHash, Bind.text))
        _ = try await turn([claim.holdStatement, record])
    }

    /// Reads an entity's checkpoint under the job's lock: after a lost reply to a commit, this says
    /// what happened, because the lock waits for the old transaction to end (invariant 13).
    ///
    /// Throws `QueueError.lost` when the claim is not held any more.
    public func committedCheckpoint(of entity: String, for claim: Claim) async throws -> Checkpoint?
    {
        let read = Statement(
            """
            select to_jsonb(k) from (
              select k.entity, k.generation, k.full_requested, k.pass_kind,
                (extract(epoch from k.pass_started_at) * 1000000)::bigint as pass_started_us,
                k.pass_since, k.page_number, k.cursor, k.sync_token, k.partial_watermark, k.watermark
              from jobrunner.checkpoints as k
              where k.user_id = $1 and k.job_name = $2 and k.entity = $3
            ) as k
            """, .int8(claim.userID), .text(claim.name), .text(entity))
        let rows = try await turn([claim.holdStatement, read])
        return try rows[1].first.flatMap { Checkpoint(try parse($0.json(0))) }
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
