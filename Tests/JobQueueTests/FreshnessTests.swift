import Postgres
import JobQueue
import Testing

/// A user of `hub.refresh` with ages of 15 and 30 minutes, whose two entities were read at all.
@Suite("Freshness")
struct FreshnessTests {
    private static func lend(
        age: String? = "1 min", rows: Bool = true, _ body: (Fixture, Int64) async throws -> Void
    ) async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            try await fixture.given(
                .ages(soft: "15 min", hard: "30 min"),
                .entities(
                    """
                    {"entity": "video", "write": {"table": "hub_video"}},
                    {"entity": "channel", "write": {"table": "hub_video"}},
                    {"entity": "never", "enabled": false, "write": {"table": "none"}}
                    """, of: "hub.refresh"), .notDue(for: "20 min"))
            if let age {
                try await fixture.given(
                    .checkpoint("video", "channel"), .synced(), .synced("video", ago: age))
            }
            if rows {
                try await fixture.script("insert into synced.hub_video values (\(user), 'a')")
            }
            try await body(fixture, user)
        }
    }

    @Test func `SC5 rows younger than the soft age are fresh, and nothing is asked`() async throws {
        try await Self.lend(age: "14 min 50 s") { fixture, user async throws in
            let answer = try await fixture.fresh()
            #expect(answer.answer == "fresh")
            #expect(answer.isUsable)
            #expect(try await fixture.job("due_at > now()", user: user) == "true")
        }
    }

    /// Where the file says no age, the period does: a user's own comes before the file's.
    @Test func `rows are fresh for as long as their user's period is`() async throws {
        try await Self.lend(age: "2 hours") { fixture, _ async throws in
            try await fixture.given(.ages())
            #expect(try await fixture.fresh().answer == "wait")
            try await fixture.script(
                "select jobrunner.set_period('acme', 'ann', 'hub.refresh', '1 day')")
            #expect(try await fixture.fresh().answer == "fresh")
        }
    }

    @Test func `SC6 between the ages the rows are used and one refresh follows, however many ask`()
        async throws
    {
        try await Self.lend(age: "15 min") { fixture, user async throws in
            for _ in 1...3 {
                let answer = try await fixture.fresh()
                #expect(answer.answer == "refreshing")
                #expect(answer.isUsable)
            }
            let worker = try await fixture.addWorker()
            let claimed = try await fixture.claim(worker)
            #expect(claimed.count == 1)
            #expect(try await fixture.fresh().answer == "refreshing")
            #expect(try await fixture.job("rerun_requested", user: user) == "false")
            let age = try #require(claimed.first?.checkpoint(of: "video").syncedAge)
            #expect(age >= .seconds(900))
            #expect(age < .seconds(1000))
        }
    }

    @Test func `SC6 after a failure readers leave the backoff alone`() async throws {
        try await Self.lend(age: "20 min") { fixture, user async throws in
            try await fixture.given(.failing())
            #expect(try await fixture.fresh().answer == "refreshing")
            #expect(try await fixture.job("due_at > now()", user: user) == "true")
        }
    }

    @Test func `SC7 without rows a reader waits, however young the last pass is`() async throws {
        try await Self.lend(rows: false) { fixture, user async throws in
            let answer = try await fixture.fresh()
            #expect(answer.answer == "wait")
            #expect(!answer.isUsable)
            #expect(answer.ageSeconds == nil)
            #expect(
                try await fixture.job("priority || ' ' || (due_at <= now())", user: user)
                    == "1 true")
        }
    }

    @Test func `SC8 rows of which no pass was completed are not used`() async throws {
        try await Self.lend(age: nil) { fixture, _ async throws in
            #expect(try await fixture.fresh().answer == "wait")
        }
    }

    @Test(arguments: [("29 min 50 s", "refreshing"), ("30 min", "wait"), ("2 days", "wait")])
    func `SC9 rows as old as the hard age are not used any more`(age: String, word: String)
        async throws
    {
        try await Self.lend(age: age) { fixture, _ async throws in
            #expect(try await fixture.fresh().answer == word)
        }
    }

    @Test func `SC9 the age is exact to the clock of the transaction`() async throws {
        try await Self.lend { fixture, _ async throws in
            for (age, word) in [("15 min", "refreshing"), ("30 min", "wait")] {
                let exact = try await fixture.pool.run { session in
                    try session.transaction { session in
                        try session.script("\(Given.synced(ago: age))")
                        return try session.query(
                            .unprepared(
                                "select answer from jobrunner.want_fresh('acme', 'ann', 'hub.refresh')"
                            )
                        ).only().text(0)
                    }
                }
                #expect(exact == word)
            }
        }
    }

    @Test func `SC14 a row made here does not touch the age`() async throws {
        try await Self.lend(age: "20 min") { fixture, user async throws in
            let before = try await fixture.fresh().ageSeconds ?? 0
            try await fixture.script("insert into synced.hub_video values (\(user), 'mine')")
            #expect(try await fixture.fresh().ageSeconds ?? 0 >= before)
            #expect(try await fixture.fresh().answer == "refreshing")
        }
    }

    @Test func `SC16 force asks for a run at any age, and while one runs for one more, not two`()
        async throws
    {
        try await Self.lend { fixture, user async throws in
            #expect(try await fixture.fresh(isForced: true).answer == "wait")
            let worker = try await fixture.addWorker()
            let claimed = try await fixture.claim(worker)
            #expect(claimed.map(\.isForced) == [true])
            for _ in 1...3 {
                #expect(try await fixture.fresh(isForced: true).answer == "wait")
            }
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(try await fixture.job("rerun_requested", user: user) == "true")
        }
    }

    @Test func `SC17 a failed refresh keeps rows and age`() async throws {
        try await Self.lend(age: "20 min") { fixture, user async throws in
            let worker = try await fixture.addWorker()
            let claim = try await fixture.run(worker, user: user)
            try await fixture.finish(
                claim, .failed, kind: .unavailable, error: "down", entity: "video")
            let answer = try await fixture.fresh()
            #expect(answer.isUsable)
            #expect(answer.ageSeconds ?? 0 >= 1200)
        }
    }

    @Test func `a reader that waits beside a run waits for that run`() async throws {
        try await Self.lend(age: "1 day") { fixture, user async throws in
            let worker = try await fixture.addWorker()
            let claim = try await fixture.run(worker, user: user)
            let answer = try await fixture.fresh()
            #expect(answer.answer == "wait")
            #expect(try await fixture.job("rerun_requested", user: user) == "false")
            #expect(
                try await fixture.queue.awaited([answer.job], name: Fixture.refresh).isEmpty)
            try await fixture.finish(claim)
            #expect(
                try await fixture.queue.awaited([answer.job], name: Fixture.refresh).map(\.outcome)
                    == ["complete"])
        }
    }

    @Test func `where no refresh can begin the reader is told why`() async throws {
        try await Self.lend(age: "20 min") { fixture, user async throws in
            _ = try await fixture.int("select jobrunner.pause_jobs('acme', 'ann', 'hub.refresh')")
            let answer = try await fixture.fresh()
            #expect(answer.answer == "paused")
            #expect(answer.isUsable)
            try await fixture.script(
                """
                select jobrunner.resume_jobs('acme', 'ann', 'hub.refresh');
                \(Given.deferred())
                """)
            #expect(try await fixture.fresh().answer == "deferred")
            #expect(try await fixture.job("due_at > now()", user: user) == "true")
            #expect(try await fixture.fresh(isForced: true).answer == "wait")
        }
    }
}

extension Fixture {
    fileprivate func fresh(isForced: Bool = false) async throws -> FreshAnswer {
        try await queue.wantFresh(
            tenant: "acme", user: "ann", job: Fixture.refresh, isForced: isForced)
    }
}

@Suite("Unsent edits at the opening")
struct DirtyTests {
    @Test func `MS18 the opening of runs names the users with unsent edits or deletions`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let users = [
                try await fixture.addUser("ann"), try await fixture.addUser("bob"),
                try await fixture.addUser("cid"), try await fixture.addUser("dan"),
            ]
            try await fixture.script(
                """
                alter table synced.hub_video add synced boolean not null default true,
                  add pending_delete boolean not null default false;
                insert into synced.hub_video values (\(users[0]), 'a', false, false),
                  (\(users[0]), 'b', true, false), (\(users[1]), 'a', true, false),
                  (\(users[2]), 'a', true, true);
                """)
            let opened = try await fixture.queue.preloadRuns(
                users: users, lists: [], tables: [], sources: [], dirtyTables: ["hub_video"])
            #expect(opened.dirty == ["hub_video": [users[0], users[2]]])
        }
    }
}
