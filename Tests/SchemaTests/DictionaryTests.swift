import Foundation
import Postgres
import Schema
import Testing

@Suite("The data dictionary")
struct DictionaryTests {
    @Test func `every object of schema jobrunner has a comment`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            #expect(try await database.texts(uncommented) == [])
            // The question itself finds what is missing.
            try await database.script(
                """
                create table jobrunner.bare (id int); create index bare_id on jobrunner.bare (id);
                create sequence jobrunner.bares;
                create function jobrunner.barely() returns int language sql as 'select 1';
                """)
            #expect(try await database.texts(uncommented).count == 5)
        }
    }

    @Test func `everybody may see nothing of schema jobrunner and call none of its functions`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let open = """
                select 'function ' || p.proname
                from pg_proc as p
                cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
                where p.pronamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace, 'own'::regnamespace) and a.grantee = 0
                union all
                select 'relation ' || c.relname
                from pg_class as c
                cross join lateral aclexplode(c.relacl) as a
                where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace, 'own'::regnamespace) and a.grantee = 0
                union all
                select 'schema ' || n.nspname
                from pg_namespace as n
                cross join lateral aclexplode(n.nspacl) as a
                where n.nspname in ('jobrunner', 'synced', 'own') and a.grantee = 0
                order by 1
                """
            #expect(try await database.texts(open) == [])
            // The question itself finds what is open, and so does the next migrate.
            try await database.script(
                """
                create function jobrunner.open() returns int language sql as 'select 1';
                grant usage on schema jobrunner to public;
                grant select on jobrunner.jobs to public;
                """)
            #expect(
                try await database.texts(open) == [
                    "function open", "relation jobs", "schema jobrunner",
                ])
            try await database.script("revoke all on schema jobrunner, synced from public")
            try await database.migrate([jobFile()])
            #expect(try await database.texts(open) == ["relation jobs"])
        }
    }

    @Test func `constraint names are sentences of their own`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let generated = try await database.texts(
                """
                select distinct c.conname::text
                from pg_constraint as c
                where c.connamespace = 'jobrunner'::regnamespace
                  and (
                    c.contype = 'c' and (c.conname ~ '_check[0-9]*$' or c.conname !~ '_(is|are|has|have|lies|belongs|holds|add)_')
                    or c.contype = 'u' and c.conname !~ '_is_unique'
                  )
                """)
            #expect(generated == [])
        }
    }

    @Test func `the program holds every file of sql, as it is`() throws {
        var paths: [String] = []
        for folder in ["migrations", "functions", "views"] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: sqlFolder.appendingPathComponent(folder).path)
            paths += names.sorted().map { "\(folder)/\($0)" }
        }
        #expect(SQLFile.embedded.map(\.path) == paths)
        for file in SQLFile.embedded {
            let text = try String(
                contentsOf: sqlFolder.appendingPathComponent(file.path), encoding: .utf8)
            #expect(file.text == text, "\(file.path)")
        }
    }

    @Test func `every function stands in a file of its name`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            let names = try await database.texts(
                "select distinct proname::text from pg_proc where pronamespace = 'jobrunner'::regnamespace"
            )
            let files = SQLFile.embedded.filter { $0.path.hasPrefix("functions/") }
            #expect(Set(names.map { "functions/\($0).sql" }) == Set(files.map(\.path)))
        }
    }
}

private let uncommented = """
    with objects (name, comment) as (
      select 'schema ' || n.nspname, obj_description(n.oid, 'pg_namespace')
      from pg_namespace as n where n.nspname in ('jobrunner', 'synced', 'own')
      union all
      select c.relkind::text || ' ' || c.oid::regclass,
        case c.relkind when 'c' then obj_description(c.reltype, 'pg_type') else obj_description(c.oid, 'pg_class') end
      from pg_class as c
      where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace, 'own'::regnamespace)
        and not exists (select from pg_constraint as k where k.conindid = c.oid)
        and not exists (
          select from pg_depend as d where d.objid = c.oid and d.deptype = 'i' and c.relkind = 'S'
        )
        and not (c.relkind = 'i' and c.relispartition)
      union all
      select 'column ' || c.oid::regclass || '.' || a.attname, col_description(c.oid, a.attnum)
      from pg_class as c
      join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace, 'own'::regnamespace)
        and c.relkind in ('r', 'p', 'v') and not c.relispartition
      union all
      select 'function ' || p.oid::regprocedure, obj_description(p.oid, 'pg_proc')
      from pg_proc as p where p.pronamespace = 'jobrunner'::regnamespace
    )
    select name from objects where coalesce(comment, '') = '' order by name
    """
