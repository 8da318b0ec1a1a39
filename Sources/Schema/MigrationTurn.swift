import Glibc
import Postgres

/// The turn to migrate, which one session at a time has: a row names it, and holds while the session is there.
///
/// An advisory lock would do, but every login that may connect can hold one, and so keep `migrate` away for ever.
extension Session {
    /// Waits for the turn, however long, and takes it.
    func takeMigrationTurn() throws {
        while try !tryMigrationTurn() { usleep(100_000) }
    }

    /// Gives the turn back; whoever is gone has none.
    func giveMigrationTurnBack() throws {
        _ = try query(
            .unprepared(
                "update jobrunner.migrating set pid = null, session_started_at = null where pid = pg_backend_pid()"
            ))
    }

    private func tryMigrationTurn() throws -> Bool {
        do {
            if try query(.unprepared("select to_regclass('jobrunner.migrating') is null")).only()
                .bool(0)
            {
                try transaction { try $0.script(tableOfTheTurn) }
            }
            return try transaction { session in
                // The row's lock comes before the look at who is there, which PostgreSQL keeps for a transaction.
                _ = try session.query(
                    .unprepared("select from jobrunner.migrating for update"))
                return try session.query(.unprepared(takeTurn)).first != nil
            }
        } catch let error as TransactionError
            where othersMadeIt.contains(error.databaseError?.sqlstate ?? "")
        {
            return false
        }
    }
}

/// Two that make the schema at once: unique_violation, duplicate_schema, duplicate_table.
private let othersMadeIt: Set<String> = ["23505", "42P06", "42P07"]

// A session's number may be used again, so that its beginning counts as well. Of another role's session the beginning
// can't be seen: it is believed where that role could migrate.
private let takeTurn = """
    update jobrunner.migrating as m set pid = o.pid, session_started_at = o.backend_start, taken_at = now()
    from pg_stat_get_activity(pg_backend_pid()) as o
    where m.pid is null or not exists (
      select from pg_stat_get_activity(m.pid) as h
      where h.pid <> o.pid and h.datid = o.datid and coalesce(
        h.backend_start = m.session_started_at,
        pg_has_role(h.usesysid, (select n.nspowner from pg_namespace as n where n.nspname = 'jobrunner'), 'member'))
    )
    returning true
    """

private let tableOfTheTurn = """
    create schema if not exists jobrunner;
    create table jobrunner.migrating (
      is_only boolean primary key default true,
      pid integer,
      session_started_at timestamptz,
      taken_at timestamptz,
      salt bigint not null default ('x' || substr(md5(gen_random_uuid()::text), 1, 16))::bit(64)::bigint,
      constraint only_one_row_is_there check (is_only)
    );
    comment on table jobrunner.migrating is 'Who migrates at present: migrate makes this table before it does anything else.';
    comment on column jobrunner.migrating.is_only is 'True: there is one row.';
    comment on column jobrunner.migrating.pid is 'The server''s process of the session that migrates; null: none does.';
    comment on column jobrunner.migrating.session_started_at is 'When that session began: another may get its process number.';
    comment on column jobrunner.migrating.taken_at is 'When it took the turn.';
    comment on column jobrunner.migrating.salt is 'Makes locks that nobody else can know of (take_change_turn).';
    insert into jobrunner.migrating default values;
    """
