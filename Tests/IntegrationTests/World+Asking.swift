import JSON
import JobFiles
import Postgres

// Rows as a test reads them.
extension World {
    /// The first row of a query as JSON; throws when there is none.
    func row(_ query: String, _ binds: Bind...) async throws -> JSONNode {
        let rows = try await pool.run {
            try $0.query(
                Statement(
                    "select to_jsonb(q)::text from (\(query)) as q", binds: binds, cached: false))
        }
        guard let first = rows.first else { throw NoRow(query: query) }
        return try JSONDocument(parsing: Array(first.text(0).utf8)).root
    }

    /// All rows of a query.
    func rows(_ query: String, _ binds: Bind...) async throws -> [JSONNode] {
        let rows = try await pool.run {
            try $0.query(
                Statement(
                    "select coalesce(jsonb_agg(to_jsonb(q)), '[]')::text from (\(query)) as q",
                    binds: binds, cached: false))
        }
        return Array(try JSONDocument(parsing: Array(try rows.only().text(0).utf8)).root.elements)
    }

    func job(_ user: String, tenant: String = "acme") async throws -> JSONNode {
        try await row(
            """
            select j.* from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
            join jobrunner.tenants as t on t.id = u.tenant_id where u.key = $1 and t.name = $2
            """, .text(user), .text(tenant))
    }

    func checkpoint(_ user: String) async throws -> JSONNode {
        try await row(
            """
            select k.*, (k.counters).*, extract(epoch from k.watermark::timestamptz)::bigint as watermark_s
            from jobrunner.checkpoints as k join jobrunner.users as u on u.id = k.user_id
            where u.key = $1
            """, .text(user))
    }

    /// What of a user's entities waits for a person.
    func troubles(_ user: String) async throws -> [String] {
        try await texts(
            """
            select distinct t.kind
            from jobrunner.checkpoints as k, jsonb_object_keys(k.troubles) as t (kind)
            where k.user_id = (select u.id from jobrunner.users as u where u.key = $1)
            order by 1
            """, .text(user))
    }

    /// A user's runs, oldest first.
    func runs(_ user: String) async throws -> [JSONNode] {
        try await rows(
            """
            select r.*, (r.counters).* from jobrunner.runs as r join jobrunner.users as u on u.id = r.user_id
            where u.key = $1 order by r.id
            """, .text(user))
    }

    /// `outcome` or `outcome kind` of each run of a user, oldest first.
    func outcomes(_ user: String) async throws -> [String] {
        try await runs(user).map { run in
            [run.text("outcome"), run.text("error_kind")].compactMap { $0 }.joined(separator: " ")
        }
    }

    func userID(_ key: String) async throws -> Int {
        Int(try await value("select id from jobrunner.users where key = $1", .text(key)) ?? "") ?? 0
    }

    /// Every version of every checkpoint from now on is kept in the table `trail`.
    func keepTrail() async throws {
        for statement in [
            "create table public.trail (id bigserial, k jobrunner.checkpoints)",
            """
            create function public.note_trail() returns trigger language plpgsql security definer as
            $$ begin insert into public.trail (k) values (new); return null; end $$
            """,
            """
            create trigger trail after insert or update on jobrunner.checkpoints
            for each row execute function public.note_trail()
            """,
        ] {
            try await sql(statement)
        }
    }

    func trail() async throws -> [JSONNode] {
        try await rows("select (k).* from public.trail order by id")
    }
}

// What a person or an application does.
extension World {
    /// The answer of `enqueue`.
    @discardableResult
    func enqueue(_ user: String, full: Bool = false, force: Bool = false) async throws -> String? {
        try await value(
            "select jobrunner.enqueue('acme', $1, $2, $3, null, $4)", .text(user),
            .text(file.name), .bool(full), .bool(force))
    }

    /// Makes every waiting job due and runs until nothing is.
    func runAgain() async throws {
        try await makeDue()
        try await drain()
    }

    /// Takes a worker for dead, whatever it says: its jobs are given to others.
    func giveUpWorkers() async throws {
        // In one transaction: a heartbeat between the two would show that the worker lives.
        try await script(
            "\(Given.silent(for: "1 hour")) select jobrunner.reap_jobs('15 seconds')")
    }
}

extension JSONNode {
    func text(_ name: String) -> String? { self[name]?.string }
    func int(_ name: String) -> Int? { self[name]?.int }
    func isNull(_ name: String) -> Bool { self[name]?.kind == .null }
}

struct NoRow: Error { let query: String }
