import JSON
import JobFiles
import Postgres

/// What is tried: made from the catalogue, so that whatever is added to it is tried as well.
extension Victim {
    func trials(by attacker: Attacker) async throws -> [Trial] {
        try await functionTrials(attacker) + relationTrials() + columnTrials()
            + settingTrials(attacker)
            + lockTrials() + sessionTrials()
    }

    /// Each function, with arguments that name the other tenant, its user, its job and its rows.
    private func functionTrials(_ attacker: Attacker) async throws -> [Trial] {
        let found = try await world.rows(
            """
            select p.proname as name, p.provolatile = 'v' as writes,
              coalesce((
                select string_agg(format('%I => %s', a.name, case
                    when a.name = 'in_tenant' or p.proname in ('set_tenant', 'remove_tenant', 'add_tenant') and a.name = 'in_name' then '''acme'''
                    when a.name in ('in_user', 'in_key') and a.type = 'text'::regtype then quote_literal('\(Self.key)')
                    when a.name in ('in_job') then quote_literal('\(world.file.name)')
                    when a.name = 'in_table' then quote_literal('\(table)')
                    when a.name = 'in_source' and a.type = 'text'::regtype then quote_literal('\(world.file.source.id)')
                    when a.name = 'in_tenant_id' then '(1)::bigint'
                    when a.name = 'in_user_id' then '(\(user))::bigint'
                    when a.name in ('in_user_ids', 'in_ids') then 'array[\(user)]::bigint[]'
                    when a.name = 'in_tenant_ids' then 'array[1]::bigint[]'
                    when a.type = 'jsonb'::regtype then '''{"note": "x"}''::jsonb'
                    when a.type = 'text[]'::regtype then 'array[''x'']'
                    when a.type in ('integer'::regtype, 'bigint'::regtype, 'smallint'::regtype) then '1::' || a.type::regtype
                    when a.type = 'boolean'::regtype then 'true'
                    when a.type = 'interval'::regtype then '''1 hour''::interval'
                    when a.type = 'timestamptz'::regtype then 'now()'
                    when a.type = 'bytea'::regtype then 'decode(repeat(''01'', 60), ''hex'')'
                    when a.type = 'text'::regtype then '''token'''
                    else 'null::' || format_type(a.type, null)
                  end), ', ' order by a.place)
                from unnest(
                  coalesce(p.proargnames, '{}'),
                  coalesce(p.proallargtypes, string_to_array(p.proargtypes::text, ' ')::oid[]),
                  coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs]))
                ) with ordinality as a (name, type, mode, place)
                where a.mode in ('i', 'v') and a.type is not null
              ), '') as arguments,
              has_function_privilege('\(attacker.login)', p.oid, 'execute') as may_call,
              exists (select from unnest(p.proargnames) as n where n = 'in_tenant') as names_tenant
            from pg_proc as p
            where p.pronamespace = 'jobrunner'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
              and not p.proretset or p.pronamespace = 'jobrunner'::regnamespace and p.proretset
            order by p.proname
            """)
        return found.map { row in
            let name = row.text("name") ?? ""
            let call = "jobrunner.\(name)(\(row.text("arguments") ?? ""))"
            let attempt: Attempt =
                switch name {
                case "cancel_jobs", "pause_jobs", "pause_job_file", "remove_user", "remove_tenant",
                    "take_job", "reset_jobs",
                    "release_jobs", "crash_runs", "reap_worker", "deregister_worker",
                    "abandon_pass":
                    .stop
                default: row["writes"]?.bool == true ? .change : .see
                }
            // Who may read all keys is told by these what stands in the views, or in the arguments.
            let isOfReaders = attacker.mayReadKeys && ["cause_hint", "jobs_meant"].contains(name)
            return Trial(
                attempt: attempt, surface: "function", sql: "select t::text from \(call) as t",
                isVerb: row["may_call"]?.bool == true && row["names_tenant"]?.bool == true
                    && !isOfReaders)
        }
    }

    /// Each table, view and sequence.
    private func relationTrials() async throws -> [Trial] {
        let found = try await world.rows(
            """
            select c.oid::regclass::text as name, c.relkind::text as kind,
              (select a.attname from pg_attribute as a where a.attrelid = c.oid and a.attnum = 1) as first
            from pg_class as c
            where c.relnamespace in (select n.oid from pg_namespace as n where n.nspname in ('jobrunner', 'synced', 'own'))
              and c.relkind in ('r', 'p', 'v', 'S')
            order by 1
            """)
        return found.flatMap { row -> [Trial] in
            let (name, first) = (row.text("name") ?? "", row.text("first") ?? "")
            switch row.text("kind") {
            case "S":
                return [
                    Trial(
                        attempt: .see, surface: "sequence",
                        sql: "select last_value::text from \(name)"),
                    Trial(attempt: .change, surface: "sequence", sql: "select nextval('\(name)')"),
                    Trial(attempt: .stop, surface: "sequence", sql: "select setval('\(name)', 1)"),
                ]
            case let kind:
                let surface = kind == "v" ? "view" : "table"
                let tried: [(Attempt, String)] = [
                    (.see, "select t::text from \(name) as t"), (.see, "copy \(name) to stdout"),
                    (.see, "select * from \(name) tablesample system (100)"),
                    (.see, "explain (analyze, verbose) select * from \(name)"),
                    (.change, "create temporary table \"\(name)\" (a int)"),
                    (.change, "insert into \(name) select * from \(name)"),
                    (.change, "insert into \(name) default values"),
                    (.change, "update \(name) set \"\(first)\" = \"\(first)\""),
                    (.change, "alter table \(name) add column trojan text"),
                    (.change, "comment on \(surface) \(name) is 'mine'"),
                    (.change, "create rule trojan as on insert to \(name) do instead nothing"),
                    (
                        .change,
                        "create trigger trojan before insert on \(name) execute function jobrunner.keep_edit()"
                    ),
                    (.change, "grant all on \(name) to public"),
                    (.impersonate, "alter table \(name) disable row level security"),
                    (.impersonate, "create policy mine on \(name) using (true)"),
                    (.impersonate, "alter table \(name) owner to current_user"),
                    (.stop, "delete from \(name)"), (.stop, "truncate \(name)"),
                    (.stop, "drop \(surface) \(name) cascade"),
                    (.slow, "lock table \(name) in access exclusive mode"),
                    (.slow, "lock table \(name) in access share mode"),
                    (.slow, "select 1 from \(name) for update"),
                    (.slow, "select 1 from \(name) for key share"),
                    (.slow, "create index on \(name) (\"\(first)\")"),
                    (.slow, "create statistics on ctid, \"\(first)\" from \(name)"),
                ]
                return tried.map { Trial(attempt: $0.0, surface: surface, sql: $0.1) }
            }
        }
    }

