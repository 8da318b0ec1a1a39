import JSON
import Postgres
import Testing

@testable import JobFiles

@Suite("Merging duplicates")
struct MergeTests {
    @Test
    func `LU6 the oldest saved date wins, rows without one last, and of equals the smallest name`()
        async throws
    {
        try await Articles.lend { world async throws in
            for (name, url, saved) in [
                ("b", "one", 20), ("a", "one", 30), ("d", "two", 5), ("c", "two", 5),
                ("e", "three", nil), ("f", "three", 9),
            ] {
                try await world.arrive(name, url: url, saved: saved)
            }
            #expect(try await world.merge() == 3)
            #expect(try await world.live() == ["b 0 0 0", "c 0 0 0", "f 0 0 0"])
        }
    }

    @Test func `LU7 favourite is or, LU8 archived is and, LU9 the read position is the greatest`()
        async throws
    {
        try await Articles.lend { world async throws in
            try await world.arrive("a", url: "one", saved: 1, archived: true, position: 3)
            try await world.arrive("b", url: "one", saved: 2, favourite: true, position: 9)
            try await world.arrive("c", url: "two", saved: 1, archived: true)
            try await world.arrive("d", url: "two", saved: 2, archived: true)
            try await world.merge()
            // Only a winner that changed is to be sent.
            #expect(try await world.live() == ["a 1 0 9*", "c 0 1 0"])
        }
    }

    @Test
    func `LU10 losers wait for their deletion at the source, those it never had go, and once`()
        async throws
    {
        try await Articles.lend { world async throws in
            try await world.arrive("a", url: "one", saved: 1)
            try await world.arrive("b", url: "one", saved: 2)
            try await world.script(
                "insert into synced.article (user_id, record_name, url, synced) values (1, 'c', 'one', false)"
            )
            #expect(try await world.merge() == 2)
            let rows =
                "select record_name || pending_delete || synced from synced.article order by 1"
            #expect(try await world.texts(rows) == ["afalsetrue", "btruefalse"])
            let before = try await world.versions()
            #expect(try await world.merge() == 0)
            #expect(try await world.versions() == before)
            // An edit of the winner stays: what is to go has had its say.
            try await world.script(
                "update synced.article set is_favorite = true where record_name = 'b'")
            #expect(try await world.merge() == 0)
        }
    }

    @Test
    func `LU14 rows of two users are never one, nor rows without a URL or softly deleted ones`()
        async throws
    {
        try await Articles.lend { world async throws in
            try await world.arrive("a", url: "one", saved: 1)
            try await world.arrive("b", url: "one", saved: 2, user: 2)
            try await world.arrive("c", url: nil, saved: 1)
            try await world.arrive("d", url: nil, saved: 2)
            try await world.arrive("e", url: "two", saved: 1)
            try await world.arrive("f", url: "two", saved: 2)
            try await world.script(
                "update synced.article set deleted_at = now() where record_name = 'e'")
            #expect(try await world.merge() == 0)
            #expect(try await world.merge(user: 2) == 0)
        }
    }

    @Test func `given keys restrict a merge to their rows`() async throws {
        try await Articles.lend { world async throws in
            for url in ["one", "two"] {
                try await world.arrive("1\(url)", url: url, saved: 1)
                try await world.arrive("2\(url)", url: url, saved: 2)
            }
            #expect(try await world.merge(["two", "none"]) == 1)
            #expect(try await world.live().count == 3)
        }
    }

