import Postgres
import JobQueue
import Testing

@Suite("Fences and pages")
struct FenceTests {
    @Test
    func `AL2 an old claim writes nothing: not a page, not a call, not an outcome, not a release`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            let old = try await fixture.run(worker, user: user)
            try await fixture.given(.silent())
            _ = try await fixture.queue.reapJobs(lease: .seconds(30))
            let second = try await fixture.addWorker()
            let new = try await fixture.run(second, user: user)
            for stale in [
                old, Claim(userID: user, name: new.name, fence: new.fence, nonce: old.nonce),
            ] {
                await #expect(throws: QueueError.lost) {
                    try await fixture.queue.turn([
                        stale.holdStatement, insertVideo(user, "stale"),
                        page(1).statement(for: stale),
                    ])
                }
                await #expect(throws: QueueError.lost) {
                    try await fixture.remember("register", listHash: nil, for: stale)
                }
                await #expect(throws: QueueError.lost) {
                    try await fixture.queue.runProgress(of: "video", for: stale)
                }
                #expect(try await fixture.finish(stale).map(\.kind) == [.lost])
                #expect(try await fixture.queue.releaseJobs([stale]) == 0)
            }
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 0)
            #expect(try await fixture.int("select count(*) from jobrunner.checkpoints") == 0)
            #expect(try await fixture.int("select count(*) from jobrunner.call_memory") == 0)
            #expect(try await fixture.job("fence", user: user) == "\(new.fence)")
            #expect(try await fixture.finish(new).isEmpty)
        }
    }

    private func insertVideo(_ user: Int64, _ id: String) -> Statement {
        Statement("insert into synced.hub_video values ($1, $2)", .int8(user), .text(id))
    }

    @Test func `in a batch only the lost runs are lost`() async throws {
        try await Fixture.lend(users: 3) { fixture, worker async throws in
            let claims = try await fixture.claim(worker).map(\.claim)
            #expect(try await fixture.queue.releaseJobs([claims[1]]) == 1)
            let verdicts = try await fixture.queue.finishRuns(
                claims.map { FinishedRun(claim: $0, outcome: .complete) })
            #expect(
                verdicts.map { "\($0.fence) \($0.kind)" } == ["\(claims[1].fence) lost"])
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where last_outcome = 'complete'") == 2)
        }
    }

    @Test
    func `invariant 3: records and the checkpoint that covers them commit together or not at all`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            await #expect(throws: DatabaseError.self) {
                try await fixture.queue.turn([
                    claim.holdStatement, page(1).statement(for: claim), insertVideo(user, "a"),
                    insertVideo(user, "a"),
                ])
            }
            #expect(try await fixture.int("select count(*) from jobrunner.checkpoints") == 0)
            _ = try await fixture.queue.turn([
                claim.holdStatement, insertVideo(user, "a"), page(1).statement(for: claim),
            ])
            #expect(try await fixture.checkpoint("page_number", user: user) == "1")
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 1)
        }
    }

    @Test func `a page must follow the committed one, so that none counts twice`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            for wrong in [2, 0] {
                await #expect(throws: QueueError.superseded) {
                    try await fixture.commit(claim, page(wrong))
                }
            }
            try await fixture.commit(claim, page(1))
            try await fixture.commit(claim, page(2), PageCounts(fetched: 1, inserted: 1))
            for wrong in [2, 4] {
                await #expect(throws: QueueError.superseded) {
                    try await fixture.commit(claim, page(wrong))
                }
            }
            try await fixture.commit(claim, page(3, isEnd: true))
            #expect(
                try await fixture.checkpoint(
                    "(counters).pages || ' ' || (counters).inserted", user: user) == "3 1")
        }
    }

    @Test func `AL1 counters that do not add up are refused`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let error = await #expect(throws: DatabaseError.self) {
                try await fixture.commit(claim, page(1), PageCounts(fetched: 3, inserted: 2))
            }
            #expect(error?.constraint == "counters_add_up")
            let all = PageCounts(
                fetched: 36, inserted: 1, updated: 2, unchanged: 3, skippedOlder: 4,
                skippedIncompatible: 5, filtered: 6,
                duplicate: 7, deleted: 8)
            try await fixture.commit(claim, page(1), all)
            try await fixture.commit(claim, page(2, isEnd: true), all)
            try await fixture.commit(
                claim, page(1, entity: "channel", isEnd: true), PageCounts(fetched: 1, unchanged: 1)
            )
            try await fixture.finish(claim)
            #expect(
                try await fixture.texts(
                    """
                    select concat_ws(' ', (counters).pages, request_count, (counters).fetched, (counters).inserted, (counters).updated,
                      (counters).unchanged, (counters).skipped_older, (counters).skipped_incompatible, (counters).filtered,
                      (counters).duplicate, (counters).deleted, entities -> 'video' ->> 'deleted', entities -> 'channel' ->> 'pages')
                    from jobrunner.runs
                    """) == ["3 1 73 2 4 7 8 10 12 14 16 16 1"])
        }
    }

    @Test func `a run's counters begin at zero, whatever the run before left`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            let first = try await fixture.run(worker, user: user)
            try await fixture.commit(first, page(1), PageCounts(fetched: 5, inserted: 5))
            try await fixture.finish(first, .partial, kind: .deadline)
            let second = try await fixture.run(worker, user: user)
            try await fixture.commit(
                second, page(2, isEnd: true), PageCounts(fetched: 2, inserted: 2))
            try await fixture.finish(second)
            #expect(
                try await fixture.texts(
                    "select (counters).inserted::text from jobrunner.runs order by id") == [
                        "5", "2",
                    ])
            #expect(
                try await fixture.texts(
                    "select (counters).pages::text from jobrunner.runs order by id") == ["1", "1"])
        }
    }

    @Test func `MH27 a reset during a run undoes the page in flight, and the next run is full`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1, token: "t"))
            #expect(try await fixture.int("select jobrunner.reset_jobs('acme', 'ann')") == 1)
            for number in [1, 2] {
                await #expect(throws: QueueError.superseded) {
                    try await fixture.queue.turn([
                        claim.holdStatement, insertVideo(user, "late"),
                        page(number).statement(for: claim),
                    ])
                }
            }
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 0)
            try await fixture.finish(claim, .partial, kind: .reset)
            let next = try await fixture.nextRun(worker, user: user)
            #expect(next.checkpoint(of: "video").generation == 1)
            #expect(next.checkpoint(of: "video").cursor == nil)
            #expect(next.checkpoint(of: "video").syncToken == nil)
            #expect(next.checkpoint(of: "video").watermark == nil)
            try await fixture.commit(next.claim, page(1, generation: 1, pass: 2))
        }
    }

    @Test func `a pass that was begun before a reset is refused at its first page`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1, isEnd: true, watermark: "w1"))
            #expect(try await fixture.int("select jobrunner.reset_jobs('acme', 'ann')") == 1)
            let number = try await fixture.checkpoint("pass_number + 1", user: user)
            await #expect(throws: QueueError.superseded) {
                try await fixture.commit(
                    claim, page(1, isEnd: true, watermark: "w2", pass: Int(number) ?? 0))
            }
            #expect(try await fixture.checkpoint("watermark", user: user) == "null")
        }
    }

    @Test func `invariant 4: the watermark moves at the end of a pass only`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1, watermark: "early"))
            #expect(try await fixture.checkpoint("watermark", user: user) == "null")
            #expect(try await fixture.checkpoint("last_synced_at", user: user) == "null")
            try await fixture.commit(claim, page(2, isEnd: true, watermark: "w1"))
            #expect(
                try await fixture.checkpoint(
                    "concat_ws(' ', watermark, cursor, pass_kind, last_synced_at is not null)",
                    user: user)
                    == "w1 t")
            // A pass that ended without a record to write is noted with the outcome.
            _ = try await fixture.queue.finishRuns([
                FinishedRun(
                    claim: claim, outcome: .complete,
                    endedPasses: [
                        passEnd(
                            "video", pass: 2, watermark: "w2",
                            token: "t2"),
                        passEnd("channel", token: "c"),
                    ])
            ])
            #expect(try await fixture.checkpoint("watermark || sync_token", user: user) == "w2t2")
            #expect(
                try await fixture.checkpoint("sync_token", user: user, entity: "channel") == "c")
        }
    }

    @Test func `a pass that a reset overtook does not come back with the outcome`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1))
            _ = try await fixture.int("select jobrunner.reset_jobs('acme', 'ann')")
            let late = passEnd("video", page: 1, watermark: "late", token: "late")
            _ = try await fixture.queue.finishRuns([
                FinishedRun(claim: claim, outcome: .complete, endedPasses: [late])
            ])
            #expect(try await fixture.checkpoint("concat(watermark, sync_token)", user: user) == "")
        }
    }

    @Test func `a hold tells that someone asked the run to stop`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            #expect(try await fixture.queue.turn([claim.holdStatement])[0].only().bool(0) == false)
            #expect(try await fixture.queue.stopRequests(worker: worker) == [])
            #expect(try await fixture.int("select jobrunner.cancel_jobs('acme')") == 1)
            #expect(try await fixture.queue.turn([claim.holdStatement])[0].only().bool(0))
            #expect(
                try await fixture.queue.stopRequests(worker: worker).map {
                    "\($0.userID) \($0.name) \($0.fence)"
                }
                    == ["\(user) \(claim.name) \(claim.fence)"])
        }
    }

    @Test func `invariant 13: the checkpoint tells what became of a lost commit`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let before = try await fixture.queue.runProgress(of: "video", for: claim)
            #expect(before.fence == 0 && before.pages == 0)
            try await fixture.commit(claim, page(1))
            let after = try await fixture.queue.runProgress(of: "video", for: claim)
            #expect(after.fence == claim.fence && after.pages == 1)
        }
    }
}
