import Postgres
import Schema
import Testing

@Suite("Roles")
struct RoleTests {
    @Test func `every table that knows a tenant or a user is behind row-level security`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let open = """
                select c.oid::regclass::text
                from pg_class as c
                join pg_attribute as a on a.attrelid = c.oid and a.attname in ('tenant_id', 'user_id')
                where c.relnamespace in ('jobrunner'::regnamespace, 'synced'::regnamespace) and c.relkind in ('r', 'p')
                  and (not c.relrowsecurity or c.relforcerowsecurity or not c.relispartition and 4 <> (
                    select count(*) from pg_policy as p where p.polrelid = c.oid
                  ))
                order by 1
                """
            #expect(try await database.texts(open) == [])
            // So is a partition that a worker's chore makes.
            try await database.script(
                """
                do $$ begin execute (select 'drop table ' || max(c.oid::regclass::text) from pg_class as c
                  where c.relname ~ '^runs_[0-9]{8}$'); end $$;
                """)
            #expect(
                try await database.texts("select created::text from jobrunner.maintain_runs()") == [
                    "1"
                ])
            #expect(try await database.texts(open) == [])
            // The question itself finds what is open, and so does the next migrate.
            try await database.script("create table jobrunner.open (user_id bigint)")
            #expect(try await database.texts(open) == ["jobrunner.open"])
            try await database.migrate([jobFile()])
            #expect(try await database.texts(open) == [])
        }
    }

    /// A plan without a sequential scan costs 10,000,000,000 where there is no other: a call of an application took
    /// 90 ms then, since its session compiled the plan.
    @Test func `who turns sequential scans off turns compiling off, and so does whom all call`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let compiled = """
                select p.proname::text
                from pg_proc as p
                where p.pronamespace = 'jobrunner'::regnamespace and not 'jit=off' = any (p.proconfig)
                  and ('enable_seqscan=off' = any (p.proconfig) or p.proname = 'own_tenant_id')
                order by 1
                """
            #expect(try await database.texts(compiled) == [])
            try await database.script("alter function jobrunner.hold_job reset jit")
            #expect(try await database.texts(compiled) == ["hold_job"])
        }
    }

    @Test func `a function with its owner's rights has a path of its own, and callers`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let loose = """
                select p.proname::text
                from pg_proc as p
                where p.pronamespace = 'jobrunner'::regnamespace and p.prosecdef and (
                  not 'search_path=pg_catalog, pg_temp' = any (p.proconfig)
                  or p.prorettype <> 'trigger'::regtype
                    and not exists (select from jobrunner.rights_of_roles() as r where r.place = p.oid)
                )
                order by 1
                """
            #expect(try await database.texts(loose) == [])
            try await database.script(
                "create function jobrunner.loose() returns int language sql security definer as 'select 1'"
            )
            #expect(try await database.texts(loose) == ["loose"])
        }
    }

    /// Which verbs act with the rights of their caller is a choice: none of those, but a worker's, touch a table.
    @Test func `a verb for callers acts with its owner's rights, whoever calls it`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let own = try await database.texts(
                """
                select distinct p.proname::text
                from jobrunner.rights_of_roles() as r
                join pg_proc as p on p.oid = r.place and not p.prosecdef
                where r."right" = 'execute' and r.kind <> 'worker'
                order by 1
                """)
            #expect(
                own == [
                    "bare_query", "cause_hint", "describe_counters", "has_session", "is_alive",
                    "keeps_edits", "look_at_rows",
                    "shell_word", "tenant_named", "user_named", "words_for",
                ])
        }
    }

    @Test func `an application and a reader have these rights and no other`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            let rights = """
                select r."right" || ' ' || r.signature
                from jobrunner.rights_of_roles() as r
                where r.kind = 'application' and r."right" <> 'execute' and r.signature !~ '^own[.]' or r.kind = 'reader' and r."right" <> 'select'
                  or r.kind = 'worker' and r.signature ~ '[.](tenants|applications|roles|migrations|audit)$'
                order by 1
                """
            #expect(
                try await database.texts(rights) == [
                    "execute jobrunner.bare_query(text)",
                    "execute jobrunner.cause_hint(text,text,text,text,text)",
                    "execute jobrunner.describe_counters(regclass)",
                    "execute jobrunner.endless_at(bigint,text,timestamp with time zone)",
                    "execute jobrunner.has_session(jobrunner.workers)",
                    "execute jobrunner.is_alive(jobrunner.workers)",
                    "execute jobrunner.is_fruitless(bigint,text,integer,timestamp with time zone)",
                    "execute jobrunner.jobs_meant(text,text,text,text,text,integer)",
                    "execute jobrunner.other_files(jobrunner.workers)",
                    "execute jobrunner.session_figures()", "execute jobrunner.shell_word(text)",
                    "execute jobrunner.words_for(interval)",
                    "select jobrunner.migrations", "select jobrunner.tenants",
                ])
        }
    }

    @Test func `an operator reads nothing that is sealed, and a reader no text`() async throws {
        let name = try await TestCluster.shared.schemaTemplate()
        let database = try await TestDatabase.make(template: name)
        for (url, isReader) in [
            (TestCluster.operatorLogin(of: database.url), false),
            (TestCluster.reader(of: database.url), true),
        ] {
            let settings = try DatabaseConfiguration(
                conninfo: url, applicationName: "test", lanes: 1)
            try await Database.withSessions(settings) { login in
                for sql in [
                    "select sealed from jobrunner.secrets",
                    "select access_token from jobrunner.renewals",
                    "select lease from jobrunner.renewals",
                    "update jobrunner.tenants set paused_at = now()",
                    "insert into jobrunner.applications values ('x', 1)",
                    "create table jobrunner.own (a int)",
                ] { #expect(await login.refusal(of: sql) == "42501", "\(sql)") }
                for sql in [
                    "select last_error from jobrunner.jobs",
                    "select error from jobrunner.user_story",
                    "select cursor, sync_token from jobrunner.checkpoints",
                    "select attributes from jobrunner.users",
                    "select expanded from jobrunner.job_files",
                    "select base from jobrunner.sources",
                    "select * from jobrunner.told_events", "select * from jobrunner.events",
                    "select name from jobrunner.secrets",
                ] { #expect(await login.refusal(of: sql) == (isReader ? "42501" : nil), "\(sql)") }
                for view in [
                    "tenant_freshness", "gauges", "lock_holders", "raised_alerts", "running_jobs",
                    "worker_health",
                ] {
                    #expect(await login.refusal(of: "select * from jobrunner.\(view)") == nil)
                }
            }
        }
    }

    @Test func `a worker changes no tenant, no table's form, and not who may do what`() async throws
    {
        let database = try await TestDatabase.make(
            template: try await TestCluster.shared.schemaTemplate())
        let settings = try DatabaseConfiguration(
            conninfo: TestCluster.worker(of: database.url), applicationName: "test", lanes: 1)
        try await Database.withSessions(settings) { worker in
            for sql in [
                "insert into jobrunner.tenants (name) values ('mine')",
                "update jobrunner.tenants set weight = 2", "delete from jobrunner.tenants",
                "insert into jobrunner.users (tenant_id, key) values (1, 'x')",
                "update jobrunner.users set key = 'x'",
                "update jobrunner.users set attributes = '{}'",
                "delete from jobrunner.users", "truncate jobrunner.jobs",
                "alter table jobrunner.jobs add column mine int",
                "create table jobrunner.mine (a int)",
                "create table synced.mine (a int)", "select from jobrunner.applications",
                "select from jobrunner.audit_trail", "select from jobrunner.application_logins",
                "select from jobrunner.roles", "select from jobrunner.migrating for update",
                "insert into jobrunner.job_files select * from jobrunner.job_files",
                "select jobrunner.add_tenant('mine')", "select jobrunner.set_source('a', 'b', 'c')",
                "select jobrunner.enqueue('a', 'b', 'c')", "select jobrunner.grant_roles()",
            ] { #expect(await worker.refusal(of: sql) == "42501", "\(sql)") }
        }
    }

    @Test func `a role of another name takes the place of the one before, which keeps nothing`()
        async throws
    {
        let database = try await TestDatabase.make(
            template: try await TestCluster.shared.schemaTemplate())
        let role = "jr_moved_\(UInt32.random(in: 0 ... .max))"
        try await database.administer("create role \(role)_reader nologin")
        try await Database.withSessions(try database.configuration()) { pool in
            let moved = try await pool.texts(
                "select unnest(jobrunner.grant_roles($1))", .text(role))
            #expect(moved.contains("\(role)_reader: jobrunner.gauges"))
            #expect(
                try await pool.texts("select name from jobrunner.roles order by kind") == [
                    "jobrunner_application", "jobrunner_operator", "\(role)_reader",
                    "jobrunner_worker",
                ])
            let left = try await pool.texts(
                """
                select c.relname::text from pg_class as c cross join lateral aclexplode(c.relacl) as a
                where c.relnamespace = 'jobrunner'::regnamespace and a.grantee = 'jobrunner_reader'::regrole
                """)
            #expect(left == [])
            try await pool.script("select jobrunner.grant_roles('jobrunner')")
        }
        try await database.administer("drop role \(role)_reader")
    }
}

extension Database {
    fileprivate func refusal(of sql: String) async -> String? {
        do {
            _ = try await run { try $0.query(.unprepared(sql)) }
            return nil
        } catch { return (error as? DatabaseError)?.sqlstate ?? "\(error)" }
    }
}
