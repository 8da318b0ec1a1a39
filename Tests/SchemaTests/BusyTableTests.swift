import JobFiles
import Postgres
import Synchronization
import Testing

@testable import Schema

/// Tables change while they are in use: nobody waits for it, and nobody fails.
@Suite(.timeLimit(.minutes(10))) struct BusyTableTests {
    private static let table = "synced.hub_video"

    /// The same file with one more column and an index by it.
    private static let grown: JobFile = {
        var file = jobFile(fields: [field("video_id", required: true), field("title")])
        file.entities[0].write.indexes = [["title"]]
        return file
    }()

    private func fill(_ database: Database) async throws {
        try await database.migrate([jobFile()])
        try await database.script(
            "insert into \(Self.table) (user_id, video_id) select 1, n::text from generate_series(1, 100) as n"
        )
    }

    /// Runs a body while a transaction that has run `statement` is open.
    private func holding<R: Sendable>(
        _ database: Database, _ statement: String, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        let (signals, begun) = AsyncStream.makeStream(of: Void.self)
        let isOver = Mutex(false)
        let holder = Task {
            try await database.run { session in
                try session.transaction { session in
                    try session.script(statement)
                    begun.yield()
                    while !isOver.withLock({ $0 }) {
                        _ = try session.query(.unprepared("select pg_sleep(0.01)"))
                    }
                }
            }
        }
        for await _ in signals { break }
        let result = try await body()
        isOver.withLock { $0 = true }
        try await holder.value
        return result
    }

    @Test func `a reader's open transaction keeps migrate waiting, and nobody behind it`()
        async throws
    {
        try await withTestDatabase(lanes: 4) { database async throws in
            try await fill(database)
            let migrating = try await holding(database, "select from \(Self.table)") {
                let migrating = Task { try await database.migrate([Self.grown]) }
                // Migrate's first try is over, and others have begun.
                for _ in 0..<40 {
                    try await database.script(
                        "set lock_timeout = '500ms'; select from \(Self.table) limit 1; reset lock_timeout"
                    )
                    try await Task.sleep(for: .milliseconds(20), clock: .continuous)
                }
                #expect(
                    try await database.texts(
                        "select 'there' from pg_attribute where attrelid = '\(Self.table)'::regclass and attname = 'title'"
                    ).isEmpty)
                return migrating
            }
            #expect(try await migrating.value.synced.count == 2)
        }
    }

    @Test func `an index of a table that has rows is made while rows are written`() async throws {
        try await withTestDatabase(lanes: 4) { database async throws in
            try await fill(database)
            var wider = Self.grown
            wider.entities[0].write.indexes = []
            try await database.migrate([wider])
            let migrating = try await holding(
                database, "update \(Self.table) set title = 'a' where video_id = '1'"
            ) {
                let migrating = Task { try await database.migrate([Self.grown]) }
                let isWaiting = """
                    select 'waits' from pg_stat_activity
                    where datname = current_database() and query like 'create index concurrently%' and wait_event_type = 'Lock'
                    """
                try await eventually("the index waits for the writer") {
                    try await !database.texts(isWaiting).isEmpty
                }
                try await database.script(
                    "set lock_timeout = '500ms'; update \(Self.table) set title = 'b' where video_id = '2'; reset lock_timeout"
                )
                return migrating
            }
            #expect(
                try await migrating.value.synced == ["created index synced.hub_video_by_title"])
        }
    }

    private static let isValid =
        "select indisvalid::text from pg_index where indexrelid = 'synced.hub_video_by_title'::regclass"

    @Test func `an index whose making was broken off is made anew`() async throws {
        try await withTestDatabase { database async throws in
            try await fill(database)
            try await database.migrate([Self.grown])
            // What a migrate leaves behind that was killed while it made the index.
            try await database.script("drop index synced.hub_video_by_title")
            await #expect(throws: DatabaseError.self) {
                try await database.script(
                    "create unique index concurrently hub_video_by_title on \(Self.table) ((1))")
            }
            #expect(try await database.texts(Self.isValid) == ["false"])
            #expect(
                try await database.migrate([Self.grown]).synced
                    == ["created index synced.hub_video_by_title"])
            #expect(try await database.texts(Self.isValid) == ["true"])
            #expect(try await database.migrate([Self.grown]).isEmpty)
        }
    }
}
