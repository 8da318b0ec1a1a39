import JSON
import JobFiles
import Postgres

/// What makes the tables of schema `synced` what the job files want.
struct SyncedPlan {
    /// What becomes of one table.
    struct Change {
        let table: SyncedTable
        /// In order, all in one transaction; none when nothing is missing.
        var statements: [String] = []
        /// Of a table that has rows: each by itself, after the others, while the table is in use.
        var apart: [String] = []
    }

    private(set) var changes: [Change] = []
    /// The same for people; comments are not worth a sentence.
    private(set) var sentences: [String] = []
    /// Every table, to be known to the verbs that remove users.
    let tables: [SyncedTable]

    /// Compares with the database; throws `.incompatible` with every difference that can't be
    /// bridged by adding.
    init(for tables: [SyncedTable], of jobFiles: [JobFile], in session: Session) throws {
        self.tables = tables
        var refusals = try StoreRules(jobFiles, tables: tables).removals(in: session)
        for table in tables {
            var change = Change(table: table)
            if let present = try PresentTable(named: table.name, in: session) {
                let found = table.refusals(against: present)
                if found.isEmpty {
                    try extend(table, present, &change, in: session)
                } else if table.store == .disposable, present.isTable {
                    recreate(table, because: found, &change)
                } else {
                    refusals += found
                }
            } else {
                create(table, &change)
            }
            if !table.liveConditions.isEmpty {
                refusals += try showLive(of: table, &change, in: session)
            }
            changes.append(change)
        }
        guard refusals.isEmpty else { throw SchemaError.incompatible(refusals) }
    }

    private mutating func create(_ table: SyncedTable, _ change: inout Change) {
        change.statements += table.creation
        sentences.append("created table synced.\(table.name)")
    }

    /// Its rows can be fetched again: drops the table, makes it anew and has it filled.
    private mutating func recreate(
        _ table: SyncedTable, because differences: [String], _ change: inout Change
    ) {
        change.statements.append("drop view if exists synced.\(quoted(table.viewName))")
        change.statements.append("drop view if exists own.\(quoted(table.name))")
        change.statements.append("drop table \(table.quotedName)")
        sentences += differences.map { "\($0): its store is disposable" }
        sentences.append("dropped table synced.\(table.name), to be fetched again")
        create(table, &change)
        change.statements += table.sources.map { source in
            "select jobrunner.forget_entity(\(quotedText(source.job)), \(quotedText(source.entity)))"
        }
    }

    /// Makes the view of live rows, or brings it up to date; returns what stands in its way.
    private mutating func showLive(
        of table: SyncedTable, _ change: inout Change, in session: Session
    ) throws -> [String] {
        let present = try PresentTable(named: table.viewName, in: session)
        let columns = table.columns.map(\.name)
        let isNew = sentences.contains("created table synced.\(table.name)")
        if let present, !isNew {
            guard !present.isTable else {
                return [
                    "synced.\(table.viewName) exists and is a table, but the view is to have the name"
                ]
            }
            guard
                present.comment != table.viewComment
                    || columns.contains(where: { present.columns[$0] == nil })
            else { return [] }
        }
        change.statements += table.liveView
        sentences.append(
            "\(present == nil || isNew ? "created" : "replaced") view synced.\(table.viewName)")
        return []
    }

    private mutating func extend(
        _ table: SyncedTable, _ present: PresentTable, _ change: inout Change, in session: Session
    ) throws {
        var changes: [String] = []
        var comments = present.comment == table.comment ? [] : [table.commentSQL]
        for column in table.columns {
            let known = present.columns[column.name]
            if let known {
                changes += try alterations(of: column, in: table, known, session)
            } else {
                changes.append(addition(of: column, to: table))
            }
            if known?.comment != column.comment { comments.append(table.commentSQL(on: column)) }
        }
        changes += relaxations(of: table, present)
        if !changes.isEmpty {
            change.statements.append(
                "alter table \(table.quotedName)\n  \(changes.joined(separator: ",\n  "))")
        }
        change.statements += comments
        for index in table.indexes where !present.indexes.contains(index.name) {
            if present.brokenIndexes.contains(index.name) {
                change.apart.append("drop index concurrently synced.\(quoted(index.name))")
            }
            change.apart += table.creation(of: index, concurrently: true)
            sentences.append("created index synced.\(index.name)")
        }
    }

    /// Rows that exist have no value for a new field, so only a default lets it be required.
    private mutating func addition(
        of column: SyncedTable.Column, to table: SyncedTable
    ) -> String {
        let mayBeRequired = column.isRequired && column.isFilled
        sentences.append(
            "added column synced.\(table.name).\(column.name)"
                + (column.isRequired && !mayBeRequired
                    ? ", nullable although required, for the rows that are there" : ""))
        return "add column \(column.definition(isRequired: mayBeRequired))"
    }

