import JSON
import JobFiles
import Postgres
import Runner
import Testing
import TestSupport

/// Runs that are stopped, fail or must wait, asked of every shipped job.
@Suite struct AppInterruptionTests {
    private static let places = AppCase.all.flatMap { app in app.places.map { (app, $0) } }

    @Test(arguments: places, Interruption.allCases)
    func
        `MS26 ST3 ST10 ST11 ST22 a run that is interrupted in any pull goes on there, and all counts once`(
            _ spot: (AppCase, AppCase.Place), _ interruption: Interruption
        ) async throws
    {
        let (app, place) = spot
        try await app.open(changes: app.changes(for: interruption)) { world in
            try await app.interrupt(interruption, at: place, in: world)
            if interruption != .deadline {
                let job = try await world.job(app.user)
                #expect(job.text("last_outcome") == "partial")
                #expect(job.isNull("last_success_at") && job.isNull("worker_id"))
                #expect(job.int("consecutive_failures") == 0)
            }
            #expect(
                try await world.outcomes(app.user).first == "partial \(interruption.rawValue)")
            let asked = try await app.pulls(world).count
            if interruption != .deadline {
                try await world.given(.dueNow())
                try await world.drain()
            }
            let pulls = try await app.pulls(world).count
            #expect(pulls == app.pullsOfTwoRuns, "\(asked)")
            #expect(try await world.outcomes(app.user).last == "complete")
            #expect(
                try await world.value("select sum((counters).inserted) from jobrunner.runs")
                    == "\(try await world.rowCount())")
            try await app.compare(world)
        }
    }

    @Test(arguments: places)
    func
        `ST30 ST19 ST18 a pull that fails is counted and told, leaves the pages before it, and a success clears it`(
            _ app: AppCase, _ place: AppCase.Place
        ) async throws
    {
        try await app.open { world in
            let refusal =
                #""kind": "cloudkit_error", "code": "ACCESS_DENIED", "reason": "out of order""#
            try await app.fault(refusal, at: place, in: world)
            try await world.drain()
            let rows = try await world.rowCount()
            #expect((rows > 0) == (place.number > 1 || place.type ?? "Stadium" != "Stadium"))
            let before = try await world.versions()
            for failures in 1...2 {
                let job = try await world.job(app.user)
                #expect(job.text("last_outcome") == "failed")
                #expect(job.text("last_error_kind") == "access_denied")
                #expect(job.text("last_error")?.contains("out of order") == true)
                #expect(job.int("consecutive_failures") == failures)
                #expect(job.isNull("last_success_at"))
                #expect(
                    try await world.value(
                        "select max(consecutive_failures) from jobrunner.checkpoints")
                        == "\(failures)")
                #expect(
                    try await world.value(
                        "select due_at - last_run_at >= interval '30 minutes' from jobrunner.jobs")
                        == "true")
                guard failures == 1 else { continue }
                // The same page, and none before it.
                try await app.fault(refusal, at: app.next(place), in: world)
                try await world.runAgain()
                #expect(try await world.versions() == before)
            }
            try await world.runAgain()
            let job = try await world.job(app.user)
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_error") && job.isNull("last_error_kind"))
            #expect(!job.isNull("last_success_at"))
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.checkpoints where consecutive_failures > 0 or last_error is not null"
                ) == "0")
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.all)
    func `MS28 ST20 a source that wants patience for more than a day defers that job alone`(
        _ app: AppCase
    ) async throws {
        try await app.open(users: app.zone == nil ? 1 : 2) { world in
            let whose = app.zone == nil ? "" : #", "user": "\#(app.user)""#
            try await app.fault(
                #""kind": "throttle", "retry_after": 110207\#(whose)"#, at: app.places[0], in: world
            )
            try await world.drain()
            let job = try await world.job(app.user)
            #expect(job.text("last_outcome") == "deferred")
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_success_at"))
            #expect(
                try await world.value(
                    """
                    select bool_and(deferred_until - now() between interval '110190 s' and interval '110218 s'
                      and due_at = deferred_until)
                    from jobrunner.jobs where deferred_until is not null
                    """) == "true")
            #expect(try await world.enqueue(app.user) == "deferred")
            guard app.zone != nil else { return }
            let other = userName(2)
            #expect(try await world.job(other).text("last_outcome") == "complete")
            try await world.given(.due(.patient))
            try await world.drain()
            #expect(try await world.job(other).text("last_outcome") == "complete")
        }
    }

    @Test(arguments: AppCase.all)
    func `MS2 ST20 a job without its credential asks nothing, counts no failure and waits for one`(
        _ app: AppCase
    ) async throws {
        try await app.open(users: 2) { world in
            let isAccount = app.does(.account)
            try await world.given(.noSecret(of: isAccount ? app.user : nil))
            try await world.drain()
            let job = try await world.job(app.user)
            #expect(job.text("state") == "needs_reauth")
            #expect(job.text("last_outcome") == "needs_reauth")
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_success_at"))
            #expect(try await world.source.log(user: isAccount ? app.user : nil).isEmpty)
            if isAccount {
                #expect(try await world.job(userName(2)).text("last_outcome") == "complete")
                try await world.store("token-\(app.user)", as: "ck_web_auth_token", of: app.user)
            } else {
                try await world.setServerKey()
            }
            try await world.drain()
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.asked(.account))
    func `LU23 a token of another account parks the job, and no row of either moves`(
        _ app: AppCase
    ) async throws {
        try await app.open(users: 2) { world in
            try await world.drain()
            let rows = try await world.versions()
            let (name, other) = (try await app.names(world)[3], userName(2))
            try await app.deviceEdits([name], in: world)
            try await world.store("token-\(other)", as: "ck_web_auth_token", of: app.user)
            try await world.sql("select jobrunner.pause_jobs('acme', $1)", .text(other))
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.map(\.operation) == ["users/caller"])
            let job = try await world.job(app.user)
            #expect(job.text("state") == "needs_reauth")
            #expect(job.text("last_error")?.contains("another account") == true)
            #expect(try await world.versions() == rows)
            // With the right one it goes on where it was.
            try await world.store("token-\(app.user)", as: "ck_web_auth_token", of: app.user)
            try await world.runAgain()
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.all)
    func `MS3 ST20 ST21 SC16 LU24 a start during a run is told so, and is one more run after it`(
        _ app: AppCase
    ) async throws {
        try await app.open { world in
            try await app.fault(
                #""kind": "slow", "delay_ms": 60000"#, at: app.places[0], in: world)
            let workers = [try await world.start(), try await world.start()]
            try await world.waitUntilHeld()
            // The next tick is set before the work begins.
            #expect(
                try await world.value(
                    "select next_due_at > now() and worker_id is not null from jobrunner.jobs")
                    == "true")
            #expect(
                try await world.value("select state from jobrunner.job_overview") == "running")
            let asked = try await world.calls().count
            for _ in 1...5 {
                #expect(try await world.enqueue(app.user, force: true) == "follows_running")
            }
            #expect(try await world.calls().count == asked)
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("a second run has ended") {
                let job = try await world.job(app.user)
                return try await app.pulls(world).count > app.pulls
                    && job.text("state") == "waiting"
            }
            for worker in workers { await worker.stop() }
            let calls = try await world.cloudCalls()
            for (call, next) in zip(calls, calls.dropFirst()) {
                #expect(call.ended <= next.began)
            }
            #expect(try await world.enqueue(app.user, force: true) == "due")
            #expect(try await world.job(app.user).int("consecutive_failures") == 0)
            try await app.compare(world)
        }
    }
}

