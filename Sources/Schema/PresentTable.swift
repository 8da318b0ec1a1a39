import Postgres

/// A table of schema `synced` as the catalogue has it.
struct PresentTable {
    struct Column {
        let type: String
        let isRequired: Bool
        let defaultSQL: String?
        let comment: String?
    }

    /// False: a view or something else has the name.
    let isTable: Bool
    let comment: String?
    /// By name.
    let columns: [String: Column]
    /// The primary key's columns; empty without one.
    let key: [String]
    /// Names of its indexes that are whole.
    let indexes: Set<String>
    /// Names of those whose making was broken off.
    let brokenIndexes: Set<String>

    /// Nil when nothing has the name.
    init?(named name: String, in session: Session) throws {
        let tables = try session.query(Statement(tableSQL, .text(name)))
        guard let table = tables.first else { return nil }
        isTable = try table.bool("is_table")
        comment = try table.optionalText("comment")
        key = try table.textArray("key").compactMap { $0 }
        indexes = Set(try table.textArray("indexes").compactMap { $0 })
        brokenIndexes = Set(try table.textArray("broken_indexes").compactMap { $0 })
        var columns: [String: Column] = [:]
        for row in try session.query(Statement(columnSQL, .text(name))) {
            columns[try row.text("name")] = Column(
                type: try row.text("type"), isRequired: try row.bool("is_required"),
                defaultSQL: try row.optionalText("default_sql"),
                comment: try row.optionalText("comment"))
        }
        self.columns = columns
    }
}

private let tableSQL = """
    select c.relkind in ('r', 'p') as is_table, obj_description(c.oid, 'pg_class') as comment,
      coalesce((
        select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum))
        from pg_index as i
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary
      ), '{}') as key,
      array(
        select i.relname::text from pg_index as x join pg_class as i on i.oid = x.indexrelid
        where x.indrelid = c.oid and x.indisvalid
      ) as indexes,
      array(
        select i.relname::text from pg_index as x join pg_class as i on i.oid = x.indexrelid
        where x.indrelid = c.oid and not x.indisvalid
      ) as broken_indexes
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = 'synced' and c.relname = $1
    """

private let columnSQL = """
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as is_required, pg_get_expr(d.adbin, d.adrelid) as default_sql,
      col_description(c.oid, a.attnum) as comment
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef as d on d.adrelid = c.oid and d.adnum = a.attnum
    where n.nspname = 'synced' and c.relname = $1
    """
