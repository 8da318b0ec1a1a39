import JSON
import Postgres
import Runner
import Testing
import TestSupport

@Suite struct SportsOrderTests {
    @Test func `ST2 five thousand games are 25 pages of 200`() async throws {
        try await withSports("\"records\": 5000") { world in
            try await world.drain()
            let pages = try await world.queries("Game")
            #expect(pages.map(\.records) == [Int](repeating: 200, count: 25))
            #expect(Set(pages.map(\.token)).count == 25)
            #expect(try await world.count("st_game") == 5000)
            try await world.compareSports()
        }
    }

    @Test(arguments: [("Team", 1), ("Game", 2)])
    func `ST3 a cancel that nobody told the worker is seen before the next page`(
        _ type: String, _ page: Int
    ) async throws {
        try await withSports { world in
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 400, "record_type": "\#(type)", "nth": \#(page)}"#)
            let worker = try await world.start { $0.supervision = .seconds(3600) }
            try await world.waitForQuery(type, page)
            let asked = try await world.queries().count
            try await world.given(.time(.cancelRequested, in: "0 s"))
            try await eventually("the run ends") { try await world.runs("*").count == 1 }
            let run = try #require(try await world.runs("*").first)
            #expect(run.text("error_kind") == "cancelled")
            // The page that was under way is stored.
            #expect(run.int("pages") == asked)
            #expect(run.int("request_count") == asked)
            await worker.stop()
        }
    }

    @Test(arguments: ["a tick later", "asked for", "after a reset"])
    func `ST7 only the same tick goes on after what was done`(_ reason: String) async throws {
        try await withSports { world in
            try await world.cut("Sport")
            let asked = try await world.queries().count
            switch reason {
            case "a tick later":
                try await world.given(.staler("10 minutes"))
            case "asked for": try await world.enqueue("*")
            default: try await world.sql("select jobrunner.reset_jobs('acme')")
            }
            try await world.drain()
            let types = try await world.queries(from: asked).map(\.type)
            #expect(Set(types) == Set(SportsType.order))
            #expect(try await world.unfinished() == [])
        }
    }
}
