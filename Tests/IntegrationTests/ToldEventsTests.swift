import JSON
import Postgres
import TestSupport
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
            try await world.sql("delete from jobrunner.secrets")
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
                    from jobrunner.told_events where job = 'popcorn.refresh' order by transaction_id, id
                    """) == told
            }
            try await world.sql("select pg_notify('jobrunner_event', 'no more')")
            var heard: [String] = []
            while case .notification(_, let payload)? = await notifications.next(),
                payload != "no more"
            {
                let node = try JSONDocument(parsing: Array(payload.utf8)).root
                heard.append(
                    ["kind", "tenant", "user", "job"].map { node.text($0) ?? "-" }
                        .joined(separator: " "))
            }
            #expect(
                heard
                    == ["sync_began", "sync_ended", "sync_began", "sync_ended"].map {
                        "\($0) acme \(firstUser) popcorn.refresh"
                    })
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
        let fixture = #""duplicates": 0, "broken": 0, "schema": false"#
        try await withArticles(0, fixture, changes: newestWins) { world in
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
