import Postgres
import Claiming
import Foundation
import JSON
import JobQueue
import Testing

/// Plays the worker for a job that is asked for, by the verbs a worker calls.
private struct Hand {
    let queue: Queue
    let worker: Int

    /// Claims the next due job, as soon as there is one.
    func claim() async throws -> Claim {
        var claimed: [ClaimedJob] = []
        try await eventually("a due job") {
            claimed = try await queue.claimJobs(
                worker: worker, limit: 1, names: ["shop.orders", "shop.status"])
            return !claimed.isEmpty
        }
        return claimed[0].claim
    }

    func finish(
        _ claim: Claim, _ outcome: Outcome, kind: ErrorKind? = nil, error: String? = nil
    ) async throws {
        let run = FinishedRun(
            claim: claim, outcome: outcome, errorKind: kind?.rawValue, error: error,
            wait: outcome == .deferred ? .seconds(60) : nil, requests: 1)
        let verdicts = try await queue.finishRuns([run])
        #expect(verdicts.isEmpty)
    }
}

@Suite struct WaitTests {
    /// Ann's jobs are due later, so that only an enqueue makes one claimable.
    private func withHand(_ body: (Installation, Hand) async throws -> Void) async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.given(.notDue())
            let queue = Queue(installation.pool)
            let worker = try await queue.registerWorker(
                host: "here", pid: 1, version: "test", capacity: 10)
            try await body(installation, Hand(queue: queue, worker: worker))
        }
    }

    private let ask = "enqueue shop.orders --tenant acme --user ann --wait"

    @Test func `wait prints how the run ended, and is a success when it is complete`() async throws
    {
        try await withHand { installation, hand in
            let waiting = try installation.start(ask)
            let claim = try await hand.claim()
            try await hand.finish(claim, .complete)
            let ran = try await waiting.end()
            #expect(ran.code == 0)
            #expect(
                ran.output
                    == "due: shop.orders of user ann\n"
                    + "shop.orders of user ann ended complete (run \(claim.fence)): nothing new\n")
            #expect(ran.errors == "")
        }
    }

    @Test func `a failed run is exit code 1 with its error`() async throws {
        try await withHand { installation, hand in
            let waiting = try installation.start(ask)
            let claim = try await hand.claim()
            try await hand.finish(claim, .failed, kind: .rejected, error: "HTTP 500")
            let ran = try await waiting.end()
            #expect(ran.code == 1)
            #expect(ran.output.hasSuffix(": nothing new; HTTP 500\n"))
            let runs = try #require(
                try await installation.json("runs shop.orders --tenant acme --user ann").elements)
            #expect(runs.map { $0["outcome"]?.string } == ["failed"])
            #expect(try await installation.ok("runs --outcome failed").contains("HTTP 500"))
            #expect(try await installation.json("runs --outcome partial").elements == [])
        }
    }

    @Test func `after a partial run the next one is waited for`() async throws {
        try await withHand { installation, hand in
            let waiting = try installation.start(ask)
            let claim = try await hand.claim()
            try await hand.finish(claim, .partial, kind: .deadline)
            try await installation.afterAnotherLook()
            let second = try await hand.claim()
            #expect(waiting.process.isRunning)
            try await hand.finish(second, .complete)
            let ran = try await waiting.end()
            #expect(ran.code == 0)
            #expect(ran.output.contains("ended complete (run \(second.fence))"))
        }
    }

    @Test func `OW8 an enqueue while it runs is answered so, and waits for the run that follows`()
        async throws
    {
        try await withHand { installation, hand in
            try await installation.ok("enqueue shop.orders --tenant acme --user ann")
            let claim = try await hand.claim()
            #expect(
                try await installation.ok("cancel shop.orders --tenant acme --user ann")
                    == "asked 1 run of shop.orders of user ann to stop; what is committed stays\n")
            let waiting = try installation.start(ask)
            try await eventually("the request for a rerun") {
                try await installation.value("select bool_or(rerun_requested) from jobrunner.jobs")
                    == "true"
            }
            try await hand.finish(claim, .failed, kind: .rejected, error: "the first")
            let second = try await hand.claim()
            try await hand.finish(second, .complete)
            let ran = try await waiting.end()
            #expect(ran.code == 0)
            #expect(
                ran.output
                    == "already in progress: shop.orders of user ann; one more run follows"
                    + " it\nshop.orders of user ann ended complete (run \(second.fence)): nothing new\n"
            )
        }
    }

    @Test func `a job that can't run isn't waited for`() async throws {
        try await withHand { installation, _ in
            try await installation.ok("pause shop.orders --tenant acme --user ann")
            let ran = try await installation.run(ask)
            #expect(ran.code == 1)
            #expect(
                ran.output
                    == "paused: shop.orders of user ann; it runs when it is resumed\n"
                    + "shop.orders of user ann has no run: paused\n")
        }
    }

    @Test func `waiting ends when the job is removed meanwhile`() async throws {
        try await withHand { installation, _ in
            let waiting = try installation.start(ask)
            try await eventually("the request") {
                try await installation.value("select max(priority) from jobrunner.jobs") == "1"
            }
            try await installation.ok("user remove ann --tenant acme --yes")
            let ran = try await waiting.end()
            #expect(ran.code == 1)
            #expect(ran.output.hasSuffix("has no run: the job was removed\n"))
        }
    }

    @Test func `waiting for all users tells those that are not complete`() async throws {
        try await withHand { installation, hand in
            try await installation.ok("user add bob --tenant acme")
            try await installation.given(.notDue())
            try await installation.ok("pause shop.orders --tenant acme --user bob")
            let waiting = try installation.start("enqueue shop.orders --tenant acme --all --wait")
            let claim = try await hand.claim()
            try await hand.finish(claim, .complete)
            let ran = try await waiting.end()
            #expect(ran.code == 1)
            #expect(
                ran.output == """
                    shop.orders of 2 users of tenant acme: 1 due, 1 paused
                    2 runs of shop.orders: 1 complete
                    user bob has no run: paused

                    """)
        }
    }

    @Test func `a deferred job says so, and force goes now`() async throws {
        try await withHand { installation, hand in
            try await installation.ok("enqueue shop.orders --tenant acme --user ann")
            let claim = try await hand.claim()
            try await hand.finish(claim, .deferred, kind: .rateLimited, error: "slow down")
            #expect(
                try await installation.ok("enqueue shop.orders --tenant acme --user ann")
                    == "deferred: shop.orders of user ann; the source asked for patience, --force"
                    + " goes now\n")
            #expect(
                try await installation.ok("enqueue shop.orders --tenant acme --user ann --force")
                    == "due: shop.orders of user ann\n")
        }
    }

    @Test func `a job that needs a new secret says so, and a secret wakes it`() async throws {
        try await withHand { installation, hand in
            try await installation.ok("enqueue shop.orders --tenant acme --user ann")
            let claim = try await hand.claim()
            try await hand.finish(claim, .needsReauth, kind: .unauthorised, error: "HTTP 401")
            #expect(
                try await installation.ok("enqueue shop.orders --tenant acme --user ann")
                    .hasPrefix("needs a new secret: shop.orders of user ann"))
            _ = try installation.write("token", "new")
            #expect(
                try await installation.ok(
                    "user set ann --tenant acme --secret token=@@token --origin https://shop.example"
                )
                .hasSuffix("; 1 job woken\n"))
        }
    }
}

extension Installation {
    /// Returns when the waiting program has asked the database once more than it had when called.
    fileprivate func afterAnotherLook() async throws {
        let now = try await value("select clock_timestamp()")
        let looked = Statement(
            """
            select coalesce(bool_or(query_start > '\(now)'), false) from pg_stat_activity
            where datname = current_database() and application_name = 'jobrunner'
              and state = 'idle'
            """)
        // What sessions of another login do is seen by a superuser.
        let settings = try DatabaseConfiguration(
            conninfo: TestCluster.login("postgres", of: url), applicationName: "test", lanes: 1)
        try await Database.withSessions(settings) { instrument in
            try await eventually("another look by the program") {
                try await instrument.run { try $0.query(looked).only().bool(0) }
            }
        }
    }
}
