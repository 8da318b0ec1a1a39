import Basics
import Glibc
import JSON
public import JobFiles
public import Postgres

/// Brings a database to what this program and its job files need.
public struct Migrator: Sendable {
    private let database: Database
    private let files: [SQLFile]

    /// Migrates this database with these files.
    public init(database: Database, files: [SQLFile] = SQLFile.embedded) {
        self.database = database
        self.files = files
    }

    /// Applies pending migrations, functions and views, makes and extends the synced tables, and
    /// stores the job files.
    ///
    /// Two at once are safe: the second waits, however long, and finds nothing to do. What is
    /// already as it should be is not written. Groups of roles are called `rolePrefix` with `_worker`, `_operator`,
    /// `_reader` or `_application` behind it; nil means as before, at first as the database.
    /// `log` gets a line per change, on a thread of the pool, and, where `watching` is a pool of another session, one that says for whom it waits. Once begun it ignores
    /// the task's cancellation, which would leave the lock with a session of the pool. Throws `SchemaError` or
    /// `DatabaseError`; what was reported by then
    /// stays done, and calling again goes on.
    public func migrate(
        jobFiles: [JobFile], rolePrefix: String? = nil, watching: Database? = nil,
        log: (@Sendable (String) -> Void)? = nil
    ) async throws -> MigrationReport {
        let work = MigrationWork(
            migrations: try Migration.all(in: files), code: Code(files), jobFiles: jobFiles,
            tables: try SyncedTable.all(of: jobFiles), rolePrefix: rolePrefix, log: log ?? { _ in })
        let database = database
        let watch = watching.map { watched in
            Task { await MigrationWatch(watched, log: log ?? { _ in }).run() }
        }
        defer { watch?.cancel() }
        return try await Task {
            try await database.run { session in
                try session.alone { try work.perform($0) }
            }
        }.value
    }

    /// Names of the job files whose tables this database's can't become by adding, each file looked at
    /// by itself; for a caller whom `.incompatible` has stopped.
    public func refused(of jobFiles: [JobFile]) async throws -> [String] {
        try await database.run { session in
            try jobFiles.filter { file in
                do {
                    let tables = try SyncedTable.all(of: [file])
                    _ = try SyncedPlan(for: tables, of: [file], in: session)
                    return false
                } catch SchemaError.incompatible {
                    return true
                }
            }.map(\.name)
        }
    }

    /// Of files whose tables have columns of another type or another key, the reason by the file's name; for a worker's
    /// start, whose runs would all fail by what the server says of a column.
    ///
    /// What is merely not there yet is no reason: `migrate` adds it while workers run.
    public func unfit(of jobFiles: [JobFile]) async throws -> [String: String] {
        try await database.run { session in
            var reasons: [String: String] = [:]
            for file in jobFiles {
                for table in try SyncedTable.all(of: [file]) where reasons[file.name] == nil {
                    // One that somebody holds keeps no worker from the others; its own runs wait for it by themselves.
                    do { reasons[file.name] = try table.contradiction(in: session) } catch let error
                        as DatabaseError where error.isLockTimeout
                    {
                        continue
                    }
                }
            }
            return reasons
        }
    }

    /// Whether a worker of this program can work on the database; for its start.
    ///
    /// Throws `SchemaError.older` when `migrate` has to run first, `.newerAndBreaking` when a newer
    /// program's migration forbids it, or `DatabaseError`. A newer schema is otherwise fine.
    public func check() async throws {
        let migrations = try Migration.all(in: files)
        let code = Code(files)
        try await database.run { session in
            let applied = try session.appliedMigrations()
            guard !applied.isEmpty else { throw SchemaError.older("has no schema of jobrunner") }
            let state = try MigrationState(files: migrations, applied: applied)
            try state.refuseBreaking()
            if let missing = state.pending.first {
                throw SchemaError.older("lacks migration \(missing.file.name)")
            }
            // Where a newer program migrated first, this one's code may never have been in force.
            guard state.unknown.isEmpty, try !session.wasInForce(code) else { return }
            throw SchemaError.older("lacks this version's functions and views")
        }
    }
}

/// One call of `migrate`, its steps in their order.
private struct MigrationWork: Sendable {
    let migrations: [Migration]
    let code: Code
    let jobFiles: [JobFile]
    let tables: [SyncedTable]
    let rolePrefix: String?
    let log: @Sendable (String) -> Void

