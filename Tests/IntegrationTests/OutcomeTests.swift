import JSON
import Postgres
import Testing

@Suite struct OutcomeTests {
    @Test func `AL1 what was fetched is the sum of what became of it, per entity and run`()
        async throws
    {
        let yaml = World.metube([("size: 100", "size: 40")])
        try await withWorld(yaml, videos: 300) { world in
            try await world.source.fault(
                #"{"kind": "duplicates", "count": 9, "path": "/api/users/*/feed", "nth": 2}"#)
            try await world.drain()
            try await world.enqueue("ann", full: true)
            try await world.drain()
            let names = [
                "inserted", "updated", "unchanged", "skipped_older", "skipped_incompatible",
                "filtered", "duplicate", "deleted",
            ]
            let served = try await world.source.asked("feed").map(\.records)
            let runs = try await world.runs("ann")
            #expect(runs.reduce(0) { $0 + ($1.int("fetched") ?? 0) } == served.reduce(0, +))
            try #require(runs.count == 2)
            for run in runs {
                let entity = try #require(run["entities"]?["video"])
                #expect(
                    run.int("fetched")
                        == names.reduce(0) { $0 + (run.int($1) ?? -1) })
                #expect(entity.int("fetched") == names.reduce(0) { $0 + (entity.int($1) ?? -1) })
                for name in names { #expect(entity.int(name) == run.int(name)) }
            }
            #expect(runs[0].int("duplicate") == 9)
            let expected = try await world.source.expected("ann")
            #expect(runs[0].int("inserted") == expected.kept)
            #expect(runs[1].int("unchanged") == expected.kept)
        }
    }

    @Test func `AL6 a run ends as complete, partial, deferred, skipped, needs_reauth or failed`()
        async throws
    {
        let yaml = World.generic(
            "token", page: "style: token, token_at: next_token, size: 10, max_pages: 1",
            query: #"cursor: "{page.token}""#,
            source: #"auth: { type: header, name: X-Key, value: "{secret.key}" }"#,
            schedule: ", requires: [{ user: wanted }]")
        try await withWorld(yaml, sealer: true) { world in
            for user in ["complete", "partial", "deferred", "skipped", "needs_reauth", "failed"] {
                try await world.addUser(user, videos: user == "partial" ? 20 : 5)
                if user != "skipped" {
                    try await world.given(.attributes(#"{"wanted": 1}"#, of: user))
                }
                if user != "needs_reauth" {
                    try await world.store("right-one", as: "key", of: user)
                }
            }
            try await world.store("wrong-one", as: "key", of: "needs_reauth")
            for user in ["complete", "needs_reauth"] {
                try await world.source.command(
                    "POST", "auth",
                    #"{"user": "\#(user)", "type": "header", "name": "X-Key", "value": "right-one"}"#
                )
            }
            try await world.source.fault(
                #"{"kind": "status", "status": 429, "headers": {"Retry-After": "4000"}, "user": "deferred"}"#
            )
            try await world.source.fault(#"{"kind": "status", "status": 400, "user": "failed"}"#)
            // Of a partial run that goes on at once, the first outcome is the question.
            try await world.drain()
            for user in ["complete", "deferred", "skipped", "needs_reauth", "failed"] {
                #expect(try await world.job(user).text("last_outcome") == user)
            }
            #expect(try await world.outcomes("partial") == ["partial page_cap", "complete"])
            #expect(try await world.job("deferred").int("consecutive_failures") == 0)
            #expect(try await world.job("failed").int("consecutive_failures") == 1)
        }
    }
}
