import Postgres

/// What was written ahead between two moments.
struct WALUse: Sendable, Equatable {
    /// Of all records, full-page images included.
    var bytes = 0.0
    /// Of full-page images alone: what a checkpoint costs, not a run.
    var imageBytes = 0.0
    var records = 0.0

    /// Full-page images aside.
    var bytesWithoutImages: Double { bytes - imageBytes }

    /// Reads the last line of `pg_waldump --stats`: a count, bytes of records, of images, of both.
    ///
    /// Nil when there is none, as for an empty range.
    init?(stats text: String) {
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("Total") }) else {
            return nil
        }
        let numbers = line.split(separator: " ").compactMap { Double($0) }
        guard numbers.count >= 4 else { return nil }
        (records, imageBytes, bytes) = (numbers[0], numbers[2], numbers[3])
    }

    init() {}
}

extension Cluster {
    /// Where the log stands now.
    func walPosition() async throws -> String {
        try await query("select pg_current_wal_insert_lsn()::text").only().text(0)
    }

    /// What was written since a position, counted by `pg_waldump` record by record.
    ///
    /// The log must not have been recycled meanwhile: at most `wal_keep_size` of it is there.
    func wal(since start: String) async throws -> WALUse {
        let end = try await walPosition()
        // Its commit is written through, and with it all before the end.
        _ = try await query("select pg_logical_emit_message(true, 'bench', '')::text")
        guard end != start else { return WALUse() }
        // By its name: left to choose, pg_waldump reads the segment size from any file, also from one
        // that is being made.
        let segment = try await query(
            "select pg_walfile_name(pg_lsn '\(start)' + 1)"
        ).only().text(0)
        let text = try await runProgram(
            "\(serverPrograms)/pg_waldump",
            [
                "--stats", "--path=\(folder)/data/pg_wal", "--start=\(start)", "--end=\(end)",
                segment, try await query("select pg_walfile_name('\(end)')").only().text(0),
            ],
            in: scratch)
        guard let use = WALUse(stats: text) else {
            throw BenchError("pg_waldump printed no total")
        }
        return use
    }
}
