import Postgres
import JobQueue
import Testing

// Sessions of a test's own beside those of the fixture, for what two transactions do to each other.
extension Fixture {
    /// Runs `body` while a transaction of another session has run `sql` and is still open, then
    /// commits it, after `last`.
    func during<R: Sendable>(
        _ sql: String, then last: String = "select", _ body: () async throws -> R
    ) async throws -> R {
        let application = try await OpenTransaction(url, sql)
        let result: Result<R, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try await application.run(last)
        try await application.commit()
        return try result.get()
    }

    /// Begins `sql` in a session of its own; returns as soon as it waits for a lock, and then
    /// gives a handle to its end.
    func begin(_ sql: String) async throws -> Task<Void, any Error> {
        let configuration = try DatabaseConfiguration(
            conninfo: url, applicationName: "waiting", lanes: 1)
        let task = Task {
            try await Database.withSessions(configuration) { database in
                try await database.run { try $0.script(sql) }
            }
        }
        try await eventually("it waits for a lock") {
            try await int(
                """
                select count(*) from pg_stat_activity
                where datname = current_database() and application_name = 'waiting' and wait_event_type = 'Lock'
                """) > 0
        }
        return task
    }

    /// What a verb of an application or a person would be called with, for `during` and `begin`.
    func claimText(_ worker: Int) -> String {
        "select coalesce(cardinality(c.jobs), 0) from jobrunner.claim_new(\(worker), 100, '{hub.refresh,hub.status}', '-infinity', 0) as c"
    }
}
