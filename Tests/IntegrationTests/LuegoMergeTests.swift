import JSON
import JobFiles
import Postgres
import Runner
import TestSupport
import Testing

/// One article per URL, whichever device saved it.
@Suite struct LuegoMergeTests {
    @Test func `LU1 LU4 saves of a URL the source has already send nothing and give its row`()
        async throws
    {
        try await withArticles { world in
            try await world.save([Article(name: "theirs", url: "https://u")])
            try await world.drain()
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...6 {
                    group.addTask {
                        try await world.value(
                            """
                            select record ->> 'record_name' || ' ' || is_new
                            from jobrunner.save_record('acme', $1, 'article', '{"url": "https://u", "title": "t"}')
                            """, .text(firstUser))
                    }
                }
                for try await answer in group { #expect(answer == "theirs false") }
            }
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(!calls.contains { $0.operation == "records/modify" })
            #expect(try await world.upstream().count == 1)
        }
    }

    @Test func `LU4 concurrent saves of a new URL make one record at the source`() async throws {
        try await withArticles { world in
            try await world.drain()
            let names = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        try await world.value(
                            """
                            select record ->> 'record_name'
                            from jobrunner.save_record('acme', $1, 'article', '{"url": "https://u", "title": "t"}')
                            """, .text(firstUser))
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(names.count == 1)
            try await world.runAgain()
            #expect(
                Array(
                    try await world.cloudRecords(.luego, user: firstUser, zone: coreDataZone).keys)
                    == [names.first])
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test func `LU5 two devices' copies of a URL both arrive and then are one, at both sides`()
        async throws
    {
        try await withArticles { world in
            try await world.save([
                Article(name: "phone", url: "https://u", saved: 1000),
                Article(name: "tablet", url: "https://u", saved: 2000),
            ])
            try await world.drain()
            let run = try #require(try await world.runs(firstUser).last)
            #expect(run.int("inserted") == 2)
            #expect(try await world.articles() == ["phone 0 0 0"])
            #expect(try await world.upstream() == ["phone 0 0 0"])
        }
    }

    @Test
    func `LU6 the oldest save wins, of equal ones the smallest name, and none is the youngest`()
        async throws
    {
        try await withArticles { world in
            try await world.save([
                Article(name: "a", url: "https://one", saved: 2000),
                Article(name: "b", url: "https://one", saved: 1000),
                Article(name: "d", url: "https://two", saved: 1000),
                Article(name: "c", url: "https://two", saved: 1000),
                Article(name: "e", url: "https://three", saved: nil),
                Article(name: "f", url: "https://three", saved: 9000),
            ])
            try await world.drain()
            let winners = ["b 0 0 0", "c 0 0 0", "f 0 0 0"]
            #expect(try await world.articles() == winners)
            #expect(try await world.upstream() == winners)
        }
    }

    @Test func `LU7 LU8 LU9 favourite is or, archived is and, the position is the greatest`()
        async throws
    {
        try await withArticles { world in
            try await world.save([
                Article(name: "a", url: "https://one", saved: 1, isArchived: true, position: 3),
                Article(
                    name: "b", url: "https://one", saved: 2, isFavourite: true, isArchived: true,
                    position: 7),
                Article(name: "c", url: "https://two", saved: 1, isArchived: true, position: 5),
                Article(name: "d", url: "https://two", saved: 2, position: 1),
            ])
            try await world.drain()
            #expect(try await world.articles() == ["a 1 1 7", "c 0 0 5"])
            #expect(try await world.upstream() == ["a 1 1 7", "c 0 0 5"])
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test func `LU10 losers are deleted at the source too, and a lost answer does no harm`()
        async throws
    {
        try await withArticles { world in
            try await world.save(
                (1...3).map { (number: Int) in
                    Article(name: "r\(number)", url: "https://u", saved: number)
                })
            // The source does as it is told, and its answer never comes; each time it is asked again.
            try await world.source.fault(
                #"{"kind": "cut", "after": 1, "op": "records/modify", "times": 3}"#)
            try await world.drain()
            #expect(try await world.upstream().count == 1)
            try await world.runAgain()
            #expect(try await world.articles() == ["r1 0 0 0"])
            #expect(try await world.value("select count(*) from synced.article") == "1")
            #expect(try await world.upstream() == ["r1 0 0 0"])
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(!calls.contains { $0.operation == "records/modify" })
        }
    }

    @Test func `LU11 whatever the order of arrivals, pages and runs, both sides end the same`()
        async throws
    {
        var random = SystemRandomNumberGenerator()
        let articles = (1...12).map { number in
            Article(
                name: "r\(number + 100)",
                url: ["https://x", "https://y", "https://z"].randomElement(using: &random),
                saved: [nil, 1000, 2000, 3000].randomElement(using: &random) ?? nil,
                isFavourite: Int.random(in: 0...3, using: &random) == 0,
                isArchived: Int.random(in: 0...3, using: &random) > 0,
                position: Int.random(in: 0...5, using: &random))
        }
        let expected = merged(articles)
        let changes = [("size: 200", "size: 3")]
        try await withArticles(users: 4, changes: changes) { world in
            for user in 1...4 {
                // Each user's devices save the same articles in another order.
                var rest = articles.shuffled(using: &random)[...]
                while !rest.isEmpty {
                    let count = min(rest.count, Int.random(in: 1...7, using: &random))
                    try await world.save(Array(rest.prefix(count)), of: userName(user))
                    rest = rest.dropFirst(count)
                    if Bool.random(using: &random) { try await world.runAgain() }
                }
            }
            try await world.runAgain()
            for user in 1...4 {
                #expect(
                    try await world.articles(of: userName(user)) == expected, "of \(articles)")
                #expect(
                    try await world.upstream(of: userName(user)) == expected, "of \(articles)")
            }
            let rows = try await world.versions()
            try await world.runAgain()
            #expect(try await world.versions() == rows)
            #expect(try await world.unfinished() == [])
        }
    }

    /// What is to be left of articles.
    private func merged(_ articles: [Article]) -> [String] {
        Dictionary(grouping: articles, by: \.url).values.map { same in
            var winner = same[0]
            for article in same {
                let (theirs, ours) = (article.saved ?? .max, winner.saved ?? .max)
                if (theirs, article.name) < (ours, winner.name) { winner = article }
            }
            winner.isFavourite = same.contains(where: \.isFavourite)
            winner.isArchived = same.allSatisfy(\.isArchived)
            winner.position = same.map(\.position).max() ?? 0
            return winner.line
        }.sorted()
    }

    @Test
    func `LU12 LU13 duplicates are listed with their number, none is silence, none is changed`()
        async throws
    {
        try await withArticles { world in
            let question = """
                select user_key || ' ' || (value ->> 'url') || ' ' || row_count
                from jobrunner.duplicates('article', '{url}')
                """
            try await world.save([
                Article(name: "a", url: "https://u"), Article(name: "b", url: "https://v"),
            ])
            try await world.drain()
            #expect(try await world.texts(question) == [])
            // Plain SQL knows nothing of the rule.
            try await world.sql("update synced.article set url = 'https://u'")
            let rows = try await world.versions()
            #expect(try await world.texts(question) == ["\(firstUser) https://u 2"])
            #expect(try await world.versions() == rows)
            #expect(try await world.articles().count == 2)
        }
    }

    @Test func `LU28 duplicates are looked for each day, by a worker that runs`() async throws {
        try await withArticles { world in
            try await world.save([
                Article(name: "a", url: "https://u"), Article(name: "b", url: "https://v"),
            ])
            try await world.drain()
            try await world.sql("update synced.article set url = 'https://u'")
            let worker = try await world.start { $0.maintenance = .milliseconds(20) }
            for hours in [23, 25] {
                try await world.setChore("health", back: hours * 60)
                // Chores are done in an order: when this one was done twice, so was every other.
                for _ in 1...2 {
                    try await world.setChore("reconcile", back: 2)
                    try await eventually("chores were done") {
                        try await world.value(
                            "select done_at > now() - interval '1 minute' from jobrunner.chores where name = 'reconcile'"
                        ) == "true"
                    }
                }
                #expect(
                    hours == 25 || !world.lines.all.contains { $0.contains("duplicates found") })
            }
            try await eventually("they are told") {
                world.lines.all.contains { $0.contains("duplicates found") }
            }
            await worker.stop()
        }
    }

    @Test func `LU14 one URL of two users is two articles`() async throws {
        try await withArticles(users: 2) { world in
            for user in 1...2 {
                try await world.save(
                    [Article(name: "a\(user)", url: "https://u")], of: userName(user))
            }
            try await world.drain()
            for user in 1...2 {
                #expect(try await world.articles(of: userName(user)) == ["a\(user) 0 0 0"])
                #expect(try await world.upstream(of: userName(user)) == ["a\(user) 0 0 0"])
            }
        }
    }

    @Test func `LU15 URLs are compared as they are stored`() async throws {
        let urls = [
            "https://example.org/a", "https://example.org/a/", "https://EXAMPLE.org/a",
            "https://example.org/a?utm_source=x", "https://example.org/a#b", "http://example.org/a",
        ]
        try await withArticles { world in
            try await world.save(
                urls.enumerated().map { Article(name: "r\($0)", url: $1) })
            try await world.drain()
            #expect(
                try await world.texts("select url from synced.article_live order by record_name")
                    == urls)
        }
    }
}

extension World {
    /// A chore was done so many minutes ago.
    fileprivate func setChore(_ name: String, back minutes: Int) async throws {
        try await sql(
            "update jobrunner.chores set done_at = now() - $1 * interval '1 minute' where name = $2",
            .int8(Int64(minutes)), .text(name))
    }
}
