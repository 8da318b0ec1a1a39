import JSON
import JobFiles
import Postgres
import Runner
import TestSupport
import Testing

/// One article per URL, whichever device saved it.
@Suite struct LuegoMergeTests {
    @Test(arguments: [true, false])
    func `LU1 LU4 concurrent saves of a URL give one row, the source's where it has one`(
        _ isThere: Bool
    ) async throws {
        try await withArticles { world in
            if isThere { try await world.save([Article(name: "theirs", url: "https://u")]) }
            try await world.drain()
            let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        try await world.value(
                            """
                            select concat_ws(' ', record ->> 'record_name', case when is_new then 'new' end)
                            from jobrunner.save_record('acme', $1, 'article', '{"url": "https://u", "title": "t"}')
                            """, .text(firstUser))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1 ?? "") }
            }
            let names = Set(answers.map { $0.replacing(" new", with: "") })
            #expect(names.count == 1 && (!isThere || names == ["theirs"]))
            #expect(answers.count { $0.hasSuffix(" new") } == (isThere ? 0 : 1))
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.contains { $0.operation == "records/modify" } == !isThere)
            let there = try await world.cloudRecords(.luego, user: firstUser, zone: coreDataZone)
            #expect(Set(there.keys) == names)
            #expect(try await world.unsentArticles() == [])
        }
    }

    @Test
    func `LU5 LU10 all copies arrive, and losers go at the source too, though an answer is lost`()
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
            #expect(try await world.runs(firstUser).first?.int("inserted") == 3)
            #expect(try await world.upstream().count == 1)
            try await world.runAgain()
            #expect(try await world.articles() == ["r1 0 0 0"])
            #expect(try await world.value("select count(*) from synced.article") == "1")
            #expect(try await world.upstream() == ["r1 0 0 0"])
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(!calls.contains { $0.operation == "records/modify" })
        }
    }

    @Test
    func
        `LU6 LU7 LU8 LU9 LU11 whatever the order of arrivals, pages and runs, both sides end the same`()
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
        try await given(.done(name, ago: "\(minutes) min"))
    }
}
