import JSON
import Postgres
import Runner
import Testing
import TestSupport

/// MeTube's statuses: cancelled, throttled, out of tokens, given up in the middle.
@Suite struct StatusInterruptionTests {
    private static let later = statusBegin + 1_000_000
    private let ann = userName(1)

    @Test func `MS26 a cancel between pages keeps the pages and goes on after them`() async throws {
        try await withStatuses(450) { world in
            try await world.source.fault(#"{"kind": "hang", "op": "changes/zone", "nth": 3}"#)
            let worker = try await world.start()
            try await world.waitFor("changes/zone", 3)
            #expect(try await world.local().count == 400)
            #expect(try await world.value("select jobrunner.cancel_jobs('acme')") == "1")
            try await eventually("the run ends") { try await world.runs(ann).count >= 1 }
            #expect(try await world.enqueue(ann) == "due")
            try await eventually("it goes on") { try await world.local().count == 450 }
            await worker.stop()
            #expect(try await world.outcomes(ann).first == "partial cancelled")
            let pulls = try await world.source.log().filter { $0.text("op") == "changes/zone" }
            #expect(pulls.count == 4)
            #expect(pulls[3].text("token") == pulls[2].text("token"))
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS26 a cancel between batches keeps what was sent, and the token`() async throws {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.weAdd(401)
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify", "nth": 2}"#)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitFor("records/modify", 2)
            let token = try await world.checkpoint(ann).text("sync_token")
            #expect(try await world.local().values.filter(\.isSynced).count == 203)
            #expect(try await world.value("select jobrunner.cancel_jobs('acme')") == "1")
            try await eventually("the run ends") {
                try await world.outcomes(ann).contains("partial cancelled")
            }
            #expect(try await world.enqueue(ann) == "due")
            try await eventually("it goes on") {
                try await world.local().values.allSatisfy(\.isSynced)
            }
            await worker.stop()
            #expect(try await world.outcomes(ann).contains("partial cancelled"))
            #expect(token != nil)
            #expect(try await world.disagreements() == [])
            // The batch that was cancelled had arrived; it was not written a second time.
            let history = try await world.history()
            #expect(history.values.allSatisfy { $0.count == 1 } && history.count == 404)
        }
    }

    @Test(arguments: ["strict", "lenient", "none"])
    func `MS27 a rotated web token is stored with the page, whatever becomes of the old one`(
        _ mode: String
    ) async throws {
        try await withStatuses(450) { world in
            try await world.settings(#""token_mode": "\#(mode)""#)
            let query = "select sealed from jobrunner.secrets where name = 'ck_web_auth_token'"
            let first = try await world.value(query)
            try await world.weAdd(201)
            try await world.drain()
            let second = try await world.value(query)
            #expect((first == second) == (mode == "none"))
            try await world.weSave(Save(video(1), "skipped", Self.later))
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await world.disagreements() == [])
            #expect(try await world.source.log().allSatisfy { $0.int("status") == 200 })
        }
    }

    @Test func `MS27 the token moves in the transaction of the page it came with`() async throws {
        try await withStatuses(450) { world in
            try await world.settings(#""token_mode": "strict""#)
            try await world.source.fault(#"{"kind": "hang", "op": "changes/zone", "nth": 3}"#)
            let worker = try await world.start()
            try await world.waitFor("changes/zone", 3)
            #expect(
                try await world.value(
                    """
                    select s.xmin = k.xmin and s.xmin = (
                      select w.xmin from synced.watched_status as w where w.video_id = 'vid_00399'
                    )
                    from jobrunner.secrets as s, jobrunner.checkpoints as k
                    where s.name = 'ck_web_auth_token'
                    """) == "true")
            await worker.stop()
        }
    }

    @Test(arguments: ["strict", "lenient", "none"])
    func `MS27 a crash between answer and commit tries the old token once`(_ mode: String)
        async throws
    {
        try await withStatuses(250) { world in
            try await world.settings(#""token_mode": "\#(mode)""#)
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "changes/zone", "nth": 2}"#)
            let stale = try await world.start(concurrency: 1) { $0.lease = .seconds(3600) }
            try await world.waitFor("changes/zone", 2)
            try await world.giveUpWorkers()
            let start = try await world.requestCount()
            try await world.drain()
            if mode == "strict" {
                #expect(try await world.story(from: start) == ["changes/zone"])
                let job = try await world.job(ann)
                #expect(job.text("state") == "needs_reauth")
                #expect(job.int("consecutive_failures") == 0)
                try await world.runAgain()
                #expect(try await world.story(from: start) == ["changes/zone"])
                let minted = try await world.cloud(.metube, "token", #""user": "\#(ann)""#)
                try await world.setSecret(
                    "ck_web_auth_token", minted.text("token") ?? "", of: ann)
                try await world.drain()
            }
            #expect(try await world.unfinished() == [])
            #expect(try await world.disagreements() == [])
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("the stale run finds out") {
                world.lines.all.contains { $0.contains("run lost") }
            }
            await stale.stop()
            // What the stale run was given did not replace what is good.
            try await world.weSave(Save(video(1), "skipped", Self.later))
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS28 a throttle of 110207 s defers the job, and other users go on`() async throws {
        try await withStatuses(5, users: 3) { world in
            try await world.source.fault(
                #"{"kind": "throttle", "retry_after": 110207, "op": "changes/zone", "user": "\#(ann)", "times": 0}"#
            )
            try await world.drain()
            let job = try await world.job(ann)
            #expect(job.text("last_outcome") == "deferred")
            #expect(job.int("consecutive_failures") == 0)
            #expect(
                try await world.value(
                    """
                    select deferred_until - now() between interval '110190 s' and interval '110218 s'
                      and due_at = deferred_until
                    from jobrunner.jobs where deferred_until is not null
                    """) == "true")
            for number in 2...3 {
                #expect(try await world.disagreements(userName(number)) == [])
                try await world.weSave(
                    Save(video(1), "skipped", Self.later), user: userName(number))
            }
            try await world.sql(
                "update jobrunner.jobs set due_at = now() where deferred_until is null")
            try await world.drain()
            for number in 2...3 {
                #expect(try await world.disagreements(userName(number)) == [])
            }
            #expect(try await world.enqueue(ann) == "deferred")
            #expect(
                try await world.source.log(user: ann).filter { $0.text("op") == "changes/zone" }
                    .count == 1)
        }
    }

    @Test
    func `AL2 a push whose claim was taken away writes nothing, and what it sent counts once`()
        async throws
    {
        try await withStatuses(6) { world in
            try await world.drain()
            for number in 0..<3 {
                try await world.weSave(Save(video(number), "skipped", Self.later))
            }
            try await world.weSave(Save("mine", "watched", Self.later))
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
            try await world.makeDue()
            let stale = try await world.start(concurrency: 1) { $0.lease = .seconds(3600) }
            try await world.waitFor("records/modify")
            // The source has taken the batch; nobody here has heard it.
            #expect(try await world.remote()["mine"]?.status == "watched")
            #expect(try await world.local()["mine"]?.isSynced == false)
            try await world.giveUpWorkers()
            try await world.drain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.counter("pushed") == 4)
            let history = try await world.history()
            #expect(history[video(0)]?.count == 2 && history["mine"]?.count == 1)
            // An edit that the stale run must not take for sent.
            try await world.weSave(Save(video(0), "unknown", Self.later + 1))
            let before = try await state(world)
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("the stale run finds out") {
                world.lines.all.contains { $0.contains("run lost") }
            }
            await stale.stop()
            #expect(try await state(world) == before)
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.history()[video(0)]?.count == 3)
            #expect(try await world.history()["mine"]?.count == 1)
        }
    }

    @Test func `an edit of the same row meanwhile wins over what a lost push had sent`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.weSave(Save(video(1), "skipped", Self.later))
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
            try await world.makeDue()
            let stale = try await world.start(concurrency: 1) { $0.lease = .seconds(3600) }
            try await world.waitFor("records/modify")
            try await world.weSave(Save(video(1), "unknown", Self.later + 5))
            try await world.giveUpWorkers()
            try await world.drain()
            #expect(try await world.disagreements() == [])
            try await world.source.command("POST", "hurry", "{}")
            await stale.stop()
            #expect(
                try await world.history()[video(1)]?.compactMap { $0?.status }
                    == ["watched", "skipped", "unknown"])
        }
    }

    /// Everything a stale run could touch.
    private func state(_ world: World) async throws -> [String] {
        var state: [String] = []
        for table in [
            "jobrunner.jobs", "jobrunner.checkpoints", "jobrunner.call_memory",
            "jobrunner.secrets", "synced.watched_status", "jobrunner.runs",
        ] {
            state += try await world.rows(
                "select *, xmin::text as row_version from \(table) order by 1, 2, 3"
            ).map(\.rawText)
        }
        return state
    }
}
