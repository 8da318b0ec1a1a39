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

    @Test func `SC2 known ids are not inserted again, and the new are counted`() async throws {
        try await withRecipes(12) { world in
            try await world.drain()
            let before = try await world.versions()
            try await world.share((1...3).map { recipe("new-\($0)") })
            try await world.makeStale("40 minutes")
            try await world.runAgain()
            let run = try await world.runs(firstUser).last
            #expect(run?.int("inserted") == 3)
            #expect(run?.int("unchanged") == 12)
            #expect(try await world.versions().isSuperset(of: before))
            #expect(try await world.recipes().count == 15)
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

    @Test func `SC11 a record without an id is counted, and the rest is stored`() async throws {
        try await withRecipes(8, broken: 2) { world in
            try await world.drain()
            let run = try #require(try await world.runs(firstUser).last)
            #expect(run.text("outcome") == "complete")
            #expect(run.int("skipped_incompatible") == 2)
            #expect(run.int("fetched") == 10)
            #expect(try await world.recipes().count == 8)
        }
    }

    @Test func `SC12 a record that can't be fetched is counted, and the next refresh brings it`()
        async throws
    {
        try await withRecipes(8) { world in
            let name = "recipe_\(firstUser)_3"
            // The first query is the probe.
            try await world.source.fault(
                #"{"kind": "record_error", "op": "records/query", "code": "INTERNAL_ERROR", "record_name": "\#(name)", "nth": 2}"#
            )
            try await world.drain()
            let run = try #require(try await world.runs(firstUser).last)
            #expect(run.text("outcome") == "complete")
            #expect(run.int("skipped_incompatible") == 1)
            #expect(try await world.recipes().count == 7)
            let failures = try await world.checkpoint(firstUser)["record_failures"]
            #expect(failures?.elements.map { $0.text("record") } == [name])
            // Nothing has changed upstream, and yet the probe must not excuse the run from reading.
            try await world.makeStale("40 minutes")
            try await world.runAgain()
            #expect(try await world.recipes().count == 8)
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

    @Test func `SC22 an edited recipe on the last page is read: known ids don't end a pass`()
        async throws
    {
        try await withRecipes(120) { world in
            try await world.drain()
            let name = "recipe_\(firstUser)_119"
            try await world.share([
                #"{"recordName": "\#(name)", "fields": {"title": {"value": "edited"}}}"#
            ])
            // The probe sees the newest recipe alone.
            try await world.makeStale("25 hours")
            try await world.runAgain()
            let run = try await world.runs(firstUser).last
            #expect(run?.int("updated") == 1)
            #expect(run?.int("unchanged") == 119)
            #expect(
                try await world.value(
                    """
                    select recipe_id from synced.recipe
                    where body -> 'fields' -> 'title' ->> 'value' = 'edited'
                    """) == "recipe_\(firstUser)_119")
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
