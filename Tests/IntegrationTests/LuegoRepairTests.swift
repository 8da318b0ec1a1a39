import JSON
import JobFiles
import Postgres
import Testing
import TestSupport

/// Restoring, repairing, and what is asked for while a run is under way.
@Suite struct LuegoRepairTests {
    private let state = "select state from jobrunner.entity_progress where user_key = $1"

    @Test func `LU20 an empty store without a marker is restored, and the state says so`()
        async throws
    {
        try await withArticles(5, changes: [("size: 200", "size: 2")]) { world in
            for round in 1...2 {
                try await world.hold("changes/zone", nth: 2)
                let worker = try await world.start()
                try await world.waitUntilHeld()
                #expect(try await world.value(state, .text(firstUser)) == "restoring")
                try await world.letGo()
                try await eventually("it is restored") {
                    try await world.value(state, .text(firstUser)) == "synced"
                }
                await worker.stop()
                #expect(try await world.articles().count == 5)
                guard round == 1 else { break }
                // The local store is lost, and with it all that was known of the source.
                try await world.sql("truncate synced.article")
                try await world.sql("select jobrunner.reset_jobs('acme')")
                try await world.makeDue()
            }
        }
    }

    @Test func `LU20 a later pass is no restoring`() async throws {
        try await withArticles(5, changes: [("size: 200", "size: 2")]) { world in
            try await world.drain()
            try await world.enqueue(firstUser, full: true)
            try await world.hold("changes/zone", nth: 2)
            let worker = try await world.start()
            try await world.waitUntilHeld()
            #expect(try await world.value(state, .text(firstUser)) == "reading")
            try await world.letGo()
            await worker.stop()
        }
    }

    @Test func `LU22 rows that a repair's pass does not show lose their tag, the others keep it`()
        async throws
    {
        try await withArticles(5) { world in
            try await world.drain()
            try await world.remove(["article_4"], untold: true)
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "op": "records/modify", "code": "ACCESS_DENIED"}"#)
            try await world.sql("select jobrunner.repair_jobs('acme', $1)", .text(firstUser))
            try await world.drain()
            #expect(
                try await world.texts(
                    "select record_name || ' ' || synced from synced.article where change_tag is null"
                ) == ["article_4 false"])
            try await world.runAgain()
            #expect(try await world.upstream().count == 5)
            #expect(
                try await world.texts(
                    "select record_name from synced.article where change_tag is null or not synced")
                    == [])
        }
    }

    @Test func `LU25 edits are sent together 250 ms after the first, and never two pushes at once`()
        async throws
    {
        try await withArticles(5) { world in
            try await world.drain()
            let worker = try await world.start()
            let before = try await world.cloudCalls().count
            // In one statement, so that no slow machine spreads them over two debounces.
            let edits = """
                select count(jobrunner.edit_record('acme', $1, 'article', jsonb_build_object(
                  'record_name', 'article_' || n, 'title', $2::text)))
                from generate_series(0, 4) as n
                """
            let began = try await microseconds(world)
            try await world.sql(edits, .text(firstUser), .text("first"))
            try await eventually("all are sent") { try await world.unsentArticles() == [] }
            var pushes = try await pushes(world, since: before)
            #expect(pushes.map(\.items) == [5])
            try await eventually("the run is over") {
                try await world.runs(firstUser).count == 2
            }
            let claimed = try await world.value(
                "select extract(epoch from max(started_at)) * 1000000 from jobrunner.runs")
            #expect(claimed.flatMap { Double($0) }.map { $0 - began >= 250_000 } == true)
            // Edits during a push wait for it, and then go together.
            try await world.hold("records/modify")
            try await world.sql(edits, .text(firstUser), .text("second"))
            try await world.waitUntilHeld()
            for word in ["third", "fourth"] {
                try await world.sql(edits, .text(firstUser), .text(word))
            }
            try await world.letGo()
            try await eventually("all are sent") { try await world.unsentArticles() == [] }
            await worker.stop()
            pushes = try await self.pushes(world, since: before)
            for (push, next) in zip(pushes, pushes.dropFirst()) {
                #expect(push.ended <= next.began)
            }
            #expect(try await world.titles("article_3") == ("fourth", "fourth"))
        }
    }

    private func microseconds(_ world: World) async throws -> Double {
        let text = try await world.value(
            "select extract(epoch from clock_timestamp()) * 1000000")
        return Double(text ?? "") ?? 0
    }

    private func pushes(_ world: World, since: Int) async throws -> [CloudCall] {
        try await world.cloudCalls().dropFirst(since).filter { $0.operation == "records/modify" }
    }
}
