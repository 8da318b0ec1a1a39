import JSON
import Postgres
import Testing

/// MeTube's statuses: what comes in from other devices.
@Suite struct StatusPullTests {
    @Test func `MS7 the first pull brings the whole zone, later ones what has changed`()
        async throws
    {
        try await withStatuses(250) { world in
            try await world.drain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.local().count == 250)
            try await world.deviceSaves(Save(video(7), "skipped", statusBegin + 1_000_000))
            try await world.runAgain()
            let pulls = try await world.source.log().filter { $0.text("op") == "changes/zone" }
            #expect(pulls.map { $0.int("records") } == [200, 50, 1])
            #expect(pulls.map { $0.text("token") == nil } == [true, false, false])
            #expect(pulls.last?.text("token") == pulls.dropLast().last?.text("next"))
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS8 the token moves in the transaction of the page it came with`() async throws {
        try await withStatuses(250) { world in
            try await world.keepTrail()
            // The second page can't be stored.
            try await world.sql(
                """
                create function public.refuse() returns trigger language plpgsql as
                $$ begin raise exception 'not this one'; end $$
                """)
            try await world.sql(
                """
                create trigger refuse before insert on synced.watched_status
                for each row when (new.video_id = 'vid_00249') execute function public.refuse()
                """)
            try await world.drain()
            #expect(try await world.local().count == 200)
            let halfway = try await world.checkpoint(userName(1))
            #expect(halfway.isNull("sync_token") && halfway.text("cursor") != nil)
            try await world.sql("drop trigger refuse on synced.watched_status")
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.checkpoint(userName(1)).text("sync_token") != nil)
            // The version of the checkpoint that has the token is of the second page's transaction.
            #expect(
                try await world.value(
                    """
                    select count(*) from synced.watched_status as w
                    where w.xmin = (
                      select t.xmin from public.trail as t where (t.k).sync_token is not null
                      order by t.id limit 1
                    )
                    """) == "50")
            let pulls = try await world.source.log().filter { $0.text("op") == "changes/zone" }
            #expect(pulls[1].text("token") == pulls[2].text("token"))
        }
    }

    @Test func `MS9 pages go on while more is coming, also through empty ones`() async throws {
        try await withStatuses(250) { world in
            try await world.source.fault(
                #"{"kind": "empty_page", "op": "changes/zone", "skip": 1, "times": 3}"#)
            try await world.drain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.unfinished() == [])
            let pulls = try await world.source.log().filter { $0.text("op") == "changes/zone" }
            #expect(pulls.map { $0.int("records") } == [200, 0, 0, 0, 50])
        }
    }

    @Test(arguments: ["BAD_REQUEST", "CHANGE_TOKEN_EXPIRED"])
    func `MS10 an expired token costs one full pass, whose sweep keeps unsent rows`(
        _ answer: String
    ) async throws {
        try await withStatuses(250) { world in
            try await world.drain()
            try await world.settings(#""expired_token": "\#(answer)""#)
            try await world.cloud(.metube, "expire", #""what": ["sync_tokens"]"#)
            // A pass has shown the one, and its deletion was told while the token was lost; the other only we have.
            try await world.sql(
                """
                insert into synced.watched_status (user_id, video_id, status, last_modified, change_tag)
                select id, 'ghost', 'watched', now(), 'theirs' from jobrunner.users where key = $1
                """, .text(userName(1)))
            try await world.sql(
                "update jobrunner.seen_pages set keys = keys || jobrunner.key_hash('ghost') where page_number = 1"
            )
            try await world.weSave(Save("mine", "watched", statusBegin))
            let before = try await world.requestCount()
            try await world.runAgain()
            #expect(
                try await world.story(from: before) == [
                    "changes/zone", "changes/zone", "changes/zone", "records/modify",
                ])
            #expect(try await world.local()["ghost"] != nil)
            // The second look, which a feed would not take by itself.
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            let rows = try await world.local()
            #expect(rows["ghost"] == nil && rows["mine"]?.isSynced == true && rows.count == 251)
            #expect(try await world.counter("swept") == 1)
            #expect(try await world.unfinished() == [])
        }
    }

    @Test func `MS10 a token that expires again in the same run is what the run fails of`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.source.fault(
                #"{"kind": "zone_error", "code": "CHANGE_TOKEN_EXPIRED", "op": "changes/zone", "times": 0}"#
            )
            try await world.runAgain()
            #expect(try await world.outcomes(userName(1)).last == "failed token_lost")
            #expect(try await world.local().count == 3)
        }
    }

    @Test func `MS11 a record is named as its video, and each user has a row of it`()
        async throws
    {
        try await withStatuses(3, users: 2) { world in
            try await world.weSave(Save("same", "watched", statusBegin), user: userName(1))
            try await world.weSave(Save("same", "skipped", statusBegin), user: userName(2))
            try await world.drain()
            for (number, status) in [(1, "watched"), (2, "skipped")] {
                #expect(try await world.disagreements(userName(number)) == [])
                #expect(try await world.remote(userName(number))["same"]?.status == status)
            }
            let names = "count(*), count(*) filter (where record_name = video_id)"
            #expect(
                try await world.value(
                    "select jsonb_build_array(\(names)) from synced.watched_status") == "[8, 8]")
        }
    }

    @Test
    func
        `MS12 a record without an id or a time, or with an unknown status, is skipped and counted`()
        async throws
    {
        try await withStatuses(3, broken: 2) { world in
            try await world.deviceSaves(Save("odd", "rewatching", statusBegin))
            for (name, missing) in [
                ("no_id", "videoId"), ("no_time", "lastModified"),
            ] {
                var fields = [
                    "videoId": #"{"value": "\#(name)", "type": "STRING"}"#,
                    "status": #"{"value": "watched", "type": "STRING"}"#,
                    "lastModified": #"{"value": 1735689600000, "type": "TIMESTAMP"}"#,
                ]
                fields[missing] = nil
                let members = fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
                try await world.cloud(
                    .metube, "edit",
                    #""user": "user-000001", "zone": "WatchedStatusZone", "records": [{"recordName": "\#(name)", "recordType": "WatchedStatus", "fields": {\#(members)}}]"#
                )
            }
            try await world.deviceSaves(Save("last", "watched", statusBegin))
            try await world.drain()
            #expect(
                Set(try await world.local().keys) == [video(0), video(1), video(2), "last"])
            #expect(try await world.counter("skipped_incompatible") == 5)
            #expect(try await world.counter("inserted") == 4)
            #expect(try await world.unfinished() == [])
        }
    }

    @Test func `MS29 a status row that was made without a word is unknown`() async throws {
        try await withStatuses(1) { world in
            try await world.cloud(
                .metube, "edit",
                #"""
                "user": "user-000001", "zone": "WatchedStatusZone", "records": [{"recordName": "bare",
                  "recordType": "WatchedStatus", "fields": {"videoId": {"value": "bare", "type": "STRING"},
                    "lastModified": {"value": 1735689600000, "type": "TIMESTAMP"}}}]
                """#)
            try await world.drain()
            #expect(try await world.local()["bare"]?.save.status == "unknown")
            #expect(try await world.counter("skipped_incompatible") == 0)
            // Nor is a row that is made here.
            try await world.sql(
                "select jobrunner.edit_record('acme', $1, 'watched_status', $2::text::jsonb)",
                .text(firstUser), .text(#"{"video_id": "ours"}"#))
            try await world.runAgain()
            #expect(try await world.remote()["ours"]?.status == "unknown")
            #expect(try await world.disagreements().filter { !$0.hasPrefix("bare:") } == [])
        }
    }

    @Test func `MS13 a status unknown here is inserted as synced, with the remote time`()
        async throws
    {
        try await withStatuses(0) { world in
            try await world.deviceSaves(Save("new", "watched", statusBegin + 5, position: 12.5))
            try await world.drain()
            let kept = try #require(try await world.local()["new"])
            #expect(kept.save == Save("new", "watched", statusBegin + 5, position: 12.5))
            #expect(kept.isSynced && kept.error == nil && kept.tag != nil)
            #expect(!(try await world.calls().contains("records/modify")))
        }
    }

    @Test func `MS14 only a strictly newer remote status replaces ours, and others are counted`()
        async throws
    {
        try await withStatuses(6) { world in
            try await world.drain()
            let edit = statusBegin + 1_000_000
            // Unsent edits meet an older, an equal and a newer one; so do rows that are clean.
            for number in 0..<3 {
                try await world.weSave(Save(video(number), "watched", edit, position: 1))
            }
            try await world.sql(
                """
                with run as materialized (select jobrunner.own_writes('on'))
                update synced.watched_status
                set last_modified = timestamptz 'epoch' + $1 * interval '1 ms', status = 'watched'
                from run where video_id >= $2
                """, .int8(Int64(edit)), .text(video(3)))
            for number in 0..<6 {
                try await world.deviceSaves(
                    Save(video(number), "skipped", edit + number % 3 - 1, position: 2))
            }
            // The push would settle what is unsent.
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "ACCESS_DENIED", "op": "records/modify"}"#)
            try await world.runAgain()
            let rows = try await world.local()
            let statuses = (0..<6).map { rows[video($0)]?.status }
            #expect(
                statuses == ["watched", "watched", "skipped", "watched", "watched", "skipped"])
            #expect(rows[video(0)]?.isSynced == false && rows[video(1)]?.isSynced == false)
            #expect(rows[video(2)]?.isSynced == true)
            #expect(try await world.counter("updated") == 2)
            #expect(try await world.counter("skipped_older") == 3)
            #expect(try await world.counter("unchanged") == 1)
        }
    }

    @Test func `MS15 a remote status keeps its own time, and is not sent back`() async throws {
        try await withStatuses(3) { world in
            try await world.drain()
            let start = try await world.requestCount()
            try await world.deviceSaves(Save(video(1), "skipped", statusBegin + 5_001))
            try await world.runAgain()
            #expect(try await world.local()[video(1)]?.modified == statusBegin + 5_001)
            try await world.runAgain()
            #expect(try await world.story(from: start) == ["changes/zone", "changes/zone"])
            // So another device that is newer than that, but older than now, wins.
            try await world.deviceSaves(Save(video(1), "watched", statusBegin + 5_002))
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS16 a deletion deletes the row of its name, and an unknown name is nothing`()
        async throws
    {
        try await withStatuses(5) { world in
            try await world.drain()
            try await world.deviceSaves(Save("brief", "watched", statusBegin))
            try await world.deviceDeletes(video(1), video(3), "brief")
            try await world.runAgain()
            #expect(Set(try await world.local().keys) == [video(0), video(2), video(4)])
            #expect(try await world.counter("deleted") == 2)
            #expect(try await world.counter("unchanged") == 1)
            #expect(try await world.unfinished() == [])
        }
    }

    @Test func `MS16 a status that comes again after its deletion is there again`() async throws {
        try await withStatuses(2) { world in
            try await world.drain()
            try await world.deviceDeletes(video(1))
            try await world.deviceSaves(Save(video(1), "skipped", statusBegin + 1_000_000))
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.local().count == 2)
        }
    }