    @Test func `LU11 whatever the order of arrivals and merges, the same rows stay`() async throws {
        try await Articles.lend { world async throws in
            var random = SystemRandomNumberGenerator()
            for round in 1...12 {
                try await world.script("truncate synced.article")
                let records = (1...7).map { number in
                    (
                        name: "r\(number)", url: ["x", "y"].randomElement(using: &random) ?? "x",
                        saved: [nil, 1, 2, 3].randomElement(using: &random) ?? nil,
                        favourite: Bool.random(using: &random),
                        archived: Bool.random(using: &random),
                        position: Int.random(in: 0...3, using: &random)
                    )
                }
                var results: Set<[String]> = []
                for user in 1...4 {
                    for record in records.shuffled(using: &random) {
                        try await world.arrive(
                            record.name, url: record.url, saved: record.saved,
                            favourite: record.favourite, archived: record.archived,
                            position: record.position, user: user)
                        if Bool.random(using: &random) {
                            try await world.merge(
                                Bool.random(using: &random) ? [record.url] : nil, user: user)
                        }
                    }
                    try await world.merge(user: user)
                    let before = try await world.versions()
                    #expect(try await world.merge(user: user) == 0)
                    #expect(try await world.versions() == before)
                    results.insert(
                        try await world.live(user: user).map { $0.split(separator: "*").joined() })
                }
                #expect(results.count == 1, "round \(round) of \(records): \(results)")
            }
        }
    }

    @Test
    func `PO5 hidden losers stay and leave the view, and the oldest row is always the one shown`()
        async throws
    {
        try await Articles.lend(losers: .keepHidden) { world async throws in
            try await world.arrive("b", url: "one", saved: 2)
            try await world.arrive("c", url: "one", saved: 3)
            #expect(try await world.merge() == 1)
            #expect(try await world.live() == ["b 0 0 0"])
            try await world.arrive("a", url: "one", saved: 1)
            #expect(try await world.merge() == 1)
            #expect(try await world.live() == ["a 0 0 0"])
            try await world.asRun("delete from synced.article where record_name = 'a'")
            #expect(try await world.merge() == 1)
            #expect(try await world.live() == ["b 0 0 0"])
            #expect(try await world.merge() == 0)
            #expect(try await world.text("select count(*)::text from synced.article") == "2")
        }
    }

    @Test func `LU12 doctor's question lists duplicates per user, and LU13 changes nothing`()
        async throws
    {
        try await Articles.lend { world async throws in
            let question = """
                select tenant || user_key || (value ->> 'url') || row_count
                from jobrunner.duplicates('article', '{url}')
                """
            try await world.arrive("a", url: "one", saved: 1)
            try await world.arrive("b", url: "one", saved: 2, user: 2)
            #expect(try await world.texts(question) == [])
            try await world.arrive("b", url: "one", saved: 2)
            let before = try await world.versions()
            #expect(try await world.texts(question) == ["acmeannone2"])
            #expect(try await world.versions() == before)
            try await world.merge()
            #expect(try await world.texts(question) == [])
            #expect(
                try await world.refusal("select * from jobrunner.duplicates('article', '{none}')")?
                    .hasPrefix("JR016") == true)
        }
    }

    @Test(arguments: [Unique.Losers.keepHidden, .delete])
    func `PO5 a table that knows neither pushes nor soft deletion is merged by its movie`(
        losers: Unique.Losers
    ) async throws {
        try await withTestDatabase { database async throws in
            var file = jobFile(
                "popcorn.refresh", table: "watchlist_movie", key: ["record_name"],
                fields: [
                    field("record_name", required: true), field("movie_id", .int),
                    field("created_at", .timestamp),
                ])
            file.entities[0].write.unique = Unique(
                by: ["movie_id"], keep: .newest, keepField: "created_at", merge: [], losers: losers)
            try await database.migrate([file])
            try await database.script(
                """
                insert into synced.watchlist_movie (user_id, record_name, movie_id, created_at)
                values (1, 'a', 7, '2020-01-01'), (1, 'b', 7, '2021-01-01'), (1, 'c', 8, null)
                """)
            let merge = "select jobrunner.merge_duplicates(1, 'watchlist_movie', '{7}')::text"
            #expect(try await database.texts(merge) == ["1"])
            #expect(try await database.texts(merge) == ["0"])
            let live = losers == .keepHidden ? "watchlist_movie_live" : "watchlist_movie"
            #expect(
                try await database.texts("select record_name from synced.\(live) order by 1") == [
                    "b", "c",
                ])
        }
    }

    @Test func `a table without a rule is not merged`() async throws {
        try await Articles.lend { world async throws in
            #expect(
                try await world.refusal("select jobrunner.merge_duplicates(1, 'recipe')")
                    == "JR016: no job file says which rows of table 'recipe' are one")
        }
    }
}
