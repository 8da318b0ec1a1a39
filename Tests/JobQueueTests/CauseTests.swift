import JobQueue
import Postgres
import Testing

@Suite("What keeps users from being synced")
struct CauseTests {
    private func causes(_ fixture: Fixture, most: Int = 1000) async throws -> [String] {
        try await fixture.script("select jobrunner.count_causes(\(most))")
        return try await fixture.texts(
            """
            select concat_ws(' ', c.source, c.tenant, c.error_kind, c.users || case when c.may_be_more then '+' else '' end,
              case when c.is_whole then 'all' end)
            from jobrunner.causes as c
            """)
    }

    @Test
    func
        `users are counted by tenant, source and kind, what needs a person and whole tenants first`()
        async throws
    {
        try await Fixture.lend(users: 9) { fixture async throws in
            try await fixture.addUsers(2, tenant: "globex", addingTenant: true)
            try await fixture.given(
                .time(.run, in: "-1 min"), .failing(.users(1...3), as: "unavailable"),
                .deferred(.user(4), as: "breaker_open"), .deferred(.user(5), times: 5),
                .failing(.user(6), as: "client_refused"), .parked(.user(7)), .stalled(.user(8)),
                .failing(.tenant("globex"), as: "malformed"))
            let told = try await causes(fixture)
            #expect(
                told == [
                    "hub globex malformed 2 all", "hub acme stalled 1", "hub acme client_refused 1",
                    "hub acme quarantined 1", "hub acme unavailable 4", "hub acme rate_limited 1",
                ])
            // One cause that is over goes, and the others stay as they are.
            try await fixture.given(.well(.user(6)))
            #expect(try await causes(fixture).count == 5)
        }
    }

    @Test func `a tenant of which everybody fails is told however many others fail`() async throws {
        try await Fixture.lend(users: 300) { fixture async throws in
            try await fixture.addUsers(1, tenant: "zenith", addingTenant: true)
            try await fixture.given(.time(.run, in: "-1 min"), .failing(.all, as: "unavailable"))
            // A hundred jobs of a cause are looked at, whatever the bound.
            #expect(
                try await causes(fixture, most: 2) == [
                    "hub acme unavailable 100+ all", "hub zenith unavailable 1 all",
                ])
        }
    }

    @Test func `an example, how long it lasts and a command that can be copied stand with a cause`()
        async throws
    {
        try await Fixture.lend(users: 2) { fixture async throws in
            let odd = try await fixture.addUser("o'hara $(x)")
            try await fixture.given(
                .failing(.users(1...2), as: "malformed", error: "later"),
                .failing(.user(Int(odd)), as: "malformed", error: "no list at data", ago: "1 hour"))
            _ = try await causes(fixture)
            let row = try await fixture.texts(
                """
                select concat_ws('|', c.job, c.user_key, c.error, c.lasting >= interval '1 hour', c.words, c.hint)
                from jobrunner.causes as c
                """)
            #expect(
                row == [
                    "hub.refresh|o'hara $(x)|no list at data|t|answers what can't be read|jobrunner dry-run hub.refresh"
                        + #" --tenant acme --user 'o'\''hara $(x)' shows the answer; mend the job file"#
                ])
        }
    }

    @Test func `a word of a job file's own is told as what the source says, behind what is urgent`()
        async throws
    {
        try await Fixture.lend(users: 2) { fixture async throws in
            try await fixture.given(
                .failing(.user(1), as: "user_not_found"), .failing(.user(2), as: "malformed"))
            _ = try await causes(fixture)
            let rows = try await fixture.texts(
                "select concat_ws('|', c.words, c.is_urgent, c.hint) from jobrunner.causes as c")
            #expect(rows.first?.hasPrefix("answers what can't be read|t") == true, "\(rows)")
            #expect(
                rows.last
                    == "says user_not_found|f|jobrunner dry-run hub.refresh --tenant acme --user user1 shows what it answers"
            )
        }
    }

    @Test func `every kind of error can be told as a cause`() async throws {
        try await Fixture.lend { fixture async throws in
            let told = try await fixture.texts("select kind from jobrunner.cause_kinds")
            #expect(
                Set(told).union(["breaker_open"])
                    == Set(ErrorKind.allCases.map(\.rawValue)).union(["quarantined", "stalled"]))
            #expect(told.count == Set(told).count)
        }
    }

    @Test func `a healthy job stands in no index of causes, and to count none reads nothing`()
        async throws
    {
        try await Fixture.lend(users: 3000) { fixture async throws in
            try await fixture.script(
                """
                \(Given.failing(.users(1...3)))
                analyze jobrunner.jobs;
                reindex index jobrunner.jobs_by_cause;
                """)
            #expect(
                try await fixture.int(
                    "select reltuples::integer from pg_class where relname = 'jobs_by_cause'") == 3)
            // What a session reads of the catalogue it reads once.
            var least = Int.max
            for _ in 0..<4 {
                let plan = try await fixture.sql(
                    "explain (analyze, buffers, costs off) select jobrunner.count_causes(10000)"
                ).map { try $0.text(0) }
                let buffers = plan.compactMap { $0.firstMatch(of: /shared hit=(\d+)/)?.1 }.first
                least = min(least, try #require(buffers.flatMap { Int($0) }))
            }
            #expect(least < 100)
        }
    }
}
