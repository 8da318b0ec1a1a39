public import Postgres

extension Queue {
    /// What a claim of a job would tell, without claiming it; its fence, 0, proves nothing.
    ///
    /// User nil means the tenant's own job.
    public func readJob(
        _ name: String, tenant: String, user: String?
    ) async throws -> ClaimedJob {
        let statement = Statement(
            "select * from jobrunner.read_job($1, $2, $3)", .text(tenant),
            .optional(user, Bind.text), .text(name))
        var jobs = [try await call(statement) { try ClaimedJob($0.only()) }]
        try await readInputs(of: &jobs, [:])
        return jobs[0]
    }

    /// Runs statements one after the other in a transaction that is rolled back, and returns what
    /// each answered: nothing of it stays, and nobody sees it meanwhile.
    ///
    /// The rows they touch are locked until the last has answered.
    public func dryRun(
        _ statements: [Statement], deadline: ContinuousClock.Instant? = nil
    ) async throws -> [Rows] {
        do {
            return try await database.run(deadline: deadline) { session in
                do {
                    return try session.transaction { session in
                        throw DryRunAnswer(answers: try statements.map { try session.query($0) })
                    }
                } catch let error as TransactionError {
                    guard let end = error.body as? DryRunAnswer else { throw error }
                    return end.answers
                }
            }
        } catch let error as DatabaseError {
            throw QueueError(error) ?? error as any Error
        } catch let error as TransactionError {
            guard let cause = error.databaseError else { throw error }
            throw QueueError(cause) ?? cause as any Error
        }
    }
}

/// Carries the answers out of the transaction that it ends.
private struct DryRunAnswer: Error {
    let answers: [Rows]
}