    private mutating func alterations(
        of column: SyncedTable.Column, in table: SyncedTable, _ known: PresentTable.Column,
        _ session: Session
    ) throws -> [String] {
        var changes: [String] = []
        let subject = "synced.\(table.name).\(column.name)"
        if known.isRequired, !column.isRequired, !table.key.contains(column.name) {
            changes.append("alter column \(quoted(column.name)) drop not null")
            sentences.append("column \(subject) may be null now")
        }
        if let expression = column.defaultSQL, try !session.isSame(expression, known.defaultSQL) {
            changes.append("alter column \(quoted(column.name)) set default \(expression)")
            sentences.append("column \(subject) has another default now")
        }
        return changes
    }

    /// A column that no job file fills any more must not refuse new rows.
    private mutating func relaxations(
        of table: SyncedTable, _ present: PresentTable
    ) -> [String] {
        let wanted = Set(table.columns.map(\.name))
        let left = present.columns.filter { name, column in
            !wanted.contains(name) && column.isRequired && column.defaultSQL == nil
        }
        return left.keys.sorted().map { name in
            sentences.append(
                "column synced.\(table.name).\(name) may be null now: no job file fills it")
            return "alter column \(quoted(name)) drop not null"
        }
    }
}

extension Session {
    /// Carries the plan out and makes its tables known, a transaction for each table that changes; returns a sentence
    /// for each whose triggers or view for applications were not there any more.
    func apply(_ plan: SyncedPlan) throws -> [String] {
        for table in plan.changes {
            if !table.statements.isEmpty {
                try change { session in
                    for statement in table.statements { try session.script(statement) }
                    _ = try session.register([table.table])
                }
            }
            for statement in table.apart { try apart(statement) }
        }
        var lost: [String] = []
        try change { lost = try $0.register(plan.tables) }
        return lost
    }

    /// Tells the verbs that remove users and edit rows of these tables; what they know already is not written.
    ///
    /// Returns a sentence for each table that did not tell yet who deletes its rows, or whose view was lost.
    private func register(_ tables: [SyncedTable]) throws -> [String] {
        guard !tables.isEmpty else { return [] }
        _ = try query(
            .unprepared(
                """
                insert into jobrunner.synced_tables as s (name, kind, store, writable, told)
                select given.name, given.kind, coalesce(given.store, 'synced'), given.writable::jsonb, given.told::jsonb
                from unnest($1, $2, $3, $4, $5) as given (name, kind, store, writable, told)
                on conflict (name) do update
                set store = excluded.store, writable = excluded.writable, told = excluded.told
                where (s.store, s.writable, s.told)
                  is distinct from (excluded.store, excluded.writable, excluded.told)
                """, .textArray(tables.map(\.name)),
                .textArray(tables.map(\.kind.rawValue)),
                .textArray(tables.map { $0.store?.rawValue }),
                .textArray(tables.map { $0.writable?.text }),
                .textArray(tables.map { $0.told?.text })))
        let filled = tables.filter { !$0.sources.isEmpty }
        let unwatched = try query(
            .unprepared(
                "select t.name from unnest($1) as t (name) where jobrunner.watch_table(t.name)",
                .textArray(filled.map(\.name)))
        ).map { "a trigger of table synced.\(try $0.text(0)) was missing" }
        let unshown = try query(
            .unprepared(
                "select t.name from unnest($1) as t (name) where jobrunner.show_own(t.name)",
                .textArray(tables.map(\.name)))
        ).map { "view own.\(try $0.text(0)) was missing, or another one" }
        return unwatched + unshown
    }

    /// Whether two default expressions give the same value.
    fileprivate func isSame(_ expression: String, _ present: String?) throws -> Bool {
        guard let present else { return false }
        if present == expression { return true }
        return try query(
            .unprepared("select (\(expression)) is not distinct from (\(present))")
        ).only().bool(0)
    }
}

extension SyncedTable {
    /// Why no row can be written to it, whatever `migrate` adds; nil when nothing stands against it.
    func contradiction(in session: Session) throws -> String? {
        try PresentTable(named: name, in: session).flatMap { refusals(against: $0).first }.map {
            "\($0): jobrunner migrate says what to do, and a worker takes it on when it is started anew"
        }
    }

    /// What no added column can bridge.
    fileprivate func refusals(against present: PresentTable) -> [String] {
        guard present.isTable else { return ["synced.\(name) exists and is not a table"] }
        var refusals: [String] = []
        if Set(present.key) != Set(key) {
            let found = present.key.isEmpty ? "has none" : "has \(words(present.key))"
            refusals.append(
                "synced.\(name): the job files want the primary key \(words(key)), the table "
                    + found)
        }
        for column in columns {
            guard let known = present.columns[column.name] else { continue }
            if known.type != column.type {
                refusals.append(
                    "synced.\(name).\(column.name): the job files want \(column.type), the table "
                        + "has \(known.type)")
            }
        }
        return refusals
    }
}