    /// Each column by itself, for rights that are given by columns.
    private func columnTrials() async throws -> [Trial] {
        try await world.texts(
            """
            select format('select %I::text from %s', a.attname, c.oid::regclass)
            from pg_class as c
            join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace in (select n.oid from pg_namespace as n where n.nspname in ('jobrunner', 'synced', 'own'))
              and c.relkind in ('r', 'p', 'v')
            order by 1
            """
        ).map { Trial(attempt: .see, surface: "column", sql: $0) }
    }

    /// Another role, and settings that might be believed.
    private func settingTrials(_ attacker: Attacker) async throws -> [Trial] {
        let roles =
            ["jobrunner", "postgres"]
            + ["worker", "operator", "reader", "application", "work", "operate", "serve"].map {
                "jobrunner_\($0)"
            }
        let others = roles.filter { role in role != attacker.group.map { "jobrunner_\($0)" } }
        let roleTrials = others.flatMap { role in
            [
                "set role \(role)", "set session authorization \(role)",
                "alter role \(role) password 'x'", "grant \(role) to current_user",
                "create role trojan in role \(role)", "drop role \(role)",
            ]
        }
        let shadows = [
            "create schema trojan",
            "create function jobrunner.trojan() returns int language sql as 'select 1'",
            "create table jobrunner.trojan (a int)", "create table synced.trojan (a int)",
            "alter function jobrunner.own_tenant_id() security invoker",
            "create or replace function jobrunner.own_tenant_id() returns bigint language sql as 'select 1::bigint'",
            "create extension dblink", "create language plpython3u",
            "copy (select 1) to program 'id'",
            "copy (select 1) to 'trojan'", "select pg_read_file('postgresql.conf')",
            "load 'trojan'",
            "alter system set session_preload_libraries = 'trojan'",
            "alter database \"\(world.database.name)\" set search_path = trojan",
            "alter schema jobrunner owner to current_user",
            "create subscription s connection 'x' publication y",
            "create publication p for all tables", "create server s foreign data wrapper trojan",
            "set session_replication_role = replica", "set log_statement = 'none'",
        ]
        // With such settings, the other tenant is as far away as without.
        let settings = [
            "jobrunner.own_writes", "jobrunner.tenant", "jobrunner.tenant_id",
            "jobrunner.own_tenant_id", "role.tenant", "search_path",
        ].flatMap { setting in
            ["acme", "on", "1", "pg_temp, public"].map { value in
                "do $$ begin perform set_config('\(setting)', '\(value)', true);"
                    + " perform jobrunner.enqueue('acme', '\(Self.key)', '\(world.file.name)'); end $$"
            }
        }
        return roleTrials.map { Trial(attempt: .impersonate, surface: "role", sql: $0) }
            + shadows.map { Trial(attempt: .impersonate, surface: "catalogue", sql: $0) }
            + settings.map { Trial(attempt: .impersonate, surface: "setting", sql: $0) }
    }

    private func lockTrials() async throws -> [Trial] {
        [
            "select pg_export_snapshot()::xid", "set jobrunner.own_writes = ''; select 1/0",
            "lock table jobrunner.jobs in share mode", "select from jobrunner.migrating for update",
            "begin; select from jobrunner.tenants for share; rollback; select 1/0",
        ].map { Trial(attempt: .slow, surface: "lock", sql: $0) }
    }

    /// Other sessions of the server: the owner's, and an operator's.
    private func sessionTrials() async throws -> [Trial] {
        let pids = try await world.texts(
            "select pid::text from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and usename is not null"
        )
        let own = try await world.text("select pg_backend_pid()::text")
        return (pids + [own]).flatMap { pid in
            [
                Trial(
                    attempt: .stop, surface: "session", sql: "select pg_terminate_backend(\(pid))"),
                Trial(attempt: .stop, surface: "session", sql: "select pg_cancel_backend(\(pid))"),
                Trial(
                    attempt: .see, surface: "session",
                    sql: "select query from pg_stat_activity where pid = \(pid)"),
            ]
        } + [
            Trial(attempt: .see, surface: "session", sql: "select query from pg_stat_activity"),
            Trial(
                attempt: .see, surface: "session",
                sql: "select prosrc from pg_proc where prosrc like '%\(Self.word)%'"),
            Trial(
                attempt: .see, surface: "session",
                sql:
                    "select most_common_vals::text from pg_stats where schemaname in ('jobrunner', 'synced')"
            ),
        ]
    }
}
