import Basics
import Foundation
import JSON
import JobQueue
import Postgres
import Testing

/// Tokens that one device stored serve whatever else is the user's: a record brings a secret.
@Suite struct BroughtSecretTests {
    private let ann = userName(1)
    private let job = "metube.channels"

    @Test
    func `MS31 a token that a device stored lets another job of the user run, which waits for it`()
        async throws
    {
        try await withTokens { world in
            try await world.also(World.reader())
            try await world.source.command(
                "POST", "users", #"{"id": "\#(ann)", "videos": 5, "registered": true}"#)
            try await world.source.command(
                "POST", "auth", #"{"user": "\#(ann)", "type": "bearer", "token": "first-token"}"#)
            try await world.drain()
            #expect(try await world.state(of: job) == "needs_reauth")
            #expect(try await world.secret() == nil)
            try await world.deviceStores("first-token")
            try await world.runAgain()
            #expect(try await world.secret() == "first-token")
            #expect(try await world.state(of: job) == "waiting")
            #expect(try await world.unfinished() == [])
            #expect(try await world.value("select count(*)::text from synced.generic_item") != "0")
            #expect(
                try await world.rows("select * from synced.youtube_token").map {
                    $0.text("device")
                } == ["phone"])
        }
    }

    @Test func `MS31 a token that is the secret already changes nothing and wakes nobody`()
        async throws
    {
        try await withTokens { world in
            try await world.also(World.reader())
            try await world.deviceStores("a-token")
            try await world.drain()
            let first = try await world.secretRow()
            let version = try await world.value(
                "select version || ' ' || updated_at || encode(sealed, 'hex') from jobrunner.secrets where name = $1",
                .text(tokenName))
            // Shown once more, by a full pass, it writes nothing at all.
            try await world.sql("select jobrunner.reset_jobs('acme', $1)", .text(ann))
            try await world.runAgain()
            #expect(try await world.secretRow() == first)
            // Stored once more, by the device and by another one, it is noted as current.
            try await world.given(.needingSecret(.named(job)))
            try await world.deviceStores("a-token")
            try await world.deviceStores("a-token", on: "tablet")
            try await world.runAgain()
            #expect(try await world.state(of: job) == "needs_reauth")
            #expect(
                try await world.value(
                    "select version || ' ' || updated_at || encode(sealed, 'hex') from jobrunner.secrets where name = $1",
                    .text(tokenName)) == version)
            #expect(
                try await world.value("select count(*)::text from synced.youtube_token") == "2")
        }
    }

    @Test func `MS31 the newest token counts, on whichever device and page it stands`() async throws
    {
        for size in ["100", "1"] {
            try await withTokens(changes: [("size: 100", "size: \(size)")]) { world in
                let begin = statusBegin
                try await world.deviceStores("oldest", on: "old", modified: begin)
                try await world.deviceStores("newest", on: "new", modified: begin + 2000)
                try await world.deviceStores("older", on: "middle", modified: begin + 1000)
                try await world.drain()
                #expect(try await world.secret() == "newest")
                // A device that comes late with an old token.
                try await world.deviceStores("late", on: "late", modified: begin + 1500)
                try await world.runAgain()
                #expect(try await world.secret() == "newest")
                try await world.deviceStores("newer", on: "old", modified: begin + 3000)
                try await world.runAgain()
                #expect(try await world.secret() == "newer")
                try await world.sql("select jobrunner.reset_jobs('acme', $1)", .text(ann))
                try await world.runAgain()
                #expect(try await world.secret() == "newer")
                #expect(try await world.unfinished() == [])
                #expect(
                    try await world.value("select count(*)::text from synced.youtube_token") == "4")
            }
        }
    }

    @Test func `MS31 what a person sets wins until it is removed, whatever time a record bears`()
        async throws
    {
        try await withTokens { world in
            try await world.store("by-hand", as: tokenName, of: ann)
            try await world.deviceStores("older", modified: statusBegin)
            try await world.drain()
            #expect(try await world.secret() == "by-hand")
            try await world.deviceStores("newer", on: "tablet")
            try await world.runAgain()
            #expect(try await world.secret() == "by-hand")
            try await world.sql(
                "select jobrunner.remove_secret('acme', $1, $2)", .text(ann), .text(tokenName))
            try await world.deviceStores("newest", on: "tablet")
            try await world.runAgain()
            #expect(try await world.secret() == "newest")
            try await world.store("by-hand-again", as: tokenName, of: ann)
            try await world.sql("select jobrunner.reset_jobs('acme', $1)", .text(ann))
            try await world.runAgain()
            #expect(try await world.secret() == "by-hand-again")
        }
    }

    @Test
    func `MS31 a record of a time to come brings nothing, and one of a clock a little ahead does`()
        async throws
    {
        try await withTokens { world in
            let minute = 60_000
            let now = Int(Date().timeIntervalSince1970 * 1000)
            try await world.deviceStores("in-the-year-2100", modified: 4_102_444_800_000)
            try await world.deviceStores("in-an-hour", on: "tablet", modified: now + 60 * minute)
            try await world.drain()
            #expect(try await world.secret() == nil)
            try await world.deviceStores("now", on: "watch", modified: now + minute)
            try await world.runAgain()
            #expect(try await world.secret() == "now")
        }
    }

    @Test func `MS31 a deleted token leaves the secret, and so does a record without one`()
        async throws
    {
        try await withTokens { world in
            try await world.deviceStores("a-token")
            try await world.drain()
            try await world.cloud(
                .metube, "delete",
                #""user": "\#(ann)", "zone": "\#(tokenZone)", "names": ["phone"]"#)
            try await world.deviceStores("", on: "tablet")
            try await world.cloud(
                .metube, "edit",
                #""user": "\#(ann)", "zone": "\#(tokenZone)", "records": [{"recordName": "watch", "recordType": "YouTubeToken", "fields": {}}]"#
            )
            try await world.runAgain()
            #expect(try await world.secret() == "a-token")
            #expect(
                try await world.texts("select record_name from synced.youtube_token order by 1")
                    == ["tablet", "watch"])
        }
    }

    @Test(arguments: ["", "one\ntwo", "bell\u{7}", String(repeating: "t", count: 16 * 1024 + 1)])
    func `MS31 a token that can be none leaves the one that is stored`(_ token: String) async throws
    {
        try await withTokens { world in
            try await world.deviceStores("first")
            try await world.drain()
            #expect(try await world.secret() == "first")
            let before = try await world.secretRow()
            try await world.deviceStores(token, on: "tablet")
            try await world.runAgain()
            #expect(try await world.secretRow() == before)
            #expect(try await world.job(userName(1)).text("last_outcome") == "complete")
            #expect(
                world.lines.all.contains { $0.contains("no line of text") } == !token.isEmpty)
        }
    }

    @Test func `MS31 a page that changes no row brings its token all the same`() async throws {
        // Pages that bring a web token don't wait for the commit of another one.
        let changes = [("size: 100", "size: 1"), ("rotates: true", "rotates: false")]
        try await withTokens(changes: changes) { world in
            // The newest stands on the first page, and the last one is committed in any case.
            for (token, second) in [("newest", 3), ("oldest", 1), ("middle", 2)] {
                try await world.deviceStores(
                    token, on: token, modified: statusBegin + second * 1000)
            }
            try await world.drain()
            // As if the file had learned of the secret since.
            try await world.given(.noSecret(tokenName), .otherQuestion())
            try await world.runAgain()
            #expect(try await world.secret() == "newest")
            #expect(try await world.unfinished() == [])
            #expect(
                try await world.value(
                    "select (counters).unchanged::text from jobrunner.checkpoints")
                    == "3")
        }
    }

    // MARK: Together with the page

    @Test func `MS31 a token is stored in the transaction of its page, and with it fails`()
        async throws
    {
        try await withTokens { world in
            try await world.deviceStores("a-token")
            // What the page writes is refused when all of it is done.
            try await world.sql(
                """
                create function public.refuse() returns trigger language plpgsql security definer as
                $$ begin raise exception 'not today' using errcode = 'P0001'; end $$
                """)
            try await world.sql(
                """
                create constraint trigger refuse after insert on synced.youtube_token
                deferrable initially deferred for each row execute function public.refuse()
                """)
            try await world.drain()
            #expect(try await world.secret() == nil)
            #expect(try await world.value("select count(*)::text from synced.youtube_token") == "0")
            try await world.sql("drop trigger refuse on synced.youtube_token")
            try await world.runAgain()
            #expect(try await world.secret() == "a-token")
            #expect(
                try await world.value(
                    """
                    select s.xmin = k.xmin and s.xmin = t.xmin
                    from jobrunner.secrets as s, jobrunner.checkpoints as k, synced.youtube_token as t
                    where s.name = 'youtube_refresh_token'
                    """) == "true")
        }
    }

    @Test func `MS31 a run that has lost its job brings no token`() async throws {
        try await withTokens { world in
            try await world.deviceStores("a-token")
            let job = try await world.claim()
            try await world.giveUpWorkers()
            #expect(try await world.run(job) == nil)
            #expect(try await world.secret() == nil)
            #expect(try await world.value("select count(*)::text from synced.youtube_token") == "0")
        }
    }

    @Test func `MS31 a token whose commit was never confirmed is stored once`() async throws {
        try await withTokens { world in
            try await world.deviceStores("a-token")
            let relay = try ReplyEater(to: world.database.url, after: "full", eaten: [1])
            let pool = Database(
                try DatabaseConfiguration(conninfo: relay.url, applicationName: "test", lanes: 1))
            let run = try #require(
                try await world.run(try await world.claim(), over: Queue(pool)))
            #expect(run.outcome == .complete, "\(run)")
            #expect(try await world.secret() == "a-token")
            #expect(
                try await world.value(
                    "select version = max(version) over () from jobrunner.secrets where name = $1",
                    .text(tokenName)) == "true")
            await pool.close()
        }
    }

    @Test func `MS31 the run that brings a token keeps its own turn to use the web token`()
        async throws
    {
        try await withTokens(changes: [("size: 100", "size: 1")]) { world in
            try await world.settings(#""token_mode": "strict""#)
            try await world.deviceStores("one", on: "one")
            try await world.deviceStores("two", on: "two")
            try await world.source.fault(#"{"kind": "hang", "op": "changes/zone", "nth": 2}"#)
            let worker = try await world.start()
            try await world.waitFor("changes/zone", 2)
            #expect(try await world.secret() == "one")
            #expect(
                try await world.texts(
                    "select job_name from jobrunner.renewals where credential = 'ck_web_auth_token'"
                )
                    == ["metube.tokens"])
            await worker.stop()
            try await world.source.heal()
            try await world.runAgain()
            #expect(try await world.secret() == "two")
            #expect(try await world.unfinished() == [])
        }
    }

    @Test
    func `MS31 a page that brings a token and a verb for all jobs of its user wait in one order`()
        async throws
    {
        try await withTokens { world in
            try await world.also(World.reader())
            try await world.given(.needingSecret(.named(job)))
            let user = try await world.userID(ann)
            let tenant = try await world.value("select id from jobrunner.tenants") ?? ""
            let page = try await OpenTransaction(
                world.database.url,
                "select jobrunner.hold_secrets(\(tenant), \(user), 'metube.tokens')")
            async let paused: Void = {
                _ = try await world.sql("select jobrunner.pause_jobs('acme', $1)", .text(ann))
            }()
            try await waitForLock(in: world.database.url)
            let sealed = Hex.encode(try await world.sealed("x", as: "a", of: ann))
            try await page.run(
                "select jobrunner.bring_secret(\(tenant), \(user), 'metube.tokens', 'a', '\\x\(sealed)', now())"
            )
            try await page.commit()
            try await paused
            #expect(
                try await world.texts("select distinct state from jobrunner.jobs") == ["paused"])
        }
    }

    @Test func `MS31 without a key file nothing is asked, since nothing could be sealed`()
        async throws
    {
        let yaml = World.generic(
            "single", page: "style: single", mode: "newest_wins, newer_by: updated_at",
            fields: """
                id: { at: id, type: text, required: true }
                updated_at: { at: updated_at, type: timestamp }
                """
        ).replacing("limit: \"{page.size}\"", with: "")
            .replacing(
                "      key: [id]",
                with: "      key: [id]\n      secrets: { item_token: { at: name } }")
        try await withSyncedWorld(yaml, videos: 5) { world async throws in
            #expect(try await world.outcomes("ann") == ["deferred no_key"])
            #expect(try await world.source.asked().isEmpty)
        }
    }
}