    @Test
    func `MS17 where the file says so a deletion takes an unsent edit with it, which is counted`()
        async throws
    {
        try await withStatuses(3) { world in
            try await world.drain()
            try await world.weSave(Save(video(1), "skipped", statusBegin + 1_000_000))
            try await world.deviceDeletes(video(1))
            try await world.runAgain()
            #expect(Set(try await world.local().keys) == [video(0), video(2)])
            #expect(try await world.counter("edits_lost") == 1)
            #expect(try await world.disagreements() == [])
        }
    }

    @Test(arguments: ["pull", "push"])
    func `MS17 with local_edit_wins an unsent edit makes the deleted record anew`(
        _ found: String
    ) async throws {
        let policy = ("unsent: delete", "unsent: local_edit_wins")
        try await withStatuses(3, changes: [policy]) { world in
            try await world.drain()
            try await world.weSave(Save(video(1), "skipped", statusBegin + 1_000_000))
            if found == "pull" {
                try await world.deviceDeletes(video(1), video(2))
            } else {
                try await world.cloud(
                    .metube, "delete",
                    #""user": "user-000001", "zone": "WatchedStatusZone", "names": ["vid_00001", "vid_00002"], "after_requests": 1, "after_op": "changes/zone""#
                )
            }
            let start = try await world.requestCount()
            for _ in 0..<3 { try await world.runAgain() }
            #expect(Set(try await world.local().keys) == [video(0), video(1)])
            // A deletion that was pulled takes the tag along, which the source would refuse.
            #expect(
                try await world.story(from: start).count { $0 == "records/modify" }
                    == (found == "pull" ? 1 : 2))
            #expect(try await world.remote()[video(1)]?.status == "skipped")
            #expect(try await world.disagreements() == [])
        }
    }
}