/// How a run ends before it is done; its word in history.
enum Interruption: String, CaseIterable {
    case stopped = "shutdown"
    case cancelled
    case givenUp = "crashed"
    case deadline
}

extension AppCase {
    /// The pulls of a first pass, the one that was in flight, and what a run asks before it.
    fileprivate var pullsOfTwoRuns: Int { pulls + resumedPull }

    /// Where a pull is in a run that begins with it.
    fileprivate func next(_ place: Place) -> Place {
        Place(type: place.type, number: resumedPull)
    }

    fileprivate func changes(for interruption: Interruption) -> [(String, String)] {
        guard interruption == .deadline else { return [] }
        let span = isShared ? (app.file == CloudApp.sportstime.file ? "5m" : "25s") : "60s"
        return [("deadline: \(span)", "deadline: 2s")]
    }

    /// Runs until a pull hangs from now on, and interrupts it there.
    func interrupt(_ interruption: Interruption, at place: Place, in world: World) async throws {
        let runs = try await world.runs(user).count
        try await fault(#""kind": "hang""#, at: place, in: world)
        // Who is given up has no place for the same job while it holds on to its run.
        let worker = try await world.start(
            concurrency: interruption == .givenUp ? 1 : 20, drains: interruption == .deadline
        ) {
            if interruption == .givenUp { $0.lease = .seconds(3600) }
        }
        try await world.waitUntilHeld()
        switch interruption {
        case .stopped: break
        case .cancelled:
            #expect(try await world.value("select jobrunner.cancel_jobs('acme')") == "1")
        case .givenUp:
            #expect(try await world.job(user).text("state") == "running")
            try await world.giveUpWorkers()
            #expect(try await world.job(user).text("state") == "waiting")
            #expect(try await world.value("select due_at <= now() from jobrunner.jobs") == "true")
        case .deadline:
            // It goes on by itself.
            _ = await worker.ended()
            return
        }
        if interruption != .stopped {
            try await eventually("the run ends") {
                try await world.runs(user).count > runs
            }
        }
        await worker.stop()
    }
}

extension World {
    /// Rows of all tables of the file.
    func rowCount() async throws -> Int { try await versions().count }
}
