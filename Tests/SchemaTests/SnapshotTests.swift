import Foundation
import Postgres
import Schema
import TestSupport
import Testing

/// `sql/schema.sql` shows in one place what the migrations add up to.
///
/// Refresh it with `JOBRUNNER_REFRESH_SNAPSHOT=1 swift test --filter SnapshotTests`.
@Suite("The snapshot of the schema")
struct SnapshotTests {
    @Test func `equals a fresh migrate`() async throws {
        let file = sqlFolder.appendingPathComponent("schema.sql")
        let fresh = try await withTestDatabase { database async throws in
            try await database.migrate()
            let parts = try await database.texts(tables) + database.texts(others)
            return header + parts.joined(separator: "\n") + "\n"
        }
        if ProcessInfo.processInfo.environment["JOBRUNNER_REFRESH_SNAPSHOT"] != nil {
            try fresh.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        let difference = fresh.split(separator: "\n").difference(from: kept.split(separator: "\n"))
        #expect(fresh == kept, "refresh it: see SnapshotTests.swift\n\(difference)")
    }
}

private let header = """
    -- What a fresh `jobrunner migrate` makes, for reading; never applied.
    -- JOBRUNNER_REFRESH_SNAPSHOT=1 swift test --filter SnapshotTests


    """

/// Partitions have the day in their names.
private let tables = """
    select format(E'create table %s (\\n%s\\n)%s%s;\\n%s', c.oid::regclass, body.text,
      coalesce(' partition by ' || pg_get_partkeydef(c.oid), ''),
      coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''),
      coalesce((
        select string_agg(pg_get_indexdef(i.indexrelid) || E';\\n', '' order by i.indexrelid::regclass::text)
        from pg_index as i
        where i.indrelid = c.oid
          and not exists (select from pg_constraint as k where k.conindid = i.indexrelid)
      ), ''))
    from pg_class as c
    cross join lateral (
      select string_agg(line, E',\\n' order by part, place, line) as text
      from (
        select 1 as part, a.attnum as place, '  ' || quote_ident(a.attname) || ' '
          || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
          || case a.attidentity when 'a' then ' generated always as identity' else '' end
          || case
            when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
            else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
          end as line
        from pg_attribute as a
        left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        union all
        select 2, 0, '  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
        from pg_constraint as k where k.conrelid = c.oid
      ) as lines
    ) as body
    where c.relnamespace = 'jobrunner'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname
    """

private let others = """
    select line from (
      select 1 as part, c.relname as name, format('create sequence %s;', c.oid::regclass) as line
      from pg_class as c
      where c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'S'
        and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'i')
      union all
      select 2, p.proname, format('-- function jobrunner.%s(%s) returns %s', p.proname,
        pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
      from pg_proc as p where p.pronamespace = 'jobrunner'::regnamespace
      union all
      select 3, c.relname, format('-- view jobrunner.%s(%s)', c.relname, (
        select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
        from pg_attribute as a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ))
      from pg_class as c where c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'v'
    ) as lines
    order by part, name
    """
