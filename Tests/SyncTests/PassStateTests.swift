import JSON
import HTTP
import JobFiles
import JobQueue
import Reading
import TestJobFiles
import Testing

@testable import Sync

@Suite struct PassStateTests {
    private func entity(
        _ watermark: String = "max_seen", page: String = "{ style: token, token_at: next }",
        deletes: String = ""
    ) throws -> Entity {
        let fullEvery = deletes.isEmpty ? "" : ", full_every: 1d"
        return try TestJobFiles.entity(
            page: page,
            request: "{ path: /f, query: { s: \"{since}\", c: \"{page.token}\" } }",
            incremental: "{ watermark: \(watermark), overlap: 1h\(fullEvery) }",
            fields: """
                { id: { at: id, type: text, required: true }, at: { at: at, type: timestamp } }
                """,
            write: "{ table: video, mode: newest_wins, newer_by: at\(deletes) }")
    }

    private func checkpoint(_ change: (inout Checkpoint) -> Void = { _ in }) -> Checkpoint {
        var checkpoint = Checkpoint(entity: "video")
        checkpoint.generation = 3
        checkpoint.watermark = "2025-01-01T02:00:00Z"
        change(&checkpoint)
        return checkpoint
    }

    @Test func `a pass in progress goes on at its cursor with its own since`() throws {
        let stored = checkpoint {
            $0.passKind = .incremental
            $0.passStartedAt = 5
            $0.passSince = "since"
            $0.pageNumber = 7
            $0.cursor = "c7"
            $0.syncToken = "t"
            $0.partialWatermark = "p"
        }
        let pass = try #require(PassState(resuming: stored, of: try entity()))
        #expect(pass.passKind == .incremental && pass.startedAt == 5 && pass.passSince == "since")
        #expect(pass.pageNumber == 7 && pass.cursor == "c7" && pass.syncToken == "t")
        #expect(pass.partialWatermark == "p" && pass.generation == 3 && !pass.isFullRequested)
    }

    @Test func `no pass in progress, or a full one asked for, resumes nothing`() throws {
        #expect(PassState(resuming: checkpoint(), of: try entity()) == nil)
        #expect(PassState(resuming: checkpoint { $0.passKind = .full }, of: try entity()) == nil)
        let asked = checkpoint {
            $0.passKind = .full
            $0.passStartedAt = 5
            $0.isFullRequested = true
        }
        #expect(PassState(resuming: asked, of: try entity()) == nil)
    }

    @Test func `a pass is incremental from the watermark, full without one or on request`() throws {
        let entity = try entity()
        let table: [(Checkpoint, Bool, PassKind, String?)] = [
            (checkpoint(), false, .incremental, "2025-01-01T01:00:00Z"),
            (checkpoint(), true, .full, nil),
            (checkpoint { $0.watermark = nil }, false, .full, nil),
            (checkpoint { $0.isFullRequested = true }, false, .full, nil),
        ]
        for (stored, isFull, kind, since) in table {
            let pass = PassState(beginning: entity, from: stored, isFull: isFull, startedAt: 9)
            #expect(pass.passKind == kind)
            #expect(pass.passSince == since)
            #expect(pass.pageNumber == 0 && pass.cursor == nil && pass.startedAt == 9)
            #expect(pass.isFullRequested == stored.isFullRequested)
        }
    }

    @Test func `the watermark moves at the end alone, to what the whole pass has seen`() throws {
        let entity = try entity()
        var pass = PassState(beginning: entity, from: checkpoint(), isFull: false, startedAt: 9)
        let first = pass.commit(
            entity, next: NextPosition(next: "c1"), maxSeen: "2025-01-03T00:00:00Z")
        #expect(first.pageNumber == 1 && first.cursor == "c1" && !first.isEnd)
        #expect(first.watermark == nil && first.partialWatermark == "2025-01-03T00:00:00Z")
        pass.advance(over: first)
        #expect(pass.cursor == "c1" && pass.pageNumber == 1)
        let last = pass.commit(entity, next: NextPosition(), maxSeen: "2025-01-02T00:00:00Z")
        #expect(last.isEnd && last.cursor == nil && last.pageNumber == 2)
        #expect(last.watermark == "2025-01-03T00:00:00Z")
        #expect(last.passSince == "2025-01-01T01:00:00Z" && last.generation == 3)
    }

