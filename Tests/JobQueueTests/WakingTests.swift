import JobQueue
import Postgres
import Testing

/// What workers are told when jobs become due (docs/decisions/0041).
@Suite(.timeLimit(.minutes(10))) struct WakingTests {
    /// The counts of jobs in the notifications that some SQL sends; "" where nobody has counted.
    private func announced(_ fixture: Fixture, by sql: String) async throws -> [String] {
        try await payloads(fixture, by: sql).map { payload in
            String(payload.split(separator: ":", omittingEmptySubsequences: false)[1])
        }
    }

    private func payloads(_ fixture: Fixture, by sql: String) async throws -> [String] {
        let listener = Listener(
            try DatabaseConfiguration(conninfo: fixture.url, applicationName: "test", lanes: 1),
            channels: ["jobrunner_due", "end"])
        defer { listener.close() }
        var events = listener.events.makeAsyncIterator()
        #expect(await events.next() == .listening)
        try await fixture.script(sql)
        try await fixture.script("select pg_notify('end', '')")
        var payloads: [String] = []
        while case .notification(let channel, let payload)? = await events.next(), channel != "end"
        {
            payloads.append(payload)
        }
        return payloads
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
        try await Fixture.lend(users: 3) { fixture in
            try await fixture.given(
                .notDue(),
                .triggers(
                    #"{"event": "called", "debounce_ms": 0}, {"event": "called later", "debounce_ms": 60000}"#,
                    of: "hub.refresh"))
            #expect(try await announced(fixture, by: sql) == counts)
        }
    }

    /// In minutes from now, and whether it is one tenant's.
    @Test(arguments: [
        ("select jobrunner.postpone_slowing(j) from jobrunner.jobs as j limit 1", "-60 f"),
        ("select jobrunner.set_period('acme', 'user1', 'hub.refresh', '2 h')", "-60 f"),
        ("select jobrunner.repair_jobs('acme', 'user1')", nil),
        ("select jobrunner.resume_jobs('acme')", "-60 t"),
        ("select jobrunner.set_tenant('acme', 3)", " t"),
        ("select jobrunner.wake_workers('-infinity', in_jobs => 1)", "-Infinity f"),
        ("select jobrunner.wake_workers('infinity', in_jobs => 1)", nil),
    ])
    func `what was due before is announced in a table, from then on`(
        _ sql: String, _ announced: String?
    ) async throws {
        try await Fixture.lend(users: 3) { fixture in
            try await fixture.script(
                """
                \(Given.slowing(after: "30 days", every: "1 day"))
                \(Given.due(for: "1 hour"))
                \(Given.time(.slowing, in: "1 day"))
                \(sql.contains("resume") ? Given.pausedTenants().description : "")
                """)
            try await fixture.script(sql)
            let told = try await fixture.texts(
                """
                select distinct concat(round((extract(epoch from since) - extract(epoch from now())) / 60), ' ', tenant_id is not null)
                from jobrunner.announcements
                """)
            #expect(told == (announced.map { [$0] } ?? []))
        }
    }

    @Test func `each worker hears once what was announced, whatever the order of commits`()
        async throws
    {
        try await Fixture.lend { fixture in
            func hear(_ seen: inout String?) async throws -> [Int64?] {
                let (now, news) = try await fixture.queue.news(since: seen)
                seen = now
                return news.map(\.since).sorted { ($0 ?? 0) < ($1 ?? 0) }
            }
            func announce(_ second: Int) -> String { "\(Given.announced(second))" }
            var seen: String?
            try await fixture.script(announce(1))
            #expect(try await hear(&seen) == [])
            var before = seen
            try await fixture.during(announce(2)) {
                try await fixture.script(announce(3))
                #expect(try await hear(&seen) == [3_000_000])
                #expect(try await hear(&seen) == [])
            }
            #expect(try await hear(&seen) == [2_000_000])
            #expect(try await hear(&before) == [2_000_000, 3_000_000])
        }
    }

    @Test func `a schedule that moves nothing that is due wakes nobody`() async throws {
        try await Fixture.lend(users: 3) { fixture in
            try await fixture.given(.notDue())
            let sql = "select jobrunner.set_period('acme', null, 'hub.refresh', '2 h')"
            #expect(try await announced(fixture, by: sql) == [])
        }
    }

    @Test func `an event that concerns a running job wakes nobody`() async throws {
        try await Fixture.lend { fixture in
            let user = try await fixture.addUser("user1")
            _ = try await fixture.run(try await fixture.addWorker(), user: user)
            try await fixture.given(
                .triggers(#"{"event": "called", "debounce_ms": 0}"#, of: "hub.refresh"))
            #expect(
                try await announced(
                    fixture, by: "select jobrunner.trigger_event('acme', 'user1', 'called')") == [])
        }
    }
}
