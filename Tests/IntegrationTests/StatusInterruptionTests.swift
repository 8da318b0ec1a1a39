import JSON
import Postgres
import Runner
import Testing
import TestSupport

/// MeTube's statuses: cancelled, throttled, out of tokens, given up in the middle.
@Suite struct StatusInterruptionTests {
    private static let later = statusBegin + 1_000_000
    private let ann = userName(1)

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
                try await world.store(
                    minted.text("token") ?? "", as: "ck_web_auth_token", of: ann)
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
}
