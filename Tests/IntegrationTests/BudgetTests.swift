import JSON
import Postgres
import Runner
import Testing

@Suite struct BudgetTests {
    @Test func `what runs were granted and did not use is void after a second`() async throws {
        try await withWorld(World.metube([("per_second: 100000", "per_second: 20")]), videos: 5) {
            world in
            let worker = try await world.start(concurrency: 1) { $0.supervision = .seconds(3600) }
            // Runs that skip registration and reconcile are granted four requests and send two.
            for count in 1...4 {
                try await eventually("run \(count)") {
                    let asked = try await world.source.asked("feed").count
                    let state = try await world.job("ann").text("state")
                    return asked == count && state == "waiting"
                }
                if count < 4 { try await world.makeDue() }
            }
            // One request is left, and nothing comes in; its answer takes longer than a second.
            try await world.given(.rate(0.001), .tokens(1))
            try await world.source.fault(#"{"kind": "slow", "delay_ms": 1100, "path": "/health"}"#)
            try await world.makeDue()
            try await eventually("the answer") {
                let last = try await world.source.asked("health").last
                return last?.fault == "slow" && last?.state == "complete"
            }
            // It asks for more, and gets none.
            let before = worker.database.counts.statements
            try await eventually("the feed, or three looks at the budget") {
                let asked = try await world.source.asked("feed").count
                return asked > 4 || worker.database.counts.statements >= before + 3
            }
            #expect(try await world.source.asked("feed").count == 4)
            try await world.given(.rate(20))
            try await world.source.waitFor(5, "feed")
            await worker.stop()
        }
    }
}
