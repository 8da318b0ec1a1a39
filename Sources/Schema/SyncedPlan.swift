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
    init(for tables: [SyncedTable], in session: Session) throws {
        self.tables = tables
        var refusals: [String] = []
        for table in tables {
            guard let present = try PresentTable(named: table.name, in: session) else {
                create(table)
                continue
            }
            let found = table.refusals(against: present)
            refusals += found
            if found.isEmpty { try extend(table, present, in: session) }
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
                    insert into jobrunner.synced_tables (name, kind)
                    select given.name, given.kind from unnest($1, $2) as given (name, kind)
                    on conflict do nothing
                    """, .textArray(plan.tables.map(\.name)),
                    .textArray(plan.tables.map(\.kind.rawValue))))
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
