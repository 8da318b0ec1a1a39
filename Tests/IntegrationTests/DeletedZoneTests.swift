import Postgres
import Testing

/// A zone that was read and is gone: its user deleted the app's data (docs/decisions/0060).
@Suite("Deleted zones") struct DeletedZoneTests {
    /// What an application learns: who can help, and the sentence for its user.
    private func notice(_ world: World) async throws -> String? {
        try await world.value(
            "select concat_ws(': ', needs, tells) from jobrunner.status_of('acme', $1)",
            .text(userName(1)))
    }

    private func repair(_ world: World) async throws {
        try await world.sql("select jobrunner.repair_jobs('acme', $1)", .text(userName(1)))
        try await world.runAgain()
    }

    @Test(arguments: [true, false])
    func `MS6 what a user has deleted is not filled in again, however often it is asked for`(
        _ isRemembered: Bool
    ) async throws {
        let changes = isRemembered ? [] : [("remember: true ", "remember: false")]
        try await withStatuses(3, changes: changes) { world in
            try await world.drain()
            let rows = try await world.local()
            #expect(try await notice(world) == "")
            let start = try await world.requestCount()
            try await world.deleteZone()
            try await world.weSave(Save("mine", "skipped", statusBegin))
            for _ in 0..<3 { try await world.runAgain() }
            #expect(
                try await world.story(from: start).filter { $0 != "users/caller" } == [
                    "changes/zone", "changes/zone", "changes/zone",
                ])
            #expect(
                try await world.outcomes(userName(1)).suffix(2) == [
                    "failed zone_gone", "failed zone_gone",
                ])
            #expect(
                try await notice(world)
                    == "repair: Your data of this app was deleted there. What is here is kept, and is not sent again unless you ask for it."
            )
            let kept = try await world.local()
            #expect(kept.filter { $0.key != "mine" } == rows && kept["mine"]?.isSynced == false)
            // It is told once, and one trouble of the entity.
            #expect(
                try await world.texts(
                    "select trouble from jobrunner.jobs_in_trouble order by trouble") == [
                        "failing", "zone_gone",
                    ])
        }
    }

    @Test func `MS6 a zone that is there again with its records is read on, and nobody has to act`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.source.fault(
                #"{"kind": "zone_error", "code": "ZONE_NOT_FOUND", "op": "changes/zone"}"#)
            try await world.runAgain()
            #expect(try await world.outcomes(userName(1)).last == "failed zone_gone")
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await notice(world) == "")
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS6 what a device saves into a zone of its own making comes here, ours stays here`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.deleteZone()
            try await world.runAgain()
            try await world.cloud(
                .metube, "zones", #""user": "\#(userName(1))", "create": ["WatchedStatusZone"]"#)
            try await world.deviceSaves(Save("later", "watched", statusBegin))
            try await world.runAgain()
            let later = try #require(try await world.local()["later"])
            #expect(later.save == Save("later", "watched", statusBegin) && later.isSynced)
            #expect(try await world.remote().keys.sorted() == ["later"])
            #expect(try await world.local().count == 4)
            #expect(try await notice(world)?.contains("deleted there") == false)
        }
    }

    @Test func `MS6 a repair makes the zone and pulls it from its beginning`() async throws {
        try await withStatuses(3) { world in
            try await world.drain()
            let rows = try await world.local()
            let start = try await world.requestCount()
            try await world.deleteZone()
            try await world.runAgain()
            try await repair(world)
            #expect(
                try await world.story(from: start) == [
                    "changes/zone", "changes/zone", "zones/lookup", "zones/modify", "changes/zone",
                    "records/modify", "changes/zone",
                ])
            #expect(try await world.unfinished() == [])
            #expect(try await notice(world) == "")
            // A zone that lost all its records takes none of ours with it.
            #expect(try await world.local().mapValues(\.save) == rows.mapValues(\.save))
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS30 a repair sends all that was in a deleted zone, edits and deletions too`()
        async throws
    {
        try await withStatuses(450) { world in
            try await world.drain()
            let rows = try await world.local().mapValues(\.save)
            try await world.deleteZone()
            let edit = Save(video(7), "skipped", statusBegin + 86_400_000_000)
            try await world.weSave(edit)
            // The first try dies before the zone is there.
            try await world.source.fault(
                #"{"kind": "zone_error", "code": "ACCESS_DENIED", "op": "zones/modify"}"#)
            try await repair(world)
            #expect(try await world.unfinished() != [])
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await world.disagreements() == [])
            #expect(try await world.remote() == rows.merging([edit.video: edit]) { $1 })
            // That is all: what was sent comes back in the feed, and nothing is sent once more.
            let start = try await world.requestCount()
            try await world.runAgain()
            #expect(Set(try await world.story(from: start)) == ["changes/zone"])
        }
    }

    @Test func `MS6 a zone that is missing again right after it was made ends the run`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            let rows = try await world.local()
            let start = try await world.requestCount()
            try await world.source.fault(
                #"{"kind": "zone_error", "code": "ZONE_NOT_FOUND", "op": "changes/zone", "times": 0}"#
            )
            try await repair(world)
            #expect(
                try await world.story(from: start).filter { $0 == "changes/zone" }.count == 2)
            #expect(try await world.outcomes(userName(1)).last == "failed zone_missing")
            #expect(try await world.local().mapValues(\.save) == rows.mapValues(\.save))
            // It is there again: the next run goes on by itself, and sends what may have been lost.
            try await world.source.heal()
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS6 a zone deleted between pull and push keeps the edits waiting`() async throws {
        try await withStatuses(0) { world in
            try await world.drain()
            try await world.weSave(Save("mine", "skipped", statusBegin))
            try await world.deleteZone(
                later: #""after_requests": 1, "after_op": "changes/zone""#)
            try await world.runAgain()
            #expect(try await world.outcomes(userName(1)).last == "failed zone_gone")
            #expect(try await world.local()["mine"]?.isSynced == false)
            try await repair(world)
            #expect(try await world.remote()["mine"]?.status == "skipped")
            #expect(try await world.local()["mine"]?.isSynced == true)
        }
    }
}
