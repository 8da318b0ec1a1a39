import JSON
import Postgres
import Testing
import TestSupport

/// MeTube's statuses: what our side sends to the other devices.
@Suite struct StatusPushTests {
    private static let later = statusBegin + 1_000_000
    private static let afterPull = #""after_requests": 1, "after_op": "changes/zone""#

    @Test(arguments: [(0, []), (1, [1]), (200, [200]), (201, [200, 1]), (401, [200, 200, 1])])
    func `MS19 unsent rows go in batches of two hundred`(_ rows: Int, _ batches: [Int])
        async throws
    {
        try await withStatuses(0) { world in
            try await world.weAdd(rows)
            try await world.drain()
            let pushes = try await world.source.log().filter { $0.text("op") == "records/modify" }
            #expect(pushes.compactMap { $0.int("items") } == batches)
            #expect(try await world.disagreements() == [])
            #expect(try await world.remote().count == rows)
            #expect(try await world.counter("pushed") ?? 0 == rows)
            #expect(try await world.unfinished() == [])
        }
    }

    @Test func `MS20 a conflict that comes again and again leaves the row unsent, and says so`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.weSave(
                Save(video(1), "skipped", Self.later), Save(video(2), "skipped", Self.later))
            try await world.source.fault(
                #"{"kind": "record_error", "code": "CONFLICT", "op": "records/modify", "record_name": "vid_00001", "times": 3}"#
            )
            try await world.runAgain()
            var rows = try await world.local()
            #expect(rows[video(1)]?.isSynced == false)
            #expect(rows[video(1)]?.error?.contains("CONFLICT") == true)
            #expect(rows[video(2)]?.isSynced == true)
            #expect(
                try await world.unfinished() == [
                    "metube.status partial edits_refused the source refuses 1 edit, such as CONFLICT: changed again and again"
                ])
            try await world.runAgain()
            rows = try await world.local()
            #expect(rows[video(1)]?.isSynced == true && rows[video(1)]?.error == nil)
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS20 a record that can't be read gives way to our edit`() async throws {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.weSave(Save(video(1), "skipped", Self.later))
            try await world.deviceSaves(Save(video(1), "rewatching", Self.later + 1))
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.remote()[video(1)]?.status == "skipped")
        }
    }

    @Test func `MS22 what was taken before the source refused the rest is clean`() async throws {
        try await withStatuses(4) { world in
            try await world.drain()
            for number in 0..<4 {
                try await world.weSave(Save(video(number), "skipped", Self.later))
            }
            try await world.deviceSaves(
                Save(video(0), "unknown", Self.later - 1), later: Self.afterPull)
            try await world.source.fault(
                #"{"kind": "throttle", "retry_after": 7200, "op": "records/lookup"}"#)
            try await world.runAgain()
            #expect(try await world.job(userName(1)).text("last_outcome") == "deferred")
            let unsent = try await world.local().filter { !$0.value.isSynced }
            #expect(Set(unsent.keys) == [video(0)])
            try await world.given(.undeferred())
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.history()[video(1)]?.count == 2)
        }
    }
}