    @Test func `a pass has the number after the last that was begun, and keeps it when it goes on`()
        throws
    {
        let entity = try entity()
        let stored = checkpoint {
            $0.passNumber = 4
            $0.fullRequest = 2
        }
        var pass = PassState(beginning: entity, from: stored, isFull: false, startedAt: 9)
        #expect(pass.passNumber == 5 && pass.committedNumber == 4)
        let first = pass.commit(entity, next: NextPosition(next: "c1"), maxSeen: nil)
        #expect(first.passNumber == 5 && first.fullRequest == 2)
        pass.advance(over: first)
        #expect(pass.committedNumber == 5)
        let resumed = PassState(
            resuming: checkpoint {
                $0.passKind = .full
                $0.passStartedAt = 5
                $0.passNumber = 5
                $0.pageNumber = 1
                $0.fullRequest = 3
            }, of: entity)
        #expect(
            resumed?.passNumber == 5 && resumed?.committedNumber == 5 && resumed?.fullRequest == 3)
    }

    @Test(arguments: [PassKind.full, .incremental], [true, false])
    func `a pass that lacks a record sweeps nothing, and moves a watermark only when it was full`(
        _ kind: PassKind, _ isWhole: Bool
    ) throws {
        let entity = try entity(deletes: ", deletes: { sweep: after_full_pass }")
        var pass = PassState(
            beginning: entity, from: checkpoint(), isFull: kind == .full, startedAt: 9)
        #expect(pass.passKind == kind)
        var batch = RecordBatch(entity)
        batch.isWhole = isWhole
        pass.add(batch)
        pass.add(RecordBatch(entity))
        #expect(pass.mayEndInSweep(entity) == (kind == .full && isWhole))
        let end = pass.commit(entity, next: NextPosition(), maxSeen: "2025-01-03T00:00:00Z")
        #expect((end.watermark != nil) == (kind == .full || isWhole))
        #expect(end.isWhole == isWhole)
    }

    @Test func `a pass by start commits its start, whatever it has seen`() throws {
        let entity = try entity("run_start")
        let pass = PassState(
            beginning: entity, from: checkpoint(), isFull: false, startedAt: 1_000_000)
        let commit = pass.commit(entity, next: NextPosition(), maxSeen: "2025-01-03T00:00:00Z")
        #expect(commit.watermark == "1970-01-01T00:00:01Z")
    }

    @Test(arguments: [true, false])
    func `a keyset position outlives its pass when it is to`(_ persists: Bool) throws {
        let page = "{ style: keyset, token_at: max, start: 0, persist: \(persists) }"
        let entity = try entity(page: page)
        let stored = checkpoint { $0.syncToken = "40" }
        let pass = PassState(beginning: entity, from: stored, isFull: false, startedAt: 9)
        #expect(pass.cursor == (persists ? "40" : "0"))
        let end = pass.commit(entity, next: NextPosition(reached: "55"), maxSeen: nil)
        #expect(end.syncToken == (persists ? "55" : "40"))
        let full = PassState(beginning: entity, from: stored, isFull: true, startedAt: 9)
        #expect(full.cursor == "0" && full.syncToken == nil)
    }
}

@Suite struct PaceTests {
    @Test func `a page that would only be torn down is not begun`() {
        var pace = Pace()
        #expect(pace.allowsPage(within: .milliseconds(1)))
        #expect(!pace.allowsPage(within: .zero))
        pace.add(.seconds(4))
        #expect(!pace.allowsPage(within: .seconds(4)))
        #expect(pace.allowsPage(within: .seconds(5)))
        pace.add(.seconds(2))
        #expect(!pace.allowsPage(within: .seconds(3)))
        #expect(pace.allowsPage(within: .milliseconds(3001)))
    }
}

@Suite struct RecoveryCountsTests {
    private func recovery(_ then: Recovery.Then, times: Int) throws -> Recovery {
        try #require(
            try TestJobFiles.entity(
                recover:
                    "[{ name: gone, if: { status: 404 }, then: \(then.rawValue), times: \(times) }]"
            ).recover.first)
    }

    @Test func `a repeated request is counted per page, a full pass per run`() throws {
        var counts = RecoveryCounts()
        let request = try recovery(.retryRequest, times: 2)
        let full = try recovery(.fullPass, times: 1)
        for _ in 0..<3 {
            counts.beginPage()
            let uses = (0..<3).map { _ in counts.use(request) }
            #expect(uses == [true, true, false])
        }
        var run = RecoveryCounts()
        let uses = (0..<2).map { _ in
            run.beginPage()
            return run.use(full)
        }
        #expect(uses == [true, false])
    }

    @Test
    func `a record without a name or a list that goes on forbids the sweep and holds no watermark`()
        throws
    {
        let entity = try entity(
            at: "data[].lines.data[]",
            write: "{ table: video, mode: overwrite, deletes: { sweep: after_full_pass } }")
        for (lines, proves) in [
            (#"{"data": [{"id": "a"}]}"#, true), (#"{"data": [{"id": null}, {"id": "a"}]}"#, false),
            (#"{"data": [{"id": "a"}], "has_more": true}"#, false),
        ] {
            let page = try PageReader(entity).read(
                try node(#"{"data": [{"lines": \#(lines)}]}"#),
                of: HTTPResponse(status: 200, headers: []),
                from: "https://hub.example/feed", at: nil, begun: 9)
            var pass = PassState(
                beginning: entity, from: Checkpoint(entity: "video"), isFull: true, startedAt: 9)
            pass.add(page.batch)
            #expect(pass.mayEndInSweep(entity) == proves)
            #expect(pass.position.isWhole)
            // Another run goes on with what is known of the pass.
            let commit = pass.commit(entity, next: NextPosition(next: "2"), maxSeen: nil)
            #expect(commit.position.provesAbsence == proves)
        }
    }
}
