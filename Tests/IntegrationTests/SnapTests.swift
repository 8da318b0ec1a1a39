import JSON
import JobFiles
import Postgres
import Testing

@Suite struct SnapTests {
    @Test func `SC1 a refresh is one query for the recipes the user owns, and nothing else`()
        async throws
    {
        try await withCloud(.snapchef, #""records": 60"#, users: 2) { world in
            try await world.drain()
            let calls = try await world.cloudCalls()
            #expect(Set(calls.map(\.operation)) == ["records/query"])
            #expect(Set(calls.map(\.recordType)) == ["Recipe"])
            // The probe's one record aside, each recipe is asked for once, the two broken ones too.
            #expect(calls.filter { $0.records > 1 }.map(\.records).reduce(0, +) == 2 * 62)
            #expect(
                try await world.value(
                    """
                    select count(*) || ' ' || count(*) filter (where r.owner_id = u.key)
                    from synced.recipe as r join jobrunner.users as u on u.id = r.user_id
                    """) == "120 120")
        }
    }

    @Test func `SC3 fifty a page, newest first, until there is no marker`() async throws {
        try await withRecipes(120) { world in
            try await world.drain()
            let pages = try await world.cloudCalls().dropFirst()
            #expect(pages.map(\.records) == [50, 50, 20])
            #expect(
                pages.map(\.first) == [0, 50, 100].map { "recipe_\(firstUser)_\($0)" })
            #expect(
                pages.map(\.last) == [49, 99, 119].map { "recipe_\(firstUser)_\($0)" })
        }
    }

    @Test func `SC4 nobody signed in is skipped without a request and is no failure`()
        async throws
    {
        try await withRecipes(3) { world in
            try await world.drain()
            try await world.sql("select jobrunner.add_user('acme', 'guest', '{}')")
            let calls = try await world.cloudCalls { try await world.drain() }
            #expect(calls.isEmpty)
            let job = try await world.job("guest")
            #expect(job.text("last_outcome") == "skipped")
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_error"))
        }
    }

    @Test func `SC21 two records of one id on a page make one row, the newest`() async throws {
        try await withRecipes(2) { world in
            try await world.share([
                recipe("twin", name: "a", title: "older"),
                recipe("twin", name: "b", title: "newer"),
            ])
            try await world.drain()
            #expect(try await world.recipes().count == 3)
            let run = try await world.runs(firstUser).last
            #expect(run?.int("duplicate") == 1)
            #expect(
                try await world.value(
                    """
                    select body -> 'fields' -> 'title' ->> 'value' from synced.recipe
                    where recipe_id = 'twin'
                    """) == "newer")
        }
    }
}

/// A world with so many recipes of one user.
func withRecipes(
    _ count: Int, broken: Int = 0, changes: [(String, String)] = [],
    _ body: (World) async throws -> Void
) async throws {
    try await withCloud(
        .snapchef, #""records": \#(count), "broken": \#(broken)"#, changes: changes, body)
}

/// Ages that fall together: nobody uses rows while a refresh follows.
let oneStage = [("soft: 15m", "soft: 30m")]

/// A recipe as another device saves it, newer than those of the fixture.
func recipe(_ id: String, name: String? = nil, title: String = "A recipe") -> String {
    """
    {"recordName": "\(name ?? id)", "recordType": "Recipe", "fields": {
      "id": {"value": "\(id)"}, "ownerID": {"value": "\(firstUser)"}, "title": {"value": "\(title)"},
      "createdAt": {"value": 1735700000000, "type": "TIMESTAMP"}}}
    """
}

extension World {
    /// Another device saves recipes.
    func share(_ recipes: [String]) async throws {
        try await cloud(.snapchef, "edit", #""records": [\#(recipes.joined(separator: ", "))]"#)
    }

    func recipes() async throws -> [String] {
        try await texts("select recipe_id from synced.recipe order by 1")
    }
}