    func perform(_ session: Session) throws -> MigrationReport {
        var report = MigrationReport()
        let state = try MigrationState(files: migrations, applied: session.appliedMigrations())
        try state.refuseBreaking()
        // Before anything is changed, so that a refusal leaves everything as it was.
        let plan = try SyncedPlan(for: tables, of: jobFiles, in: session)

        for migration in state.pending {
            try session.apply(migration)
            report.migrations.append(migration.file.name)
            log("applied migration \(migration.file.name)")
        }
        try applyCode(session, state, &report)
        if state.unknown.isEmpty { try mend(session, &report) }
        report.mended += try session.apply(plan)
        report.synced = plan.sentences
        for sentence in plan.sentences { log(sentence) }
        for jobFile in jobFiles where try session.store(jobFile) {
            report.jobFiles.append(jobFile.name)
            log("stored job file \(jobFile.name)")
            for sentence in try session.columnsToFill(by: jobFile) { log(sentence) }
        }
        for jobFile in jobFiles {
            let scheduled = try session.schedule(jobFile)
            if scheduled > 0 { log("\(scheduled) jobs of \(jobFile.name) go by its schedule now") }
        }
        let made = try session.makeLackingJobs()
        if made > 0 { log("made \(made) standing jobs that users lacked") }
        try session.maintainRuns()
        let opened = try session.revokePublic()
        if !opened.isEmpty, !report.isCodeApplied {
            report.mended.append("everybody could call \(opened.joined(separator: ", "))")
        }
        let granted = try session.grantRoles(rolePrefix)
        let guarded = try session.guardTables()
        report.lackingRoles = try session.lackingRoles()
        // After new code, tables and views it is what belongs to them.
        if !report.isCodeApplied, report.synced.isEmpty, report.mended.isEmpty {
            report.mended += granted.map { "rights of \($0)" }
            report.mended += guarded.map { "row-level security of \($0)" }
        }
        for sentence in report.mended { log(sentence) }
        return report
    }

    private func applyCode(
        _ session: Session, _ state: MigrationState, _ report: inout MigrationReport
    ) throws {
        guard state.unknown.isEmpty else {
            log("the schema is newer than this program: functions and views stay as they are")
            return
        }
        if try session.isInForce(code) {
            // What was applied once need not be there any more: a restore, an accident, a hand that changed it.
            report.mended = try session.lacks(of: Catalogue.of(code, migrations))
            guard !report.mended.isEmpty else { return }
        }
        report.dropped = try session.apply(code)
        report.isCodeApplied = true
        log("applied \(code.functions.count) functions and \(code.views.count) views")
        for name in report.dropped { log("dropped \(name), which no file defines any more") }
    }

    private func mend(_ session: Session, _ report: inout MigrationReport) throws {
        report.mended += try session.mendIndexes(of: Catalogue.of(code, migrations))
        report.mended += try session.mendSequences()
        report.mended += try session.mendRestored()
    }
}

extension Session {
    /// Runs the body while no other migrate runs, without a limit of time on statements.
    fileprivate func alone<R>(_ body: (Session) throws -> R) throws -> R {
        _ = try pipeline([
            Statement("set lock_timeout = 0"), Statement("set statement_timeout = 0"),
        ])
        // A server would else go on with a statement whose client was killed, and keep the lock of all migrations.
        try? script("set client_connection_check_interval = '1s'")
        defer {
            try? script(
                "reset lock_timeout; reset statement_timeout; reset client_connection_check_interval"
            )
        }
        return try withoutTurnLimit { _ in
            // Not one statement that waits: an index that another one makes `concurrently` waits for all under way.
            try takeMigrationTurn()
            defer { try? giveMigrationTurnBack() }
            try script("set lock_timeout = '\(changeLockTimeout)'")
            return try body(self)
        }
    }

    /// What a file that was just stored has its users' full passes do for new columns, a sentence each.
    fileprivate func columnsToFill(by jobFile: JobFile) throws -> [String] {
        try query(
            .unprepared(
                """
                select c.key as entity, c.value ->> 'over' as span
                from jobrunner.job_files as f
                cross join lateral jsonb_each(f.columns_changed) as c
                where f.name = $1 and (c.value ->> 'at')::timestamptz = f.loaded_at
                order by 1
                """, .text(jobFile.name))
        ).map { row in
            let (entity, span) = (try row.text("entity"), try row.text("span"))
            return
                "full passes of \(jobFile.name), entity \(entity), fill its new columns within \(span)"
        }
    }

