import JSON
import JobFiles
import Postgres
import Testing

@Suite struct AppsTests {
    @Test(arguments: [
        CloudApp.metube, .sportstime, .snapchef, .luego, .popcorn,
    ]) func `a second run of an app on unchanged data writes no row version`(
        _ app: CloudApp
    ) async throws {
        let size = app.fixture == "sportstime" ? "\"records\": 450" : "\"records\": 250"
        try await withCloud(app, size) { world in
            try await world.drain()
            let first = try await world.versions()
            var unfinished = try await world.unfinished()
            #expect(unfinished == [])
            #expect(!first.isEmpty)
            try await world.makeStale()
            try await world.runAgain()
            unfinished = try await world.unfinished()
            #expect(unfinished == [])
            #expect(try await world.versions() == first)
        }
    }
}

extension World {
    /// `table key ctid xmin` of every synced row.
    func versions() async throws -> Set<String> {
        var all: Set<String> = []
        for table in Set(file.entities.map(\.write.table)).sorted() {
            let rows = try await rows(
                "select t.ctid::text || ' ' || t.xmin::text as version from synced.\(table) as t")
            all.formUnion(rows.compactMap { $0.text("version") }.map { "\(table) \($0)" })
        }
        return all
    }

    /// Jobs whose last outcome is not complete, with the error.
    func unfinished() async throws -> [String] {
        try await rows(
            """
            select concat_ws(' ', name, last_outcome, last_error_kind, last_error) as said
            from jobrunner.jobs where last_outcome is distinct from 'complete'
            """
        ).compactMap { $0.text("said") }
    }

    /// Moves time in rows: what was synced was synced an hour ago.
    func makeStale(_ span: String = "1 hour") async throws {
        try await sql(
            """
            update jobrunner.checkpoints
            set last_synced_at = last_synced_at - $1::text::interval,
              last_full_at = last_full_at - $1::text::interval
            """, .text(span))
        try await sql(
            "update jobrunner.jobs set unchanged_at = unchanged_at - $1::text::interval",
            .text(span))
    }
}
