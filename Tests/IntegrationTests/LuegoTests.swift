import JSON
import JobFiles
import Postgres
import TestSupport
import Testing

/// What arrives, what is sent, and what happens where both meet.
@Suite struct LuegoTests {
    @Test
    func `LU17 deletedAt hides an article and takes it back, and a tombstone removes its row`()
        async throws
    {
        try await withArticles { world in
            var articles = (1...6).map { Article(name: "r\($0)", url: "https://u\($0)") }
            try await world.save(articles)
            try await world.drain()
            articles[0].isDeleted = true
            try await world.save([articles[0]])
            try await world.runAgain()
            let stored = "select count(*) from synced.article"
            #expect(try await world.articles().count == 5)
            #expect(try await world.value(stored) == "6")
            articles[0].isDeleted = false
            try await world.save([articles[0]])
            try await world.runAgain()
            #expect(try await world.articles().count == 6)
            try await world.remove(["r1"])
            try await world.runAgain()
            #expect(try await world.value(stored) == "5")
            #expect(try await world.runs(firstUser).last?.int("deleted") == 1)
        }
    }

    @Test(arguments: [("2020-01-01T00:00:00Z", "mine"), ("2099-01-01T00:00:00Z", "theirs")])
    func `LU18 by setting the newer copy wins`(time: String, winner: String) async throws {
        try await withArticles(0, changes: newestWins) { world in
            try await world.declare(.luego, "CD_Article", ["CD_lastModified": "TIMESTAMP"])
            try await world.save([Article(name: "a", url: "https://u")])
            try await world.drain()
            try await world.edit("article", #"{"record_name": "a", "title": "mine"}"#)
            let milliseconds = time.hasPrefix("2020") ? 1_577_836_800_000 : 4_070_908_800_000
            try await world.cloud(
                .luego, "edit",
                """
                "user": "\(firstUser)", "zone": "\(coreDataZone)"\(afterPull), "records": [{"recordName": "a", "fields": {
                  "CD_title": {"value": "theirs"},
                  "CD_lastModified": {"value": \(milliseconds), "type": "TIMESTAMP"}}}]
                """)
            try await world.runAgain()
            #expect(try await world.titles("a") == (winner, winner))
            #expect(try await world.unsentArticles() == [])
        }
    }

    private let afterPull = #", "after_requests": 1, "after_op": "changes/zone""#

    @Test func `LU19 in a repair an edit of what was deleted elsewhere is created again`()
        async throws
    {
        try await withArticles { world in
            try await world.save([
                Article(name: "a", url: "https://u"), Article(name: "b", url: "https://v"),
            ])
            try await world.drain()
            try await world.edit("article", #"{"record_name": "a", "title": "mine"}"#)
            // The repair's pull still sees it; its push does not find it any more.
            try await world.remove(["a"], after: afterPull)
            try await world.sql("select jobrunner.repair_jobs('acme', $1)", .text(firstUser))
            try await world.runAgain()
            #expect(try await world.articles() == ["a 0 0 0", "b 0 0 0"])
            try await world.runAgain()
            #expect(try await world.titles("a") == ("mine", "mine"))
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test
    func `LU26 the last five distinct failures of records are kept with code, wait and context`()
        async throws
    {
        let codes = [
            "ACCESS_DENIED", "QUOTA_EXCEEDED", "THROTTLED", "TRY_AGAIN_LATER", "INTERNAL_ERROR",
            "BAD_REQUEST", "ATOMIC_ERROR",
        ]
        try await withArticles(7, changes: [("size: 200", "size: 1")]) { world in
            for (number, code) in codes.enumerated() {
                try await world.source.fault(
                    #"{"kind": "record_error", "op": "changes/zone", "code": "\#(code)", "reason": "because", "retry_after": \#(number + 1)}"#
                )
            }
            try await world.drain()
            var kept = try await failures(world)
            #expect(kept.map { $0.text("code") } == codes.suffix(5).reversed())
            #expect(kept.map { $0.int("wait_s") } == [7, 6, 5, 4, 3])
            #expect(kept.map { $0.text("record") } == (2...6).reversed().map { "article_\($0)" })
            #expect(kept.allSatisfy { $0.text("reason") == "because" && $0.text("at") != nil })
            // What was seen before only moves to the front.
            try await world.source.fault(
                #"{"kind": "record_error", "op": "changes/zone", "code": "THROTTLED", "reason": "because"}"#
            )
            try await world.enqueue(firstUser, full: true)
            try await world.drain()
            kept = try await failures(world)
            #expect(
                kept.map { $0.text("code") } == [
                    "THROTTLED", "ATOMIC_ERROR", "BAD_REQUEST", "INTERNAL_ERROR",
                    "TRY_AGAIN_LATER",
                ])
        }
    }

    private func failures(_ world: World) async throws -> [JSONNode] {
        try await world.checkpoint(firstUser)["record_failures"].map { Array($0.elements) } ?? []
    }

    /// The source keeps texts in a form of its own, and makes a field of one.
    @Test
    func `what the source makes of a push is taken, but for a column that was edited meanwhile`()
        async throws
    {
        let slug = (
            "        deleted_at: {",
            "        slug: { at: titleSlug, type: text }\n        deleted_at: {"
        )
        try await withArticles(2, changes: [slug]) { world in
            try await world.declare(.luego, "CD_Article", ["CD_titleSlug": "STRING"])
            try await world.settingsOfLuego(#""normalises": true, "slug_of": "CD_title""#)
            try await world.drain()
            try await world.edit(
                "article", #"{"record_name": "article_1", "title": "  two   words "}"#)
            try await world.runAgain()
            let taken =
                "select concat_ws('|', title, slug, synced) from synced.article where record_name = 'article_1'"
            #expect(try await world.value(taken) == "two words|two-words|t")
            let calls = try await world.cloudCalls { for _ in 1...2 { try await world.runAgain() } }
            #expect(calls.map(\.operation) == ["changes/zone", "changes/zone"])

            try await world.edit(
                "article", #"{"record_name": "article_1", "title": " three  words"}"#)
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitUntilHeld()
            try await world.sql(
                "update synced.article set read_position = 7 where record_name = 'article_1'")
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("the run is over") {
                try await world.value(
                    "select count(*) from jobrunner.jobs where worker_id is not null") == "0"
            }
            await worker.stop()
            #expect(try await world.value(taken) == "three words|three-words|f")
            try await world.runAgain()
            #expect(try await world.value(taken) == "three words|three-words|t")
            #expect(
                try await world.value(
                    "select read_position from synced.article where record_name = 'article_1'")
                    == "7")
            #expect(try await world.unsentArticles() == [])
        }
    }
}
