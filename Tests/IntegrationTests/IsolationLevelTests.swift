import JSON
import Postgres
import Testing

/// An application may call a verb within a transaction of any isolation level.
@Suite struct IsolationLevelTests {
    private static let verbs = [
        "select jobrunner.enqueue('acme', 'ann', 'generic.items')",
        "select jobrunner.enqueue('acme', 'ann', 'generic.items', in_full => true, in_force => true)",
        "select jobrunner.enqueue_all('acme', 'generic.items')",
        "select jobrunner.want_fresh('acme', 'ann', 'generic.items', in_force => true)",
        "select jobrunner.trigger_event('acme', 'ann', 'changed')",
        "select jobrunner.save_record('acme', 'ann', 'generic_item', '{\"id\": \"r2\", \"seq\": 1}')",
        "select jobrunner.edit_record('acme', 'ann', 'generic_item', '{\"id\": \"r1\", \"seq\": 1, \"name\": \"mine\"}')",
        "select jobrunner.delete_record('acme', 'ann', 'generic_item', '{\"id\": \"r1\"}')",
    ]

    private static let file = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#,
        schedule: ", triggers: [{ event: changed, debounce: 1s }]"
    ).replacing("source:\n", with: "freshness: { soft: 1s, hard: 30d }\nsource:\n")

    /// The transaction sees the world of before a run that has ended meanwhile.
    @Test(arguments: ["repeatable read", "serializable"], verbs)
    func `a verb commits, or raises the one code that says to try again`(
        _ level: String, _ verb: String
    ) async throws {
        try await withSyncedWorld(Self.file, videos: 5) { world in
            let application = try await OpenTransaction(
                world.database.url,
                "set transaction isolation level \(level); select count(*) from jobrunner.jobs")
            try await world.sql("update synced.generic_item set name = 'other'")
            try await world.runAgain()
            do {
                try await application.run(verb)
                try await application.commit()
            } catch let error as DatabaseError {
                #expect(error.sqlstate == "40001")
                try? await application.commit()
            }
            // Tried again it commits.
            let again = try await OpenTransaction(
                world.database.url, "set transaction isolation level \(level); select")
            try await again.run(verb)
            try await again.commit()
        }
    }
}
