import Postgres
import Testing

/// What the source holds of one table's records, and for each of the table's columns the value that
/// follows from such a record, written by hand in SQL.
///
/// The source's own words go into the database as text and are read there as jsonb, so that nothing of
/// the product reads them. In every expression `e.r` is the record, `e.user_key` whose it is, and `t` the row.
struct TruthTable {
    let table: String
    /// Which records are kept; the others are broken.
    var condition = "true"
    let key: [String]
    /// An SQL expression for each column.
    var columns: [String: String]

    /// What every table has: whose row it is, when it came, and that nobody has edited it.
    static let common = [
        "user_id": "(select u.id from jobrunner.users as u where u.key = e.user_key)",
        "inserted_at": recent("inserted_at"), "synced": "true",
    ]

    init(_ table: String, key: [String], condition: String = "true", _ columns: [String: String]) {
        self.table = table
        self.key = key
        self.condition = condition
        self.columns = Self.common.merging(columns) { $1 }
    }

    /// A field of a CloudKit record as a text.
    static func field(_ name: String) -> String { "e.r #>> '{fields,\(name),value}'" }

    /// Milliseconds since 1970 at a path of the record, exactly.
    static func time(_ path: String) -> String {
        "timestamptz 'epoch' + (e.r #>> '{\(path)}')::bigint * interval '1 ms'"
    }

    static func timeField(_ name: String) -> String { time("fields,\(name),value") }

    /// A time of our own clock since the test began; anything else is told as infinity.
    static func recent(_ column: String) -> String {
        "case when t.\(column) between (select began from public.truth_began) and clock_timestamp() then t.\(column) else 'infinity' end"
    }

    /// The record as it travels, without what only the source's own dump adds.
    static let body = "e.r - 'version' - 'writtenAt'"
}

extension World {
    /// Notes the time that `TruthTable.recent` counts from, and makes the table for what the source says.
    func expectTruth() async throws {
        try await sql("create table public.truth_began as select clock_timestamp() as began")
        try await sql("create table public.truth (kind text, user_key text, r jsonb)")
    }

    /// Takes in what the source says: an array under `member` of a JSON text.
    func takeTruth(_ text: [UInt8], member: String, kind: String, user: String) async throws {
        try await sql(
            "insert into public.truth select $1, $2, r from jsonb_array_elements($3::jsonb -> $4) as r",
            .text(kind), .text(user), .text(String(decoding: text, as: UTF8.self)), .text(member))
    }

    /// Compares every column of every row of all tables of schema synced; each difference, each row
    /// too many or too few, and each column that no table of `truth` knows is a failure with its name;
    /// `withAll`: so is a table without a row.
    func compareAllColumns(
        _ truth: [TruthTable], withAll: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let known = Set(
            truth.flatMap { table in table.columns.keys.map { "\(table.table).\($0)" } })
        let present = Set(
            try await texts(
                """
                select c.table_name || '.' || c.column_name
                from information_schema.columns as c
                join information_schema.tables as t using (table_schema, table_name)
                where c.table_schema = 'synced' and t.table_type = 'BASE TABLE'
                """))
        for column in present.subtracting(known).sorted() {
            Issue.record("\(column) is compared with nothing", sourceLocation: sourceLocation)
        }
        for column in known.subtracting(present).sorted() {
            Issue.record("there is no column \(column)", sourceLocation: sourceLocation)
        }
        for table in truth
        where table.columns.keys.allSatisfy({ present.contains("\(table.table).\($0)") }) {
            let rows = try await value("select count(*) from synced.\(table.table)")
            #expect(
                !withAll || rows != "0", "\(table.table) is empty", sourceLocation: sourceLocation)
            for difference in try await differences(table) {
                Issue.record("\(difference)", sourceLocation: sourceLocation)
            }
        }
    }

    /// `table column of key: ours, and the source says theirs`, at most twenty.
    private func differences(_ table: TruthTable) async throws -> [String] {
        let types = try await texts(
            """
            select attname || ' ' || format_type(atttypid, atttypmod) from pg_attribute
            where attrelid = 'synced.\(table.table)'::regclass and attnum > 0 and not attisdropped
            """)
        let type = Dictionary(
            uniqueKeysWithValues: types.map { line in
                let words = line.split(separator: " ", maxSplits: 1)
                return (String(words[0]), String(words[1]))
            })
        let theirs = table.columns.mapValues { "(\($0))" }
        func cast(_ column: String) -> String {
            "(\(theirs[column] ?? "null"))::\(type[column] ?? "text")"
        }
        let match = (["user_id"] + table.key).map { "t.\($0) = \(cast($0))" }
        let values = table.columns.keys.sorted().map { column in
            "('\(column)', to_jsonb(t.\(column)), case when e.user_key is not null then to_jsonb(\(cast(column))) end)"
        }
        let kept =
            "select * from public.truth as e where e.kind = '\(table.table)' and (\(table.condition))"
        let names = table.key.map { "t.\($0)::text" }.joined(separator: ", ")
        // A full join takes only equalities of columns; so what is only there is asked for apart.
        let join = match.joined(separator: " and ")
        return try await texts(
            """
            (
              select format('%s.%s of %s: %s, and the source says %s', '\(table.table)', c.name,
                concat_ws(' ', \(names)), coalesce(c.ours::text, 'null'), coalesce(c.theirs::text, 'null'))
              from synced.\(table.table) as t
              left join lateral (select * from (\(kept)) as e where \(join)) as e on true
              cross join lateral (values \(values.joined(separator: ", "))) as c (name, ours, theirs)
              where c.ours is distinct from c.theirs
              limit 20
            )
            union all
            (
              select format('%s: not here: %s', '\(table.table)', e.r)
              from (\(kept)) as e
              where not exists (select from synced.\(table.table) as t where \(join))
              limit 20
            )
            """)
    }
}
