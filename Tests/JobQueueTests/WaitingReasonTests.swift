import Claiming
import JobQueue
import Postgres
import Testing

/// What does not run is counted once a minute, each job for the first reason in its way.
@Suite("Waiting reasons") struct WaitingReasonTests {
    /// Counts now, whenever it was last done.
    private func count(_ fixture: Fixture, most: Int = 50_000) async throws {
        try await fixture.given(.neverDone("waiting"))
        _ = try await fixture.text(
            "select jobrunner.count_waiting($1)::text", .int4(Int32(most)))
    }

    /// `reason tenant jobs`, with `+` where there may be more.
    private func reasons(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts(
            """
            select w.reason || ' ' || coalesce(w.tenant, '*') || ' ' || w.jobs || case when w.may_be_more then '+' else '' end
            from jobrunner.waiting_reasons as w order by w.tenant is not null, 1
            """)
    }

    private func of(
        _ fixture: Fixture, _ words: Given..., after script: String = "select"
    ) async throws -> [String] {
        try await fixture.script("\(script); \(words.map(\.description).joined())")
        try await count(fixture)
        return try await reasons(fixture)
    }

    @Test func `each thing that may be in the way of a job is counted by its name`() async throws {
        try await Fixture.lend(users: 3) { fixture async throws in
            try await fixture.given(.tokens(20))
            #expect(try await of(fixture) == ["no_worker * 3", "no_worker acme 3"])
            _ = try await fixture.addWorker()
            #expect(try await of(fixture) == ["slots * 3", "slots acme 3"])
            #expect(
                try await of(fixture, .silent(for: "61 s")) == [
                    "no_worker * 3", "no_worker acme 3",
                ])
            try await fixture.given(.alive())
            #expect(
                try await of(fixture, .serving("hub.status"))
                    == ["job_file_missing * 3", "job_file_missing acme 3"])
            #expect(
                try await of(fixture, .serving("hub.refresh"), .blocked(for: "1 min"))
                    == ["breaker * 3", "breaker acme 3"])
            #expect(
                try await of(fixture, .unblocked(), .tokens(-100)) == [
                    "budget * 3", "budget acme 3",
                ])
            #expect(
                try await of(fixture, .tokens(20), .crashed()) == [
                    "suspect * 3", "suspect acme 3",
                ])
            #expect(
                try await fixture.text(
                    "select jobrunner.explain_job('acme', 'user1', 'hub.refresh')"
                ).contains("waits for a turn alone: it may have killed two workers"))
            #expect(
                try await of(
                    fixture, .crashed(times: 0), after: "select jobrunner.pause_jobs('acme')")
                    == ["paused * 3", "paused acme 3"])
        }
    }

    @Test func `what is parked or put off is counted by its name`() async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(3)
            let users = try await fixture.texts("select key from jobrunner.users order by id")
            #expect(
                try await of(
                    fixture, .parked(.key(users[1]), for: "1 day"), .needingSecret(.key(users[2])),
                    after: "select jobrunner.pause_jobs('acme', '\(users[0])')") == [
                        "credential * 1", "paused * 1", "quarantined * 1", "credential acme 1",
                        "paused acme 1", "quarantined acme 1",
                    ])
            #expect(
                try await of(
                    fixture, .notDue(), .helped(), .deferred(.key(users[0])),
                    .failing(.key(users[1]), times: 2),
                    .failing(.key(users[2]), times: 2, as: "database"),
                    after: "select jobrunner.resume_jobs('acme', '\(users[0])')") == [
                        "backoff * 1", "database * 1", "deferred * 1", "backoff acme 1",
                        "database acme 1", "deferred acme 1",
                    ])
            #expect(
                try await of(
                    fixture, .failing(times: 0), .deferred(.key(users[0]), as: "breaker_open"))
                    == ["breaker * 1", "breaker acme 1"])
            // What no source asked for is not told as the source's.
            for (kind, reason) in [
                ("no_key", "key"), ("crowded", "turn"), ("credential_in_use", "turn"),
                ("not_ready", "deferred"),
            ] {
                #expect(
                    try await of(fixture, .deferred(.key(users[0]), as: kind))
                        == ["\(reason) * 1", "\(reason) acme 1"])
            }
            #expect(
                try await of(fixture, .failing(times: 0), .undeferred()) == [])
        }
    }

    @Test func `a tenant at its limit waits for itself, and the others for slots`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.addTenant("few", maxRunning: 1)
            try await fixture.addUsers(3, tenant: "few")
            _ = try await fixture.claim(worker, limit: 1)
            try await fixture.addUsers(2)
            try await count(fixture)
            #expect(
                try await reasons(fixture) == [
                    "slots * 2", "tenant_limit * 2", "slots acme 2", "tenant_limit few 2",
                ])
        }
    }

    @Test func `the ten tenants that have most of a reason are named, and all are counted`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            for number in 1...12 {
                try await fixture.addUsers(number, tenant: "t\(number)", addingTenant: true)
            }
            try await count(fixture)
            let found = try await fixture.texts(
                "select coalesce(tenant, '*') || jobs from jobrunner.waiting_reasons")
            #expect(found == ["*78"] + (3...12).reversed().map { "t\($0)\($0)" })
        }
    }

    @Test func `no more than a bound is looked at, and it is said that there may be more`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(30)
            try await count(fixture, most: 20)
            #expect(try await reasons(fixture) == ["slots * 20+", "slots acme 20+"])
        }
    }

    @Test func `one worker counts in a minute, and numbers that did not change are not written`()
        async throws
    {
        try await Fixture.lend(users: 3) { fixture async throws in
            #expect(try await fixture.queue.countWaiting())
            #expect(try await !fixture.queue.countWaiting())
            let before = try await fixture.texts(
                "select ctid::text || xmin from jobrunner.waiting_counts order by 1")
            try await count(fixture)
            #expect(
                try await fixture.texts(
                    "select ctid::text || xmin from jobrunner.waiting_counts order by 1") == before)
            // The server's clock was set back: nobody waits for the old time.
            try await fixture.given(.done("waiting", ago: "-1 day"))
            #expect(try await fixture.queue.countWaiting())
        }
    }
}
