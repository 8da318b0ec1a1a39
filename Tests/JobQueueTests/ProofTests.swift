import Postgres
import JobQueue
import Testing

/// What a page, a pass's end and a request prove or outlive when sessions come between each other.
@Suite("Proofs of pages and requests")
struct ProofTests {
    @Test func `a run's counters hold the page whose commit its end had to wait for`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1), PageCounts(fetched: 2, inserted: 2))
            let late = try await OpenTransaction(
                fixture.url,
                [
                    claim.holdStatement,
                    page(2).statement(for: claim, PageCounts(fetched: 3, inserted: 3)),
                ])
            #expect(
                try await fixture.finish(claim, .partial, kind: .deadline).map(\.kind) == [.busy])
            try await late.commit()
            #expect(try await fixture.finish(claim, .partial, kind: .deadline).isEmpty)
            #expect(
                try await fixture.texts(
                    "select (counters).pages || ' ' || (counters).fetched from jobrunner.runs") == [
                        "2 5"
                    ])
        }
    }

    @Test func `a late copy of a pass's first page is refused and counts nothing`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let counts = PageCounts(fetched: 2, inserted: 2)
            try await fixture.commit(claim, page(1, cursor: "one"), counts)
            // The copy waits on its own connection while the second page is committed.
            let second = try await OpenTransaction(
                fixture.url,
                [claim.holdStatement, page(2, cursor: "two").statement(for: claim, counts)])
            let copy = Task { try await fixture.commit(claim, page(1, cursor: "one"), counts) }
            try await waitForLock(in: fixture.url)
            try await second.commit()
            await #expect(throws: QueueError.superseded) { _ = try await copy.value }
            #expect(
                try await fixture.checkpoint(
                    "page_number || ' ' || cursor || ' ' || (counters).fetched", user: user)
                    == "2 two 4")
            // Nor after the pass has ended, nor as the beginning of the next but one.
            try await fixture.commit(claim, page(3, isEnd: true), counts)
            for pass in [1, 3] {
                await #expect(throws: QueueError.superseded) {
                    try await fixture.commit(claim, page(1, pass: pass), counts)
                }
            }
            try await fixture.commit(claim, page(1, pass: 2), counts)
        }
    }

    @Test
    func `a pass's end that does not follow the page it names is dropped, and its run reads again`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1, cursor: "one"))
            // A server promoted without the second page's commit, which was acknowledged.
            let lost = try await OpenTransaction(
                fixture.url,
                [claim.holdStatement, page(2, cursor: "two").statement(for: claim)])
            try await lost.rollBack()
            let end = passEnd("video", pass: 1, page: 2, watermark: "w")
            let other = passEnd("channel", watermark: "c")
            #expect(
                try await fixture.queue.finishRuns([
                    FinishedRun(claim: claim, outcome: .complete, endedPasses: [end, other])
                ]).isEmpty)
            #expect(
                try await fixture.checkpoint("concat(page_number, cursor, watermark)", user: user)
                    == "1one")
            #expect(try await fixture.checkpoint("watermark", user: user, entity: "channel") == "c")
            #expect(
                try await fixture.job(
                    "concat_ws(' ', last_outcome, due_at <= now(), last_success_at)", user: user)
                    == "partial t")
            #expect(
                try await fixture.texts("select outcome || ' ' || error_kind from jobrunner.runs")
                    == ["partial reset"])
        }
    }

    @Test func `the end of a pass that was lost whole is dropped, however long the one before was`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1))
            try await fixture.commit(claim, page(2, isEnd: true))
            let end = passEnd("video", pass: 2, page: 2, watermark: "lost")
            _ = try await fixture.queue.finishRuns([
                FinishedRun(claim: claim, outcome: .complete, endedPasses: [end])
            ])
            #expect(
                try await fixture.checkpoint("coalesce(watermark, '')", user: user) != "lost")
            #expect(
                try await fixture.texts("select outcome || ' ' || error_kind from jobrunner.runs")
                    == ["partial reset"])
        }
    }

    @Test func `a pass's end that follows its page, or the pass before it, is noted`() async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            for (pass, pages) in [(1, 0), (1, 2), (2, 0), (2, 1)] {
                let claim = try await fixture.run(worker, user: user)
                for number in 0..<pages {
                    try await fixture.commit(claim, page(number + 1, pass: pass))
                }
                let end = passEnd(
                    "video", pass: pass, page: pages,
                    watermark: "\(pass) \(pages)")
                _ = try await fixture.queue.finishRuns([
                    FinishedRun(claim: claim, outcome: .complete, endedPasses: [end])
                ])
                #expect(
                    try await fixture.checkpoint("concat(watermark, cursor)", user: user)
                        == "\(pass) \(pages)")
                #expect(try await fixture.job("last_outcome", user: user) == "complete")
            }
        }
    }

    @Test func `a repair that is asked for during a full pass is a repair afterwards`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1))
            let last = try await OpenTransaction(
                fixture.url, [claim.holdStatement, page(2, isEnd: true).statement(for: claim)])
            async let repaired = fixture.queue.repairJobs(JobScope(tenant: "acme", user: "ann"))
            try await waitForLock(in: fixture.url)
            try await last.commit()
            #expect(try await repaired == 1)
            let next = try await fixture.followingRun(claim, worker)
            #expect(try await fixture.requests(next) == "full repair")

            // And one that comes before the pass's end, not while it is written.
            let pass = page(1, pass: 2, fullRequest: next.checkpoint(of: "video").fullRequest)
            try await fixture.commit(next.claim, pass)
            _ = try await fixture.queue.repairJobs(JobScope(tenant: "acme", user: "ann"))
            try await fixture.commit(
                next.claim, page(2, isEnd: true, pass: 2, fullRequest: pass.fullRequest))
            let third = try await fixture.followingRun(next.claim, worker)
            #expect(try await fixture.requests(third) == "full repair")
            let all = page(
                1, isEnd: true, pass: 3, fullRequest: third.checkpoint(of: "video").fullRequest)
            try await fixture.commit(third.claim, all)
            #expect(try await fixture.requests(third) == "")
        }
    }

    @Test
    func `a request that comes before a full pass's first page is followed by a pass of its own`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            let request = try await OpenTransaction(
                fixture.url, "select jobrunner.repair_jobs('acme', 'ann')",
                "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', true)")
            async let first = fixture.commit(claim, page(1))
            try await waitForLock(in: fixture.url)
            try await request.commit()
            _ = try await first
            try await fixture.commit(claim, page(2, isEnd: true))
            let next = try await fixture.followingRun(claim, worker)
            #expect(try await fixture.requests(next) == "full repair")
        }
    }

    @Test func `a repair that was asked for outlives a reset`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            _ = try await fixture.queue.repairJobs(JobScope(tenant: "acme", user: "ann"))
            let claim = try await fixture.run(worker, user: user)
            try await fixture.commit(claim, page(1, fullRequest: 1))
            _ = try await fixture.int("select jobrunner.reset_jobs('acme', 'ann')")
            let next = try await fixture.followingRun(claim, worker)
            #expect(next.checkpoint(of: "video").isRepairRequested)
        }
    }
}

extension Fixture {
    /// Ends a run and claims the one that was asked for meanwhile.
    fileprivate func followingRun(_ claim: Claim, _ worker: Int) async throws -> ClaimedJob {
        try await finish(claim)
        try await given(.due(.waiting))
        return try #require(try await self.claim(worker, names: [claim.name]).first)
    }

    /// What is asked of the first entity, as its checkpoint says now.
    fileprivate func requests(_ job: ClaimedJob) async throws -> String {
        try await checkpoint(
            "concat_ws(' ', case when full_requested then 'full' end, case when repair_requested then 'repair' end)",
            user: job.claim.userID)
    }
}
