import JSON
import JobFiles
import Postgres
import TestSupport
import Testing

/// Articles whose text is so long that Core Data keeps it as an asset.
@Suite struct LuegoAssetTests {
    /// The fixture's texts of articles from the tenth on are longer.
    private func withLongTexts(
        _ count: Int = 12, changes: [(String, String)] = [], _ body: (World) async throws -> Void
    ) async throws {
        let fixture = #""duplicates": 0, "broken": 0, "assets_above": {"CD_content": 19}"#
        try await withArticles(count, fixture, changes: changes, body)
    }

    /// The downloads that were answered, as statuses.
    private func downloads(_ world: World) async throws -> [Int] {
        try await world.source.log().filter { $0.text("path")?.hasPrefix("/assets") ?? false }
            .map { $0.int("status") ?? 0 }
    }

    private func content(_ world: World, _ name: String = "article_11") async throws -> String? {
        try await world.value(
            "select content from synced.article where record_name = $1", .text(name))
    }

    /// What an article's field is at the source; nil: it is not there.
    private func there(
        _ world: World, _ field: String, _ name: String = "article_11"
    ) async throws -> JSONNode? {
        try await world.cloudRecords(.luego, user: firstUser, zone: coreDataZone)[name]?["fields"]?[
            "CD_\(field)"]?["value"]
    }

    private func deviceSaves(
        _ world: World, _ fields: String, _ name: String = "article_11", after: String = ""
    ) async throws {
        try await world.cloud(
            .luego, "edit",
            #""user": "\#(firstUser)", "zone": "\#(coreDataZone)"\#(after), "records": [{"recordName": "\#(name)", "fields": {\#(fields)}}]"#
        )
    }

    private func unread(_ world: World) async throws -> String? {
        try await world.value(
            "select unread_fields::text from synced.article where record_name = 'article_11'")
    }

