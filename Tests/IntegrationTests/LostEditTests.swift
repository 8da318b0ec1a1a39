import JSON
import Postgres
import Testing

/// Edits that are made while a run writes the same rows, or while nobody knows what the source has taken.
///
/// Luego is the hard case: its version is the source's own clock, and the source's copy wins.
@Suite struct LostEditTests {
    private let slowPush = #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#
    /// The source takes what was sent, and no answer comes.
    private let silentPush = #"{"kind": "cut", "after": 0, "op": "records/modify", "times": 0}"#

    /// An application's transaction that edits an article by plain SQL.
    private func openEdit(_ world: World, _ name: String, _ title: String) async throws
        -> OpenTransaction
    {
        try await OpenTransaction(
            world.database.url,
            "update synced.article set title = '\(title)', synced = false where record_name = '\(name)'"
        )
    }

    @Test func `an edit that is open while a full pass sweeps is kept and sent`() async throws {
        try await withArticles(10) { world in
            try await world.drain()
            try await world.remove(["article_4"], untold: true)
            // The first look notes that the record is lacking, the second would delete its row.
            try await world.enqueue(firstUser, full: true)
            try await world.drain()
            let before = try await world.runs(firstUser).count
            try await world.enqueue(firstUser, full: true)
            let edit = try await openEdit(world, "article_4", "mine")
            let worker = try await world.start()
            try await waitForLock(in: world.database.url)
            try await edit.commit()
            try await eventually("the run is over") {
                try await world.runs(firstUser).count == before + 1
            }
            await worker.stop()
            #expect(try await world.runs(firstUser).last?.int("swept") == 0)
            #expect(try await world.titles("article_4").here == "mine")
            try await world.runAgain()
            #expect(try await world.titles("article_4") == ("mine", "mine"))
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test func `an edit that is open while its push is noted is kept, and sent without a conflict`()
        async throws
    {
        try await withArticles(3) { world in
            try await world.drain()
            try await world.edit("article", #"{"record_name": "article_1", "title": "first"}"#)
            try await world.source.fault(slowPush)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitUntilHeld()
            let edit = try await openEdit(world, "article_1", "second")
            try await world.source.command("POST", "hurry", "{}")
            try await waitForLock(in: world.database.url)
            try await edit.commit()
            try await eventually("the run is over") {
                try await world.runs(firstUser).count == 2
            }
            await worker.stop()
            #expect(try await world.titles("article_1") == ("second", "first"))
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.map(\.operation) == ["changes/zone", "records/modify"])
            #expect(try await world.titles("article_1") == ("second", "second"))
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test func `an edit after a push whose answer was lost is kept and sent`() async throws {
        try await withArticles(3) { world in
            try await world.drain()
            for title in ["first", "second"] {
                try await world.edit(
                    "article", #"{"record_name": "article_1", "title": "\#(title)"}"#)
                try await world.source.fault(silentPush)
                try await world.runAgain()
                #expect(try await world.unsentArticles() == ["article_1"])
                try await world.source.command("DELETE", "faults", "")
            }
            #expect(try await world.titles("article_1").here == "second")
            try await world.edit("article", #"{"record_name": "article_1", "title": "third"}"#)
            try await world.runAgain()
            #expect(try await world.titles("article_1") == ("third", "third"))
            #expect(try await world.unsentArticles() == [])
        }
    }

    /// An article that was made here and whose push was not answered; the body gets its name.
    private func withUnansweredPush(
        _ body: (World, String) async throws -> Void
    ) async throws {
        try await withArticles(1) { world in
            try await world.drain()
            try await world.sql(
                "select jobrunner.save_record('acme', $1, 'article', '{\"url\": \"https://new\", \"title\": \"first\"}')",
                .text(firstUser))
            try await world.source.fault(silentPush)
            try await world.runAgain()
            try await world.source.command("DELETE", "faults", "")
            let name = try #require(try await world.unsentArticles().first)
            try await body(world, name)
        }
    }

    @Test func `an article made here whose push was not answered keeps its later edits`()
        async throws
    {
        try await withUnansweredPush { world, name in
            try await world.edit("article", #"{"record_name": "\#(name)", "title": "second"}"#)
            try await world.runAgain()
            #expect(try await world.titles(name) == ("second", "second"))
            #expect(try await world.upstream().count == 2)
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test func `an article deleted after a push that was not answered is deleted there too`()
        async throws
    {
        try await withUnansweredPush { world, name in
            try await world.sql(
                "select jobrunner.delete_record('acme', $1, 'article', jsonb_build_object('record_name', $2::text))",
                .text(firstUser), .text(name))
            try await world.runAgain()
            #expect(try await world.upstream().count == 1)
            #expect(try await world.articles().count == 1)
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.article") == "1")
        }
    }

    @Test func `an article that lives again after its deletion was sent stays`() async throws {
        try await withArticles(2) { world in
            try await world.drain()
            let key = #"{"record_name": "article_1"}"#
            try await world.sql(
                "select jobrunner.delete_record('acme', $1, 'article', $2::jsonb)",
                .text(firstUser), .text(key))
            try await world.source.fault(silentPush)
            try await world.runAgain()
            try await world.source.command("DELETE", "faults", "")
            #expect(try await world.upstream().count == 1)
            try await world.edit(
                "article", #"{"record_name": "article_1", "url": "https://u", "title": "again"}"#)
            try await world.runAgain()
            try await world.runAgain()
            #expect(try await world.titles("article_1") == ("again", "again"))
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test func `another device's edit still wins over one of ours that was never sent`()
        async throws
    {
        try await withArticles(1) { world in
            try await world.save([Article(name: "a", url: "https://u")])
            try await world.drain()
            try await world.edit("article", #"{"record_name": "a", "title": "first"}"#)
            try await world.source.fault(silentPush)
            try await world.runAgain()
            try await world.source.command("DELETE", "faults", "")
            try await world.edit("article", #"{"record_name": "a", "title": "second"}"#)
            try await world.save([Article(name: "a", url: "https://u", title: "theirs")])
            try await world.runAgain()
            #expect(try await world.titles("a") == ("theirs", "theirs"))
            #expect(try await world.unsentArticles() == [])
        }
    }

    /// The source's record is older, so that the row stands over it and it is not shown again.
    @Test func `a row that stands over a record of the source's takes it along when it is deleted`()
        async throws
    {
        let deletes = ("    push:\n", "    push:\n      deletes: true\n")
        try await withStatuses(1, changes: [deletes]) { world in
            try await world.drain()
            try await world.weAdd(1)
            try await world.deviceSaves(Save("new_00001", "skipped", statusBegin))
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "ACCESS_DENIED", "op": "records/modify"}"#)
            try await world.runAgain()
            #expect(try await world.local()["new_00001"]?.status == "watched")
            try await world.source.command("DELETE", "faults", "")
            try await world.sql("delete from synced.watched_status where video_id = 'new_00001'")
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await world.disagreements() == [])
            #expect(try await world.local().count == 1)
        }
    }
}
