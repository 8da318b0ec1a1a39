import Postgres

/// What the table of jobs takes on disk, in bytes.
struct JobsSize: Sendable {
    let table: Double
    let indexes: Double

    /// As the figures `table` and `indexes` with what is said of them behind, such as `, clean`.
    func record(_ when: String, _ measurements: Measurements) {
        measurements.record("table\(when)", table / 1e6, "MB")
        measurements.record("indexes\(when)", indexes / 1e6, "MB")
    }
}

extension Cluster {
    /// The present size of the table of jobs and of its indexes.
    func sizeOfJobs() async throws -> JobsSize {
        let row = try await query(
            """
            select pg_table_size('jobrunner.jobs')::float8, pg_indexes_size('jobrunner.jobs')::float8
            """
        ).only()
        return JobsSize(table: try row.double(0), indexes: try row.double(1))
    }
}
