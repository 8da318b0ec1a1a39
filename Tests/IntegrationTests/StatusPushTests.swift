import JSON
import Postgres
import Testing
import TestSupport

/// MeTube's statuses: what our side sends to the other devices.
@Suite struct StatusPushTests {
    private static let later = statusBegin + 1_000_000
    private static let afterPull = #""after_requests": 1, "after_op": "changes/zone""#

    @Test func `MS18 only rows that are not synced are sent`() async throws {
        try await withStatuses(20) { world in
            try await world.drain()
            let before = try await world.history()
            let start = try await world.requestCount()
            try await world.weSave(
                Save(video(3), "skipped", Self.later), Save(video(9), "watched", Self.later))
            try await world.runAgain()
            #expect(
                try await world.story(from: start, items: true) == [
                    "changes/zone 1", "records/modify 2",
                ])
            let after = try await world.history()
            #expect(
                Set(after.filter { before[$0.key] != $0.value }.keys) == [video(3), video(9)])
            #expect(try await world.disagreements() == [])
            #expect(try await world.counter("pushed") == 2)
        }
    }

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

    @Test(arguments: [
        ("EXISTS", "client oplock error updating record"),
        ("CONFLICT", "record to update already exists with a different change tag"),
    ])
    func `MS20 a conflict is looked up, and the newest status wins`(
        _ existing: String, _ reason: String
    ) async throws {
        try await withStatuses(5) { world in
            try await world.drain()
            try await world.settings(
                #""insert_existing": "\#(existing)", "stale_tag": "\#(reason)""#)
            let ours = [video(1), video(2), video(3), "new_1", "new_2"]
                .map { Save($0, "watched", Self.later, position: 1) }
            for save in ours { try await world.weSave(save) }
            // Other devices come between our pull and our push.
            try await world.deviceSaves(
                Save(video(1), "skipped", Self.later + 1),
                Save(video(2), "skipped", Self.later - 1),
                Save("new_1", "skipped", Self.later + 1), Save("new_2", "skipped", Self.later - 1),
                later: Self.afterPull)
            let start = try await world.requestCount()
            try await world.runAgain()
            #expect(
                try await world.story(from: start, items: true) == [
                    "changes/zone 1", "records/modify 5", "records/lookup 4", "records/modify 2",
                ])
            #expect(try await world.disagreements() == [])
            let rows = try await world.local()
            #expect(
                ours.map { rows[$0.video]?.status } == [
                    "skipped", "watched", "watched", "skipped", "watched",
                ])
            #expect(rows[video(1)]?.modified == Self.later + 1)
            #expect(try await world.counter("pushed") == 3)
            #expect(try await world.counter("push_failed") == 0)
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

    @Test func `MS21 a row edited while its push is in flight stays dirty`() async throws {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.weSave(
                Save(video(1), "skipped", Self.later), Save(video(2), "skipped", Self.later))
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitFor("records/modify")
            try await world.weSave(Save(video(1), "watched", Self.later + 7))
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("the push is noted") {
                try await world.local()[video(2)]?.isSynced == true
            }
            await worker.stop()
            let kept = try #require(try await world.local()[video(1)])
            #expect(kept.save == Save(video(1), "watched", Self.later + 7) && !kept.isSynced)
            // It has the new tag, so that the next push meets no conflict.
            let start = try await world.requestCount()
            try await world.runAgain()
            #expect(
                try await world.story(from: start, items: true) == [
                    "changes/zone 1", "records/modify 1",
                ])
            #expect(try await world.disagreements() == [])
            #expect(
                try await world.history()[video(1)]?.compactMap { $0?.status }
                    == ["watched", "skipped", "watched"])
        }
    }

    @Test
    func `MS22 OW1 of a batch that fails in part the good rows are clean, the bad ones say why`()
        async throws
    {
        try await withStatuses(9) { world in
            try await world.drain()
            for number in 0..<9 {
                try await world.weSave(Save(video(number), "skipped", Self.later))
            }
            try await world.source.fault(
                #"{"kind": "record_error", "code": "QUOTA_EXCEEDED", "reason": "no room", "op": "records/modify", "every": 3}"#
            )
            try await world.runAgain()
            let rows = try await world.local()
            let bad = rows.values.filter { !$0.isSynced }
            #expect(bad.count == 3)
            #expect(bad.allSatisfy { $0.error == "QUOTA_EXCEEDED: no room" })
            #expect(rows.values.filter(\.isSynced).allSatisfy { $0.error == nil })
            #expect(try await world.counter("pushed") == 6)
            #expect(try await world.counter("push_failed") == 3)
            #expect(
                try await world.unfinished() == [
                    "metube.status partial quota_exceeded the user's store at the source is full, so that 3 edits wait: QUOTA_EXCEEDED: no room"
                ])
            // Pulls go on in their rhythm: that edits wait is no failure of theirs.
            #expect(
                try await world.value(
                    "select consecutive_failures || ' ' || (due_at > now()) || ' ' || (last_success_at = last_run_at) from jobrunner.jobs where name = 'metube.status'"
                ) == "0 true true")
            let troubles = try await world.texts(
                "select concat_ws(' ', entity, trouble, detail) from jobrunner.jobs_in_trouble")
            #expect(
                troubles
                    == [
                        "watched_status quota_exceeded quota_exceeded: the user's store at the source is full: 3 edits made here wait until there is room"
                    ])
            #expect(
                try await world.value(
                    "select needs from jobrunner.status_of('acme', $1)", .text(userName(1)))
                    == "user")
            // The next run sends them, and the trouble is over; it makes no full pass of it.
            let start = try await world.requestCount()
            try await world.runAgain()
            #expect(
                try await world.story(from: start, items: true) == [
                    "changes/zone 1", "records/modify 3",
                ])
            #expect(try await world.disagreements() == [])
            #expect(try await world.local().values.allSatisfy { $0.error == nil })
            #expect(try await world.texts("select trouble from jobrunner.jobs_in_trouble") == [])
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
            try await world.sql("update jobrunner.jobs set deferred_until = null")
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.history()[video(1)]?.count == 2)
        }
    }

    @Test func `MS23 a local edit is unsent, and modified now`() async throws {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.sql(
                "select jobrunner.edit_record('acme', $1, 'watched_status', $2::text::jsonb)",
                .text(userName(1)), .text(#"{"video_id": "vid_00001", "status": "skipped"}"#))
            #expect(
                try await world.value(
                    """
                    select status || ' ' || synced || ' ' ||
                      (last_modified between now() - interval '1 minute' and now())
                    from synced.watched_status where video_id = 'vid_00001'
                    """) == "skipped false true")
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.remote()[video(1)]?.status == "skipped")
            // What comes back is the version that is here, to the millisecond.
            let before = try await world.versions()
            try await world.enqueue(userName(1), full: true)
            try await world.drain()
            #expect(try await world.versions() == before)
            #expect(try await world.counter("skipped_older") == 0)
        }
    }

    @Test func `MS24 a playback position that nobody gives is 0`() async throws {
        try await withStatuses(0) { world in
            try await world.cloud(
                .metube, "edit",
                #""user": "user-000001", "zone": "WatchedStatusZone", "records": [{"recordName": "theirs", "recordType": "WatchedStatus", "fields": {"videoId": {"value": "theirs", "type": "STRING"}, "status": {"value": "watched", "type": "STRING"}, "lastModified": {"value": 1735689600000, "type": "TIMESTAMP"}}}]"#
            )
            try await world.sql(
                "select jobrunner.edit_record('acme', $1, 'watched_status', $2::text::jsonb)",
                .text(userName(1)), .text(#"{"video_id": "ours", "status": "skipped"}"#))
            try await world.drain()
            #expect(try await world.local().mapValues(\.save.position) == ["theirs": 0, "ours": 0])
            #expect(try await world.remote()["ours"]?.position == 0)
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS25 a run tells what it pulled and pushed, and is stamped when both are done`()
        async throws
    {
        try await withStatuses(7) { world in
            try await world.weSave(
                Save("a", "watched", statusBegin), Save("b", "watched", statusBegin))
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "ACCESS_DENIED", "op": "records/modify"}"#)
            try await world.drain()
            #expect(try await world.outcomes(userName(1)) == ["failed access_denied"])
            #expect(try await world.counter("inserted") == 7)
            #expect(try await world.counter("pushed") == 0)
            #expect(try await world.job(userName(1)).isNull("last_success_at"))
            try await world.deviceSaves(Save("c", "watched", statusBegin))
            try await world.runAgain()
            #expect(try await world.counter("inserted") == 1)
            #expect(try await world.counter("pushed") == 2)
            #expect(!(try await world.job(userName(1)).isNull("last_success_at")))
            #expect(try await world.disagreements() == [])
        }
    }
}
