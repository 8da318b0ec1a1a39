import JobFile
public import Postgres
import Queue
import Schema

/// A database of the battery's own beside the one that the settings name.
public struct Scratch: Sendable {
    /// `jobrunner_test_` and random digits.
    public let name: String
    /// Leads to it.
    let configuration: DatabaseConfiguration
    private let home: DatabaseConfiguration

    /// Makes the database with the rights of the settings; throws `DatabaseError`.
    public static func make(beside home: DatabaseConfiguration) async throws -> Scratch {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let name = "jobrunner_test_\(digits)"
        let scratch = Scratch(name: name, configuration: home.ofDatabase(name), home: home)
        try await scratch.atHome { try $0.script("create database \(name)") }
        return scratch
    }

    /// Removes it with whatever sessions are left; throws `DatabaseError`.
    public func drop() async throws {
        let name = self.name
        try await atHome { try $0.script("drop database if exists \(name) with (force)") }
    }

    private func atHome(_ body: @escaping @Sendable (Session) throws -> Void) async throws {
        let database = Database(home)
        do {
            try await database.run(body)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}

/// What runs have left in the scratch database.
struct Stored: Sendable {
    /// Table and mapped columns of each row, sorted.
    var rows: [String] = []
    /// Each row's version: table, place and transaction.
    var versions: Set<String> = []

    /// How the rows differ from others; nil: they don't.
    func difference(from others: Stored) -> String? {
        let (here, there) = (Set(rows), Set(others.rows))
        let gone = there.subtracting(here).count
        let new = here.subtracting(there).count
        guard gone + new > 0 else { return nil }
        return "of \(there.count) rows \(gone) are missing or other, and \(new) are new or other"
    }
}

/// How the job's last run ended, and what its runs counted since the last clean state.
struct Ended: Sendable {
    var outcome = ""
    var errorKind = ""
    var error = ""
    var fetched = 0
    var parts = 0
    var inserted = 0
    var deleted = 0
    /// Records that met a row, or another record, of their key.
    var repeated = 0
}

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
                set consecutive_failures = 0, blocked_until = null, block_reason = null;
                """)
        }
    }

    func stored() async throws -> Stored {
        var stored = Stored()
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

    func ended() async throws -> Ended {
        try await database.run { session in
            let row = try session.query(
                .unprepared(
                    """
                    select coalesce(max(j.last_outcome), '') as outcome,
                      coalesce(max(j.last_error_kind), '') as kind,
                      coalesce(max(j.last_error), '') as error,
                      coalesce(sum(r.fetched_count), 0)::bigint as fetched,
                      coalesce(sum(
                        r.inserted_count + r.updated_count + r.unchanged_count + r.skipped_older_count
                          + r.skipped_incompatible_count + r.filtered_count + r.duplicate_count
                          + r.deleted_count
                      ), 0)::bigint as parts,
                      coalesce(sum(r.inserted_count), 0)::bigint as inserted,
                      coalesce(sum(r.deleted_count + r.swept_count), 0)::bigint as deleted,
                      coalesce(sum(
                        r.updated_count + r.unchanged_count + r.skipped_older_count
                          + r.duplicate_count
                      ), 0)::bigint as repeated
                    from jobrunner.jobs as j
                    left join jobrunner.runs as r
                      on r.user_id = j.user_id and r.job_name = j.name
                    """)
            ).only()
            return Ended(
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
