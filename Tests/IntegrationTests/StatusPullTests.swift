import JSON
import Postgres
import Testing

/// MeTube's statuses: what comes in from other devices.
@Suite struct StatusPullTests {
    @Test func `MS8 the token moves in the transaction of the page it came with`() async throws {
        try await withStatuses(250) { world in
            try await world.keepTrail()
            // The second page can't be stored.
            try await world.sql(
                """
                create function public.refuse() returns trigger language plpgsql security definer as
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

    @Test
    func `MS24 MS29 a status row that was made without a word or a position is unknown, at 0`()
        async throws
    {
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
            #expect(try await world.local()["bare"]?.save.position == 0)
            #expect(try await world.counter("skipped_incompatible") == 0)
            // Nor is a row that is made here.
            try await world.sql(
                "select jobrunner.edit_record('acme', $1, 'watched_status', $2::text::jsonb)",
                .text(firstUser), .text(#"{"video_id": "ours"}"#))
            try await world.runAgain()
            #expect(try await world.remote()["ours"]?.status == "unknown")
            #expect(try await world.remote()["ours"]?.position == 0)
            #expect(try await world.disagreements().filter { !$0.hasPrefix("bare:") } == [])
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