    @Test func `OW5 every text is the source's, and each asset is asked for once and unsigned`()
        async throws
    {
        try await withLongTexts(120, changes: [("size: 200", "size: 50")]) { world in
            try await world.drain()
            #expect(try await world.outcomes(firstUser) == ["complete"])
            #expect(
                try await world.texts("select content from synced.article").sorted()
                    == (0..<120).map { "What article \($0) says" }.sorted())
            #expect(try await downloads(world) == Array(repeating: 200, count: 110))
            #expect(!world.lines.all.contains { $0.contains("values unread") })
            try await world.runAgain()
            #expect(try await downloads(world).count == 110)
        }
    }

    @Test(arguments: [
        (#""kind": "status", "status": 404"#, "asset answered with 404"),
        (#""kind": "status", "status": 410"#, "asset answered with 410"),
        (#""kind": "replace", "from": "says", "to": "said""#, "asset with another checksum"),
        (
            #""kind": "replace", "from": "says", "to": """#,
            "asset of 16 bytes; the record says 20"
        ),
        (
            #""kind": "redirect", "location": "http://localhost:1/x""#,
            "asset that is redirected"
        ),
        (#""kind": "huge", "bytes": 40000000"#, "asset larger than an answer may be"),
        (#""kind": "huge", "bytes": 3000000"#, "1048576 are the most"),
    ]) func `OW5 a text that can't be had is told, and neither side loses anything`(
        fault: String, reason: String
    ) async throws {
        try await withLongTexts { world in
            // Two of them are asked for, and one comes.
            try await world.source.fault(#"{\#(fault), "path": "/assets", "nth": 2}"#)
            try await world.drain()
            #expect(try await world.outcomes(firstUser) == ["complete"])
            #expect(try await downloads(world).count == 2)
            let rows = try await world.texts(
                "select record_name from synced.article where content is null")
            #expect(rows.count == 1)
            let lost = try #require(rows.first)
            #expect(
                try await world.value(
                    "select unread_fields::text from synced.article where content is null")
                    == "{content,content#}")
            let unread = try await world.checkpoint(firstUser)["unread"]?["content"]
            #expect(unread?.int("count") == 1)
            #expect(unread?.text("example")?.contains(reason) == true, "\(unread?.rawText ?? "")")
            #expect(world.lines.all.contains { $0.contains("values unread") })
            #expect(!world.lines.all.contains { $0.contains("/assets/") })
            try await world.edit("article", #"{"record_name": "\#(lost)", "is_favorite": true}"#)
            try await world.runAgain()
            #expect(try await world.unsentArticles() == [])
            #expect(try await there(world, "isFavorite", lost)?.int == 1)
            #expect(try await there(world, "content_ckAsset", lost)?.int("size") == 20)
            #expect(try await there(world, "content", lost) == nil)
            // Who writes a text of their own means it.
            try await world.edit(
                "article", #"{"record_name": "\#(lost)", "content": "What I say"}"#)
            try await world.runAgain()
            #expect(try await there(world, "content", lost)?.string == "What I say")
            #expect(try await there(world, "content_ckAsset", lost) == nil)
        }
    }

    @Test func `an asset whose record says that it is too large is not asked for`() async throws {
        try await withLongTexts { world in
            let text = String(repeating: "x", count: 1_048_577)
            try await deviceSaves(world, #""CD_content": {"value": "\#(text)"}"#)
            try await world.drain()
            #expect(try await world.outcomes(firstUser) == ["complete"])
            #expect(try await downloads(world) == [200])
            #expect(try await content(world) == nil)
            #expect(
                try await world.checkpoint(firstUser)["unread"]?["content"]?.text("example")
                    == "asset of 1048577 bytes; 1048576 are the most")
        }
    }

    @Test func `a record leads to no other host`() async throws {
        try await withLongTexts { world in
            let other = try Hub(seed: 2)
            defer { other.stop() }
            for address in [
                other.base, "http://x.icloud-content.com", "https://icloud-content.com.example.org",
                "file:///etc/hostname", world.source.base.replacing("127.0.0.1", with: "localhost"),
            ] {
                try await deviceSaves(
                    world,
                    #""CD_content": null, "CD_content_ckAsset": {"value": {"downloadURL": "\#(address)/assets/x", "size": 3}, "type": "ASSETID"}"#
                )
                try await world.runAgain()
                #expect(try await world.job(firstUser).text("last_outcome") == "complete")
                #expect(try await content(world) == nil)
                #expect(try await unread(world) == "{content,content#}")
            }
            #expect(try await other.log().isEmpty)
            #expect(try await downloads(world) == [200])
        }
    }

    @Test(arguments: [
        (#""kind": "status", "status": 403"#, 1, "rejected"),
        (#""kind": "status", "status": 503"#, 3, "unavailable"),
        (#""kind": "cut", "after": 4"#, 3, "unavailable"),
    ]) func `a download that fails is its page's, of which nothing is stored`(
        fault: String, times: Int, kind: String
    ) async throws {
        let quick = [("rotates: true\n", "rotates: true\n  retry: { first: 20ms }\n")]
        try await withLongTexts(changes: quick) { world in
            try await world.source.fault(
                #"{\#(fault), "path": "/assets", "skip": 1, "times": \#(times)}"#)
            try await world.drain()
            #expect(try await world.outcomes(firstUser) == ["failed \(kind)"])
            #expect(try await world.value("select count(*) from synced.article") == "0")
            // Once is no failure where it may be asked for again.
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "path": "/assets", "nth": 2}"#)
            try await world.runAgain()
            #expect(try await world.job(firstUser).text("last_outcome") == "complete")
            #expect(try await content(world) == "What article 11 says")
        }
    }

    @Test func `interrupted between a download and the commit, the page comes again, once`()
        async throws
    {
        try await withLongTexts { world in
            try await world.source.fault(#"{"kind": "hang", "path": "/assets", "nth": 2}"#)
            let worker = try await world.start()
            try await world.waitUntilHeld()
            #expect(
                try await world.value("select jobrunner.cancel_jobs('acme', $1)", .text(firstUser))
                    == "1")
            try await eventually("the run ends") { try await world.runs(firstUser).count >= 1 }
            #expect(try await world.enqueue(firstUser) == "due")
            try await eventually("it goes on") { try await world.runs(firstUser).count >= 2 }
            await worker.stop()
            #expect(
                try await world.outcomes(firstUser) == ["partial cancelled", "complete"])
            #expect(try await world.runs(firstUser).map { $0.int("inserted") } == [0, 12])
            #expect(
                try await world.texts("select content from synced.article").sorted()
                    == (0..<12).map { "What article \($0) says" }.sorted())
            #expect(try await world.cloudCalls().count { $0.operation == "changes/zone" } == 2)
        }
    }

    @Test func `an edit of another field leaves the asset alone, one of the text replaces it`()
        async throws
    {
        try await withLongTexts { world in
            try await world.drain()
            try await world.edit("article", #"{"record_name": "article_11", "title": "mine"}"#)
            try await world.runAgain()
            #expect(try await world.titles("article_11") == ("mine", "mine"))
            #expect(try await content(world) == "What article 11 says")
            #expect(try await there(world, "content") == nil)
            #expect(try await there(world, "content_ckAsset")?.int("size") == 20)
            // Once more: that it is an asset is still known.
            try await world.edit("article", #"{"record_name": "article_11", "title": "again"}"#)
            try await world.runAgain()
            #expect(try await there(world, "content_ckAsset")?.int("size") == 20)
            try await world.edit(
                "article", #"{"record_name": "article_11", "content": "What I say"}"#)
            try await world.runAgain()
            #expect(try await there(world, "content")?.string == "What I say")
            #expect(try await there(world, "content_ckAsset") == nil)
            #expect(try await unread(world) == nil)
            try await world.runAgain()
            #expect(try await content(world) == "What I say")
            // A device makes it long again.
            try await deviceSaves(world, #""CD_content": {"value": "What a device says"}"#)
            try await deviceSaves(
                world, #""CD_content": {"value": "What a device says at length"}"#)
            try await world.runAgain()
            #expect(try await content(world) == "What a device says at length")
            #expect(try await world.unsentArticles() == [])
            // A text that is taken away is gone at the source too.
            try await world.edit("article", #"{"record_name": "article_11", "content": null}"#)
            try await world.runAgain()
            #expect(try await there(world, "content_ckAsset") == nil)
            #expect(try await there(world, "content") == nil)
        }
    }

    @Test func `a record that wins over an edit brings its long text along`() async throws {
        try await withLongTexts { world in
            try await world.drain()
            try await world.edit(
                "article", #"{"record_name": "article_11", "content": "What I say"}"#)
            try await deviceSaves(
                world, #""CD_title": {"value": "theirs"}"#,
                after: #", "after_requests": 1, "after_op": "changes/zone""#)
            try await world.runAgain()
            #expect(try await world.titles("article_11") == ("theirs", "theirs"))
            #expect(try await content(world) == "What article 11 says")
            #expect(try await unread(world)?.hasPrefix("{content#") == true)
            #expect(try await there(world, "content_ckAsset")?.int("size") == 20)
            #expect(try await downloads(world).allSatisfy { $0 == 200 })
        }
    }
}
