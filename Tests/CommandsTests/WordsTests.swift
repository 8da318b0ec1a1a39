import Testing

@testable import Commands
@testable import JobQueue

private func job(_ user: String, _ word: String) -> EnqueuedJob {
    EnqueuedJob(userID: 1, user: user, word: word, fence: 1, askedAt: 0)
}

private func awaited(
    _ outcome: String?, state: String? = "waiting", error: String? = nil, pages: Int = 0,
    inserted: Int = 0
) -> AwaitedJob {
    AwaitedJob(
        userID: 1, outcome: outcome, state: state, goesOn: outcome == "partial", fence: 7,
        endedAt: 0, error: error,
        pages: pages, fetched: inserted, inserted: inserted, updated: 0, deleted: 0)
}

@Suite struct WordsTests {
    @Test(
        arguments: [
            ("due", "due: j of user ann"),
            (
                "follows_running",
                "already in progress: j of user ann; one more run follows it"
            ),
            (
                "deferred",
                "deferred: j of user ann; the source asked for patience, --force goes now"
            ),
            ("paused", "paused: j of user ann; it runs when it is resumed"),
            ("quarantined", "set aside: j of user ann; it runs after jobrunner retry"),
            (
                "needs_reauth",
                "needs a new secret: j of user ann; it runs after jobrunner user set --secret or jobrunner retry"
            ),
        ])
    func `what becomes of an enqueue is said in words`(word: String, line: String) {
        let scope = JobScope(tenant: "acme", user: "ann", job: "j")
        #expect(enqueuedWords([job("ann", word)], scope) == line)
    }

    @Test func `an enqueue for all counts what becomes of each`() {
        let scope = JobScope(tenant: "acme", job: "j")
        let jobs = ["paused", "due", "needs_reauth", "due"].map { job("u", $0) }
        #expect(
            enqueuedWords(jobs, scope)
                == "j of 4 users of tenant acme: 2 due, 1 paused, 1 needs a new secret")
        #expect(enqueuedWords([], scope) == "nobody: tenant acme has no user")
    }

    @Test(
        arguments: [
            (awaited("complete"), "ended complete (run 7): nothing new"),
            (
                awaited("complete", pages: 1, inserted: 5),
                "ended complete (run 7): 1 page, 5 fetched, 5 inserted"
            ),
            (
                awaited("failed", error: "HTTP 500", pages: 2),
                "ended failed (run 7): 2 pages; HTTP 500"
            ),
            (awaited(nil, state: "paused"), "has no run: paused"),
            (awaited(nil, state: nil), "has no run: the job was removed"),
        ])
    func `the end of a run is told with its counters`(job: AwaitedJob, words: String) {
        #expect(endWords(job) == words)
    }

    @Test(
        arguments: [
            (-3, "0.0 s"), (0.04, "0.0 s"), (9.94, "9.9 s"), (10, "10 s"), (119.4, "119 s"),
            (120, "2 min"), (7199, "120 min"), (7200, "2 h"), (172_799, "48 h"),
            (172_800, "2 days"), (1e12, "11574074 days"),
        ])
    func `spans are a few words`(seconds: Double, words: String) {
        #expect(spanWords(seconds: seconds) == words)
    }

    @Test func `counts agree with their noun`() {
        #expect(counted(0, "job") == "0 jobs")
        #expect(counted(1, "job") == "1 job")
        #expect(counted(2, "entity") == "2 entities")
    }

    @Test func `what a removal took is listed`() {
        #expect(removalWords([]) == "; it had nothing")
        #expect(
            removalWords([
                RemovedRows(what: "jobs", count: 1), RemovedRows(what: "runs", count: 2),
                RemovedRows(what: "rows of synced.video", count: 1),
            ]) == ": 1 job, 2 runs, 1 row of synced.video")
    }

    @Test func `list files are trimmed, and blank lines don't count`() {
        #expect(listItems(" a \r\n\n\tb c\n \nd") == ["a", "b c", "d"])
        #expect(listItems("") == [])
    }

    @Test func `a list goes to the tenant's own jobs only, each column once`() throws {
        let column = ListColumn(table: "t", column: "c")
        let other = ListColumn(table: "o", column: "c")
        let list = ListInput(
            name: "ids", items: ["1"], columns: [("a", column), ("b", column), ("c", other)])
        #expect(try list.replacements(jobs: ["a", "b"]).map(\.column) == [column])
        #expect(try list.replacements(jobs: ["c", "a"]).map(\.column) == [other, column])
        #expect(throws: Failure.self) { try list.replacements(jobs: ["d"]) }
    }
}
