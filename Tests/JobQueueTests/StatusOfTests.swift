import JobQueue
import Postgres
import Testing

/// The one answer that an application's settings page asks for.
@Suite("Status of a user") struct StatusOfTests {
    private func status(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts(
            """
            select concat_ws(' ', s.job, s.state, s.entity, coalesce(s.pass, '-'), coalesce(s.page::text, '-'),
              coalesce(s.rows::text, '-'), (s.last_complete_at is not null)::text, coalesce(s.needs, '-'))
            from jobrunner.status_of('acme', 'ann') as s
            """)
    }

    private func why(_ fixture: Fixture) async throws -> String {
        try await fixture.text("select min(s.why) from jobrunner.status_of('acme', 'ann') as s")
    }

    @Test func `each entity of each job is told with its rows, its pass and when it was read`()
        async throws
    {
        try await Fixture.lend { fixture in
            try await fixture.given(
                .entities(
                    #"{"entity": "video", "write": {"table": "hub_video"}}, {"entity": "channel", "write": {"table": "none"}}, {"entity": "old", "enabled": false}"#,
                    of: "hub.refresh"))
            let worker = try await fixture.addWorker()
            let user = try await fixture.addUser()
            #expect(
                try await status(fixture) == [
                    "hub.refresh due video - - 0 false -", "hub.refresh due channel - - - false -",
                ])
            let claim = try await fixture.run(worker, user: user)
            try await fixture.commit(claim, page(1), PageCounts(fetched: 1, inserted: 1))
            try await fixture.script(
                "insert into synced.hub_video values (\(user), 'v'), (7777, 'w')")
            #expect(
                try await status(fixture).first == "hub.refresh running video full 1 1 false -")
            #expect(try await why(fixture).hasPrefix("It is running as run "))
        }
    }

    @Test func `what only a person can help with is told with who that is`() async throws {
        try await Fixture.lend { fixture in
            _ = try await fixture.addUser()
            let helps: [(Given, String)] = [
                (.needingSecret(), "needs_reauth secret"), (.parked(), "quarantined retry"),
                (.paused(), "paused resume"),
            ]
            for (trouble, needs) in helps {
                try await fixture.given(.helped(), trouble)
                let found = try await fixture.texts(
                    "select distinct s.state || ' ' || s.needs from jobrunner.status_of('acme', 'ann') as s"
                )
                #expect(found == [needs])
            }
            #expect(
                try await fixture.refusal("select * from jobrunner.status_of('acme', 'nobody')")
                    == "JR011")
        }
    }
}
