import Postgres
import TestSupport
import Testing

/// What workers are told when jobs become due (docs/decisions/0041).
@Suite(.timeLimit(.minutes(1))) struct WakingTests {
    /// The counts of jobs in the notifications that some SQL sends; "" where nobody has counted.
    private func announced(_ fixture: Fixture, by sql: String) async throws -> [String] {
        let listener = Listener(
            try DatabaseConfiguration(conninfo: fixture.url, applicationName: "test", lanes: 1),
            channels: ["jobrunner_due", "end"])
        defer { listener.close() }
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)
        try await fixture.script(sql)
        try await fixture.script("select pg_notify('end', '')")
        var counts: [String] = []
        while case .notification(let channel, let payload)? = await events.next(), channel != "end"
        {
            let parts = payload.split(separator: ":", omittingEmptySubsequences: false)
            counts.append(String(parts[2]))
        }
        return counts
    }

    private static let verbs = [
        ("select jobrunner.enqueue('acme', 'user1', 'hub.refresh')", ["1"]),
        (
            """
            begin;
            select jobrunner.enqueue('acme', 'user1', 'hub.refresh');
            select jobrunner.enqueue('acme', 'user2', 'hub.refresh');
            commit
            """, ["1", "1"]
        ),
        ("select jobrunner.enqueue_all('acme', 'hub.refresh')", ["3"]),
        ("select jobrunner.trigger_event('acme', 'user1', 'called')", ["1"]),
        // In a minute, which workers find by themselves.
        ("select jobrunner.trigger_event('acme', 'user1', 'called later')", []),
    ]

    @Test(arguments: verbs)
    func `a verb that makes jobs due tells how many`(_ sql: String, _ counts: [String]) async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.addUsers(3)
            try await fixture.script(
                """
                update jobrunner.jobs set due_at = now() + interval '1 hour';
                update jobrunner.job_files
                set triggers = '[{"event": "called", "debounce_ms": 0}, {"event": "called later", "debounce_ms": 60000}]'
                where name = 'hub.refresh'
                """)
            #expect(try await announced(fixture, by: sql) == counts)
        }
    }

    @Test func `an event that concerns a running job wakes nobody`() async throws {
        try await Fixture.lend { fixture in
            let user = try await fixture.addUser("user1")
            _ = try await fixture.run(try await fixture.addWorker(), user: user)
            try await fixture.script(
                "update jobrunner.job_files set triggers = '[{\"event\": \"called\", \"debounce_ms\": 0}]' where name = 'hub.refresh'"
            )
            #expect(
                try await announced(
                    fixture, by: "select jobrunner.trigger_event('acme', 'user1', 'called')") == [])
        }
    }
}
