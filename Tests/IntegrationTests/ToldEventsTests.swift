import JSON
import Postgres
import Testing

/// What an application's backend is told of runs, as rows and as notifications.
@Suite struct ToldEventsTests {
    @Test func `PO17 the beginning and the end of each sync are rows and notifications`()
        async throws
    {
        try await withMovies(3) { world in
            let listener = Listener(
                try world.database.configuration(), channels: ["jobrunner_event"])
            defer { listener.close() }
            var notifications = listener.events.makeAsyncIterator()
            #expect(await notifications.next() == .listening)
            try await world.drain()
            try await world.given(.noSecret())
            try await world.runAgain()
            let told = [
                "sync_began {}", "sync_ended complete 3", "sync_began {}",
                "sync_ended needs_reauth 0",
            ]
            // Other tests' transactions hold back what the view shows.
            try await eventually("the view shows them") {
                try await world.texts(
                    """
                    select concat_ws(' ', kind, coalesce((detail ->> 'outcome') || ' ' || (detail ->> 'changed'), detail::text))
                    from jobrunner.told_events where job = 'popcorn.refresh' and kind like 'sync%' order by transaction_id, id
                    """) == told
            }
            try await world.sql("select pg_notify('jobrunner_event', 'no more')")
            var heard: [String] = []
            while case .notification(_, let payload)? = await notifications.next(),
                payload != "no more"
            {
                heard.append(payload)
            }
            // Numbers alone: every login of the database may listen.
            let numbers = try await world.texts(
                "select tenant_id || ':' || id from jobrunner.users where key = '\(firstUser)'")
            #expect(heard.count >= 2 && Set(heard) == Set(numbers))
        }
    }

    @Test
    func `a run's rows are told with the pass that they came with, and that it is at its end`()
        async throws
    {
        let file =
            World.generic(
                "token", page: "style: token, token_at: next_token, size: 20, max_pages: 2",
                query: #"cursor: "{page.token}", since: "{since}""#,
                mode: "newest_wins, newer_by: updated_at",
                incremental: "incremental: { watermark: max_seen }") + "\nevents: [sync]\n"
        try await withWorld(file) { world in
            func told() async throws -> [String] {
                let told = try await world.texts(
                    """
                    select concat_ws(' ', e.entity, e.kind, e.detail ->> 'pass')
                    from jobrunner.events as e where e.kind like 'pass%' order by e.id
                    """)
                try await world.given(.noEvents())
                return told
            }
            try await world.addUser("ann", videos: 55)
            try await world.addUser("none", videos: 0)
            try await world.drain()
            // Of an account without a record nothing else would say that it is there; a pass in two runs is told in both.
            #expect(
                try await told().sorted() == [
                    "item pass_began first", "item pass_began first", "item pass_began first",
                    "item pass_ended first", "item pass_ended first",
                ])
            // The newest record is shown again; the account without one has nothing to tell.
            try await world.runAgain()
            #expect(
                try await told() == ["item pass_began incremental", "item pass_ended incremental"])
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "add", "videos": 3}"#)
            try await world.runAgain()
            #expect(
                try await told() == ["item pass_began incremental", "item pass_ended incremental"])
            _ = try await world.enqueue("ann", full: true)
            try await world.drain()
            #expect(try await told().last == "item pass_ended full")
        }
    }

    @Test func `LU28 each URL of which a sync finds several articles is told once`() async throws {
        try await withArticles { world in
            try await world.save([
                Article(name: "phone", url: "https://u", saved: 1000),
                Article(name: "tablet", url: "https://u", saved: 2000),
                Article(name: "other", url: "https://v", saved: 2000),
            ])
            try await world.drain()
            try await world.runAgain()
            #expect(
                try await world.told("duplicates_found") == [
                    #"article {"by": {"url": "https://u"}, "rows": 2}"#
                ])
        }
    }

    @Test(arguments: [(1_577_836_800_000, "ours"), (4_070_908_800_000, "theirs")])
    func `whose version of a record stays is told with the write that makes it so`(
        theirTime: Int, winner: String
    ) async throws {
        try await withArticles(0, changes: newestWins) { world in
            try await world.declare(.luego, "CD_Article", ["CD_lastModified": "TIMESTAMP"])
            try await world.save([Article(name: "a", url: "https://u")])
            try await world.drain()
            try await world.edit("article", #"{"record_name": "a", "title": "mine"}"#)
            // After the pull and before the push, so that the push meets it.
            try await world.cloud(
                .luego, "edit",
                """
                "user": "\(firstUser)", "zone": "\(coreDataZone)", "after_requests": 1, "after_op": "changes/zone",
                "records": [{"recordName": "a", "fields": {
                  "CD_title": {"value": "theirs"},
                  "CD_lastModified": {"value": \(theirTime), "type": "TIMESTAMP"}}}]
                """)
            try await world.runAgain()
            #expect(
                try await world.told("conflict_decided") == [
                    #"article {"record": "a", "winner": "\#(winner)"}"#
                ])
        }
    }

    @Test func `a zone that was made anew is told by its name`() async throws {
        try await withArticles { world in
            try await world.save([Article(name: "a", url: "https://u")])
            try await world.drain()
            try await world.cloud(
                .luego, "zones", #""user": "\#(firstUser)", "delete": ["\#(coreDataZone)"]"#)
            try await world.sql("select jobrunner.repair_jobs('acme', $1)", .text(firstUser))
            try await world.runAgain()
            #expect(
                try await world.told("zone_made") == [#"article {"zone": "\#(coreDataZone)"}"#])
            #expect(try await world.upstream() == ["a 0 0 0"])
        }
    }

    @Test func `a job file that asks for no events writes none`() async throws {
        try await withMovies(3, changes: [("events: [sync, conflicts]\n", "")]) { world in
            try await world.drain()
            #expect(try await world.texts("select kind from jobrunner.events") == [])
        }
    }
}

extension World {
    /// The events of a kind as `entity detail`, in order, those too that the view holds back while older transactions run.
    fileprivate func told(_ kind: String) async throws -> [String] {
        try await texts(
            """
            select concat_ws(' ', entity, detail::text) from jobrunner.events where kind = $1
            order by transaction_id, id
            """, .text(kind))
    }
}