    /// Returns whether the file is new or changed.
    fileprivate func store(_ jobFile: JobFile) throws -> Bool {
        var isChanged = false
        try change { session in
            isChanged = try session.query(
                .unprepared(
                    """
                    select jobrunner.store_job_file(jsonb_build_object(
                      'name', $1::text, 'source', $2::text, 'every', $3::interval, 'spread', $4::boolean,
                      'deadline', $5::interval, 'per_second', $6::float8, 'expanded', $7::text::jsonb, 'scope', $8::text,
                      'notifies', $9::boolean, 'soft', $10::interval, 'hard', $11::interval, 'triggers', $12::jsonb,
                      'slow_after', $13::interval, 'slow_every', $14::interval, 'events', $15::text[],
                      'version', hashtextextended($7::text, 0)
                    ), in_is_scheduled => false)
                    """,
                    .text(jobFile.name), .text(jobFile.source.id),
                    .interval(jobFile.schedule.every.wholeMicroseconds),
                    .optional(jobFile.schedule.spread) { .bool($0 == .user) },
                    .interval(jobFile.schedule.deadline.wholeMicroseconds),
                    .optional(jobFile.source.rate?.perSecond, Bind.double),
                    .text(jobFile.expanded), .text(jobFile.scope.rawValue),
                    .bool(jobFile.notifiesOnChange),
                    .optional(jobFile.freshness) { .interval($0.soft.wholeMicroseconds) },
                    .optional(jobFile.freshness) { .interval($0.hard.wholeMicroseconds) },
                    .json(jobFile.schedule.triggers.storedText),
                    .optional(jobFile.schedule.slowing) { .interval($0.after.wholeMicroseconds) },
                    .optional(jobFile.schedule.slowing) { .interval($0.every.wholeMicroseconds) },
                    .textArray(jobFile.events.map(\.rawValue)))
            ).only().bool(0)
        }
        return isChanged
    }

    /// Brings standing jobs to a changed schedule, a transaction for each thousand; returns how many.
    ///
    /// Where another migrate has ended in the middle, it goes on there.
    fileprivate func schedule(_ jobFile: JobFile) throws -> Int {
        var scheduled = 0
        var piece: Int?
        repeat {
            try change { session in
                piece = try session.query(
                    .unprepared("select jobrunner.schedule_next_jobs($1)", .text(jobFile.name))
                ).only().optionalInt(0)
            }
            scheduled += piece ?? 0
        } while piece != nil
        return scheduled
    }

    fileprivate func maintainRuns() throws {
        try change { session in
            _ = try session.query(.unprepared("select * from jobrunner.maintain_runs()"))
        }
    }

    /// Makes standing jobs that a restored or hand-edited database lacks; returns how many.
    fileprivate func makeLackingJobs() throws -> Int {
        var made = 0
        try change { session in
            made = try session.query(.unprepared("select jobrunner.make_lacking_jobs()"))
                .only().int(0)
        }
        return made
    }

    /// The functions that everybody could call, and nobody can now but whom they are granted.
    fileprivate func revokePublic() throws -> [String] {
        var revoked: [String] = []
        try change { session in
            revoked = try session.query(
                .unprepared("select jobrunner.revoke_public() as revoked")
            ).only().textArray("revoked").compactMap { $0 }
        }
        return revoked
    }

    /// What the groups of this installation were given and what was taken from them, a piece each.
    fileprivate func grantRoles(_ prefix: String?) throws -> [String] {
        var changed: [String] = []
        try change { session in
            changed = try session.query(
                .unprepared(
                    "select jobrunner.grant_roles($1) as changed", .optional(prefix, Bind.text))
            ).only().textArray("changed").compactMap { $0 }
        }
        return changed
    }

    /// The tables that were not wholly behind row-level security, and are now.
    fileprivate func guardTables() throws -> [String] {
        var guarded: [String] = []
        var next: String?
        repeat {
            try change { session in
                next = try session.query(.unprepared("select jobrunner.guard_next_table()"))
                    .only().optionalText(0)
            }
            if let next { guarded.append(next) }
        } while next != nil
        return guarded
    }

    /// The kinds of role of which nobody has made the group.
    fileprivate func lackingRoles() throws -> [String] {
        try query(
            .unprepared(
                """
                select k.kind
                from unnest(array['worker', 'operator', 'reader', 'application']) with ordinality as k (kind, place)
                where not exists (
                  select from jobrunner.roles as r join pg_roles as p on p.rolname = r.name where r.kind = k.kind
                )
                order by k.place
                """)
        ).map { try $0.text(0) }
    }
}

extension [Trigger] {
    /// What `trigger_event` reads.
    fileprivate var storedText: String {
        let triggers = map { trigger in
            JSONValue.object(
                [
                    JSONMember("event", .string(trigger.event)),
                    JSONMember(
                        "debounce_ms", .number(String(trigger.debounce.wholeMicroseconds / 1000))),
                ]
                    + (trigger.atMost.map {
                        [JSONMember("at_most_ms", .number(String($0.wholeMicroseconds / 1000)))]
                    } ?? [])
                    + (trigger.cancelOn.map { [JSONMember("cancel_on", .string($0))] } ?? []))
        }
        return JSONValue.array(triggers).text
    }
}
