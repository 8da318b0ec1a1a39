import JSON
import JobFile
import Postgres

/// What makes the tables of schema `synced` what the job files want.
struct SyncedPlan {
    /// In order, all in one transaction; none when nothing is missing.
    private(set) var statements: [String] = []
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
            guard let present = try PresentTable(named: table.name, in: session) else {
                create(table)
                continue
            }
            let found = table.refusals(against: present)
            if found.isEmpty {
                try extend(table, present, in: session)
            } else if table.store == .disposable, present.isTable {
                recreate(table, because: found)
            } else {
                refusals += found
            }
        }
        for table in tables where !table.liveConditions.isEmpty {
            refusals += try showLive(of: table, in: session)
        }
        guard refusals.isEmpty else { throw SchemaError.incompatible(refusals) }
    }

    private mutating func create(_ table: SyncedTable) {
        let columns = table.columns.map { "  \($0.definition(isRequired: $0.isRequired)),\n" }
        let key = table.key.map(quoted).joined(separator: ", ")
        statements.append(
            "create table \(table.quotedName) (\n\(columns.joined())  primary key (\(key))\n)")
        statements.append(table.commentSQL)
        statements += table.columns.map { table.commentSQL(on: $0) }
        sentences.append("created table synced.\(table.name)")
        for index in table.indexes { statements += table.creation(of: index) }
    }

    /// Its rows can be fetched again: drops the table, makes it anew and has it filled (PO2).
    private mutating func recreate(_ table: SyncedTable, because differences: [String]) {
        statements.append("drop view if exists synced.\(quoted(table.viewName))")
        statements.append("drop table \(table.quotedName)")
        sentences += differences.map { "\($0): its store is disposable" }
        sentences.append("dropped table synced.\(table.name), to be fetched again")
        create(table)
        statements += table.sources.map { source in
            "select jobrunner.forget_entity(\(quotedText(source.job)), \(quotedText(source.entity)))"
        }
    }

    /// Makes the view of live rows, or brings it up to date; returns what stands in its way.
    private mutating func showLive(
        of table: SyncedTable, in session: Session
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
        let view = "synced.\(quoted(table.viewName))"
        statements.append(
            """
            create or replace view \(view) as
            select * from \(table.quotedName) where \(table.liveConditions.joined(separator: " and "))
            """)
        statements.append("comment on view \(view) is \(quotedText(table.viewComment))")
        sentences.append(
            "\(present == nil || isNew ? "created" : "replaced") view synced.\(table.viewName)")
        return []
    }

    private mutating func extend(
        _ table: SyncedTable, _ present: PresentTable, in session: Session
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
            statements.append(
                "alter table \(table.quotedName)\n  \(changes.joined(separator: ",\n  "))")
        }
        statements += comments
        for index in table.indexes where !present.indexes.contains(index.name) {
            statements += table.creation(of: index)
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
        let place = "synced.\(table.name).\(column.name)"
        if known.isRequired, !column.isRequired, !table.key.contains(column.name) {
            changes.append("alter column \(quoted(column.name)) drop not null")
            sentences.append("column \(place) may be null now")
        }
        if let expression = column.defaultSQL, try !session.isSame(expression, known.defaultSQL) {
            changes.append("alter column \(quoted(column.name)) set default \(expression)")
            sentences.append("column \(place) has another default now")
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
    /// Carries the plan out and makes its tables known, in one transaction.
    func apply(_ plan: SyncedPlan) throws {
        guard !plan.tables.isEmpty else { return }
        try change { session in
            for statement in plan.statements { try session.script(statement) }
            _ = try session.query(
                .unprepared(
                    """
                    insert into jobrunner.synced_tables as s (name, kind, store, writable)
                    select given.name, given.kind, coalesce(given.store, 'synced'), given.writable::jsonb
                    from unnest($1, $2, $3, $4) as given (name, kind, store, writable)
                    on conflict (name) do update
                    set store = excluded.store, writable = excluded.writable
                    where (s.store, s.writable) is distinct from (excluded.store, excluded.writable)
                    """, .textArray(plan.tables.map(\.name)),
                    .textArray(plan.tables.map(\.kind.rawValue)),
                    .textArray(plan.tables.map { $0.store?.rawValue }),
                    .textArray(plan.tables.map { $0.writable?.text })))
        }
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

extension SyncedTable.Column {
    fileprivate func definition(isRequired: Bool) -> String {
        "\(quoted(name)) \(type)" + (defaultSQL.map { " default \($0)" } ?? "")
            + (isRequired ? " not null" : "")
    }
}

extension SyncedTable {
    fileprivate var commentSQL: String {
        "comment on table \(quotedName) is \(quotedText(comment))"
    }

    fileprivate func commentSQL(on column: Column) -> String {
        "comment on column \(quotedName).\(quoted(column.name)) is \(quotedText(column.comment))"
    }

    fileprivate var viewComment: String {
        "Live rows of synced.\(name): \(liveConditions.joined(separator: " and "))."
    }

    /// The statements that make an index and say what it is for.
    fileprivate func creation(of index: Index) -> [String] {
        let columns = (["user_id"] + index.columns).map(quoted).joined(separator: ", ")
        let condition = index.condition.map { " where \($0)" } ?? ""
        let purpose =
            index.condition == nil
            ? "A user's rows by \(index.columns.joined(separator: ", "))."
            : "A user's rows that are yet to be sent to the source."
        return [
            "create index \(quoted(index.name)) on \(quotedName) (\(columns))\(condition)",
            "comment on index synced.\(quoted(index.name)) is \(quotedText(purpose))",
        ]
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
