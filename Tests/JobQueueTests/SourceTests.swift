import Postgres
import JobQueue
import Testing

@Suite("Budgets and breakers")
struct SourceTests {
    private func tenant(_ fixture: Fixture, _ name: String = "acme") async throws -> Int64 {
        Int64(
            try await fixture.int("select id from jobrunner.tenants where name = $1", .text(name)))
    }

    @Test func `a budget of 20 a second holds one second's worth, also after an hour's rest`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let request = BudgetRequest(
                tenantID: try await tenant(fixture), source: "hub", requests: 1000)
            try await fixture.given(.refilled(ago: "1 hour"))
            let grant = try await fixture.queue.takeBudget(request)
            #expect(grant.granted == 20)
            #expect(grant.blocked == nil)
        }
    }

    @Test func `two sessions that share a budget never get more than the bucket and what flows in`()
        async throws
    {
        try await Fixture.lend(lanes: 2) { fixture async throws in
            let request = BudgetRequest(
                tenantID: try await tenant(fixture), source: "hub", requests: 3)
            let clock = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint"
            try await fixture.given(.refilled())
            let start = try await fixture.int(clock)
            let granted = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var sum = 0
                        for _ in 0..<150 {
                            sum += try await fixture.queue.takeBudget(request).granted
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, +)
            }
            let seconds = Double(try await fixture.int(clock) - start) / 1_000_000
            #expect(granted >= 20)
            #expect(Double(granted) <= 20 + 20 * (seconds + 0.05))
        }
    }

    @Test func `AL3 a budget is a tenant's own, and a source without a rate grants all`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.addTenant("other")
            let queue = fixture.queue
            let acme = try await tenant(fixture)
            let other = try await tenant(fixture, "other")
            #expect(
                try await queue.takeBudget(
                    BudgetRequest(tenantID: acme, source: "hub", requests: 20)
                )
                .granted == 20)
            #expect(
                try await queue.takeBudget(
                    BudgetRequest(tenantID: other, source: "hub", requests: 20)
                )
                .granted == 20)
            #expect(
                try await queue.takeBudget(
                    BudgetRequest(tenantID: acme, source: "status", requests: 500)
                ).granted == 500)
        }
    }

    @Test func `ten runs in a row that find a source unavailable open its breaker, over all users`()
        async throws
    {
        try await Fixture.lend(users: 12) { fixture, worker async throws in
            let request = BudgetRequest(
                tenantID: try await tenant(fixture), source: "hub", requests: 1)
            let claims = try await fixture.claim(worker).map(\.claim)
            for claim in claims.prefix(9) {
                try await fixture.finish(claim, .failed, kind: .unavailable, error: "503")
            }
            #expect(try await fixture.queue.takeBudget(request).blocked == nil)
            try await fixture.finish(claims[9], .failed, kind: .timedOut, error: "slow")
            let blocked = try await fixture.queue.takeBudget(request)
            #expect(blocked.granted == 0)
            let span = try #require(blocked.blocked)
            #expect(span > .seconds(1) && span <= .seconds(5))
            #expect(
                try await fixture.texts(
                    "select tenant || ' ' || source || ' ' || reason from jobrunner.blocked_sources"
                )
                    == ["acme hub 10 runs in a row found it unavailable"])
            // It was under way when the breaker opened: it says what is known, and so does one that came through.
            let block = "select blocked_until || ' ' || failed_openings from jobrunner.sources"
            let before = try await fixture.text(block)
            try await fixture.finish(claims[10], .failed, kind: .unavailable, error: "503")
            try await fixture.finish(claims[11])
            #expect(try await fixture.text(block) == before)
        }
    }

    @Test(arguments: [10, 50])
    func `however many runs fail together, the first wait is 5 s; each probe that fails doubles it`(
        count: Int
    ) async throws {
        try await Fixture.lend(users: count) { fixture, worker async throws in
            let user = try await fixture.addUser()
            try await fixture.script("select jobrunner.pause_jobs('acme', 'ann')")
            let claims = try await fixture.claim(worker).map(\.claim)
            #expect(claims.count == count)
            _ = try await fixture.queue.finishRuns(
                claims.map {
                    FinishedRun(
                        claim: $0, outcome: .failed, errorKind: "unavailable", error: "503",
                        requests: 1)
                })
            let wait =
                "select round(extract(epoch from blocked_until - opened_at))::text from jobrunner.sources"
            var waits = [try await fixture.text(wait)]
            try await fixture.script("select jobrunner.resume_jobs('acme', 'ann')")
            for _ in 1...8 {
                try await fixture.given(.blockOver())
                let probe = try await fixture.run(worker, user: user)
                try await fixture.finish(probe, .failed, kind: .unavailable, error: "503")
                waits.append(try await fixture.text(wait))
            }
            #expect(waits == ["5", "10", "20", "40", "80", "160", "300", "300", "300"])
        }
    }

    @Test func `whoever closes a breaker has all that it put off run now, and nothing else`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let (ann, bob) = (try await fixture.addUser(), try await fixture.addUser("bob"))
            try await fixture.given(.blocked(for: "1 min", openings: 3))
            for (user, kind) in [(ann, ErrorKind.breakerOpen), (bob, .rateLimited)] {
                try await fixture.finish(
                    try await fixture.run(worker, user: user), .deferred, kind: kind,
                    error: "later",
                    wait: .seconds(60))
            }
            #expect(
                try await fixture.text("select jobrunner.explain_job('acme', 'ann', 'hub.refresh')")
                    .contains(
                        "the breaker of its source hub is open, and `jobrunner close-breaker` closes it"
                    ))
            #expect(try await fixture.queue.closeBreaker(of: "hub", tenant: "acme") == 1)
            #expect(
                try await fixture.texts(
                    "select (due_at <= now())::text from jobrunner.jobs order by user_id")
                    == ["true", "false"])
            #expect(
                try await fixture.text(
                    "select concat_ws(' ', consecutive_failures, failed_openings, blocked_until) from jobrunner.sources"
                ) == "0 0")
            #expect(try await fixture.queue.closeBreaker(of: "hub", tenant: "acme") == 0)
            #expect(
                try await fixture.refusal("select jobrunner.close_breaker('acme', 'other')")
                    == "JR015")
        }
    }

    @Test func `an open breaker ends with one probe; one run that reaches the source closes it`()
        async throws
    {
        try await Fixture.lend(lanes: 8) { fixture, worker, user async throws in
            let request = BudgetRequest(
                tenantID: try await tenant(fixture), source: "hub", requests: 5)
            try await fixture.given(.blocked(for: "-1 s", since: "6 s"))
            let grants = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await fixture.queue.takeBudget(request).granted }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(grants.sorted() == [0, 0, 0, 0, 0, 0, 0, 1])
            let claim = try await fixture.run(worker, user: user)
            // A failure that reached the source with a page closes it too; this one did not.
            try await fixture.finish(claim, .failed, kind: .unavailable, error: "503")
            #expect(try await fixture.queue.takeBudget(request).blocked != nil)
            try await fixture.finish(try await fixture.run(worker, user: user))
            let after = try await fixture.queue.takeBudget(request)
            #expect(after.granted == 5)
            #expect(after.blocked == nil)
            #expect(
                try await fixture.int(
                    "select consecutive_failures from jobrunner.sources where name = 'hub'") == 0)
        }
    }

    @Test func `while all is well an outcome touches no row of a source`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            let version = "select string_agg(xmin::text || ctid, ' ') from jobrunner.sources"
            let before = try await fixture.text(version)
            try await fixture.finish(try await fixture.run(worker, user: user))
            #expect(try await fixture.text(version) == before)
        }
    }

    /// A batch waits for nobody's transaction, and no two wait for each other.
    @Test
    func `a source that somebody holds grants a batch nothing, and all others what they have`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let ann = try await fixture.addUser()
            try await fixture.addTenant("other")
            let other = try await fixture.int(
                "select id from jobrunner.tenants where name = 'other'")
            let requests = [try await tenant(fixture), Int64(other)].map {
                BudgetRequest(tenantID: $0, source: "hub", requests: 2)
            }
            let held =
                "select from jobrunner.sources where tenant_id = \(requests[0].tenantID) for update"
            let opened = try await fixture.during(held) {
                try await fixture.queue.preloadRuns(
                    users: [ann], lists: [], tables: [], sources: requests)
            }
            #expect(opened.sources.map(\.granted) == [0, 2])
            #expect(opened.sources.allSatisfy { $0.blocked == nil })
        }
    }

    @Test func `what a batch must know is one answer: lists, empty tables, budgets and addresses`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let ann = try await fixture.addUser()
            let bob = try await fixture.addUser("bob")
            let list = ListColumn(table: "hub_channel", column: "channel_id")
            try await fixture.script(
                """
                select jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '{b,a,b}');
                insert into synced.hub_video values (\(bob), 'v');
                select jobrunner.set_source('acme', 'hub', 'http://127.0.0.1:1/x/');
                """)
            let request = BudgetRequest(
                tenantID: try await tenant(fixture), source: "hub", requests: 2)
            let opened = try await fixture.queue.preloadRuns(
                users: [ann, bob], lists: [list], tables: ["hub_video"], sources: [request])
            let items = try await fixture.queue.listItems(user: ann, in: list)
            #expect(items.items == ["a", "b"])
            #expect(opened.lists[list]?.mapValues(\.count) == [ann: 2])
            #expect(opened.lists[list]?[ann]?.hash == items.hash)
            #expect(opened.empty == ["hub_video": [ann]])
            #expect(opened.sources.map(\.granted) == [2])
            #expect(opened.sources.map(\.base) == ["http://127.0.0.1:1/x"])
            #expect(
                try await fixture.texts(
                    "select added || ' ' || removed from jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '{b,c}')"
                ) == ["1 1"])
        }
    }
}
