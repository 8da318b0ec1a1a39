import JobFiles
import Postgres

/// Questions to the scratch database, and what moves jobs in it.
struct ScratchRows: Sendable {
    let database: Database
    let file: JobFile

    private var tables: [String] {
        Set(file.entities.map(\.write.table)).sorted()
    }

    /// Forgets everything but the user with its secrets, attributes and lists.
    ///
    /// Not by removing the user: a source may have replaced its credential meanwhile.
    func clean() async throws {
        let names = tables.map { "synced.\"\($0)\"" }.joined(separator: ", ")
        try await database.run { session in
            try session.script(
                """
                truncate \(names), jobrunner.checkpoints, jobrunner.seen_pages,
                  jobrunner.call_memory, jobrunner.runs;
                update jobrunner.jobs
                set last_outcome = null, last_error_kind = null, last_error = null,
                  last_error_at = null, last_run_at = null, last_success_at = null;
                """)
        }
        try await makeDue()
    }

    /// Makes the job due as its schedule would: what its last run has finished stays finished.
    func makeDue() async throws {
        try await database.run { session in
            try session.script(
                """
                update jobrunner.jobs
                set due_at = now(), priority = 0, deferred_until = null, consecutive_failures = 0,
                  crashes = 0, stalled_runs = 0, quarantined_at = null, quarantine_reason = null;
                update jobrunner.sources
                set consecutive_failures = 0, opened_at = null, failed_openings = 0, blocked_until = null, block_reason = null;
                """)
        }
    }

    func stored() async throws -> StoredRows {
        var stored = StoredRows()
        for table in tables {
            let names = Set(
                file.entities.filter { $0.write.table == table }
                    .flatMap { $0.records.fields.map(\.name) })
            let list = columns(names)
            let found = try await database.run { session in
                try session.query(
                    .unprepared(
                        """
                        select t.ctid::text || ' ' || t.xmin::text as version,
                          to_jsonb(array[\(list)])::text as row
                        from synced."\(table)" as t
                        """)
                ).map { (try $0.text("version"), try $0.text("row")) }
            }
            stored.rows += found.map { "\(table) \($0.1)" }
            stored.versions.formUnion(found.map { "\(table) \($0.0)" })
        }
        stored.rows.sort()
        return stored
    }

    /// A text a column, for an array has one type; a null stays null.
    private func columns(_ names: Set<String>) -> String {
        names.sorted().map { "t.\"\($0)\"::text" }.joined(separator: ", ")
    }

    func lastRun() async throws -> RunResult {
        try await database.run { session in
            let row = try session.query(
                .unprepared(
                    """
                    select coalesce(max(j.last_outcome), '') as outcome,
                      coalesce(max(j.last_error_kind), '') as kind,
                      coalesce(max(j.last_error), '') as error,
                      coalesce(sum((r.counters).fetched), 0)::bigint as fetched,
                      coalesce(sum(
                        (r.counters).inserted + (r.counters).updated + (r.counters).unchanged + (r.counters).skipped_older
                          + (r.counters).skipped_incompatible + (r.counters).filtered + (r.counters).duplicate
                          + (r.counters).deleted
                      ), 0)::bigint as parts,
                      coalesce(sum((r.counters).inserted), 0)::bigint as inserted,
                      coalesce(sum((r.counters).deleted + (r.counters).swept), 0)::bigint as deleted,
                      coalesce(sum(
                        (r.counters).updated + (r.counters).unchanged + (r.counters).skipped_older
                          + (r.counters).duplicate
                      ), 0)::bigint as repeated
                    from jobrunner.jobs as j
                    left join jobrunner.runs as r
                      on r.user_id = j.user_id and r.job_name = j.name
                    """)
            ).only()
            return RunResult(
                outcome: try row.text("outcome"), errorKind: try row.text("kind"),
                error: try row.text("error"), fetched: try row.int("fetched"),
                parts: try row.int("parts"), inserted: try row.int("inserted"),
                deleted: try row.int("deleted"), repeated: try row.int("repeated"))
        }
    }

    /// Passes in progress, by entity, and whether each has moved what only an end may move.
    func unfinished() async throws -> [(entity: String, hasMoved: Bool)] {
        try await database.run { session in
            try session.query(
                .unprepared(
                    """
                    select split_part(k.entity, '#', 1) as entity,
                      coalesce(k.watermark, k.sync_token) is not null as moved
                    from jobrunner.checkpoints as k
                    where k.pass_kind is not null
                    """)
            ).map { (try $0.text("entity"), try $0.bool("moved")) }
        }
    }
}
