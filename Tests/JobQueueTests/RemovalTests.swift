import Postgres
import JobQueue
import Testing

@Suite("Removing users and tenants")
struct RemovalTests {
    /// A user with a row in every table that may hold one, and a run in progress.
    private func fill(_ fixture: Fixture, tenant: String, worker: Int) async throws -> Claim {
        try await fixture.addTenant(tenant)
        let user = try await fixture.addUser("ann", tenant: tenant)
        let first = try await fixture.run(worker, user: user)
        try await fixture.commit(first, page(1, isEnd: true), PageCounts(fetched: 1, inserted: 1))
        try await fixture.remember("register", listHash: nil, for: first)
        try await fixture.finish(first)
        try await fixture.script(
            """
            select jobrunner.put_secret(tenant_id, id, 'own', \(sealed())) from jobrunner.users where id = \(user);
            select jobrunner.put_secret(tenant_id, 0, 'shared', \(sealed())) from jobrunner.users where id = \(user);
            insert into synced.hub_video values (\(user), 'v');
            select jobrunner.replace_list('\(tenant)', 'ann', 'hub_channel', 'channel_id', '{c}');
            """)
        return try await fixture.run(worker, user: user)
    }

    /// The tables of both schemas that hold a row with the value in one of these columns; the audit outlives whom it
    /// names by number.
    private func tables(_ fixture: Fixture, _ columns: String, holding id: Int64) async throws
        -> [String]
    {
        var found: [String] = []
        let places = try await fixture.texts(
            """
            select format('%s|%I', c.oid::regclass, a.attname)
            from pg_class as c
            join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace::regnamespace::text in ('jobrunner', 'synced') and c.relkind = 'r' and c.relname <> 'audit'
              and a.attname in (\(columns))
            order by 1
            """)
        for place in places {
            let parts = place.split(separator: "|")
            let count = try await fixture.int(
                "select count(*) from \(parts[0]) where \(parts[1]) = \(id)")
            if count > 0 { found.append(String(parts[0])) }
        }
        return found
    }

    @Test func `a removed user leaves no row anywhere, and its run in progress can write none`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let claim = try await fill(fixture, tenant: "one", worker: worker)
            let other = try await fill(fixture, tenant: "two", worker: worker)
            // The user's rows are where this test looks for them.
            #expect(try await tables(fixture, "'user_id'", holding: claim.userID).count == 7)
            let others = try await tables(fixture, "'user_id'", holding: other.userID)
            try await fixture.script("select jobrunner.remove_user('one', 'ann')")
            #expect(try await tables(fixture, "'user_id'", holding: claim.userID) == [])
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.users where id = \(claim.userID)") == 0)
            await #expect(throws: QueueError.lost) { try await fixture.commit(claim) }
            await #expect(throws: QueueError.lost) {
                try await fixture.remember("register", listHash: nil, for: claim)
            }
            #expect(try await fixture.finish(claim).map(\.kind) == [.lost])
            #expect(try await tables(fixture, "'user_id'", holding: claim.userID) == [])
            // AL3: the neighbour is untouched.
            #expect(try await tables(fixture, "'user_id'", holding: other.userID) == others)
            try await fixture.commit(other, page(1, pass: 2))
            #expect(
                try await fixture.int("select count(*) from jobrunner.secrets where user_id = 0")
                    == 2)
        }
    }

    @Test func `a removed tenant leaves no row anywhere`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            let claim = try await fill(fixture, tenant: "one", worker: worker)
            _ = try await fill(fixture, tenant: "two", worker: worker)
            let tenant = Int64(
                try await fixture.int("select id from jobrunner.tenants where name = 'one'"))
            #expect(try await tables(fixture, "'tenant_id'", holding: tenant).count == 8)
            #expect(
                try await fixture.text("select jobrunner.remove_tenant('one') ->> 'users'") == "1")
            #expect(try await tables(fixture, "'tenant_id'", holding: tenant) == [])
            #expect(try await tables(fixture, "'user_id'", holding: claim.userID) == [])
            #expect(
                try await fixture.texts("select name from jobrunner.tenants order by name") == [
                    "acme", "two",
                ])
            #expect(try await fixture.finish(claim).map(\.kind) == [.lost])
            #expect(try await fixture.refusal("select jobrunner.remove_tenant('one')") == "JR010")
        }
    }

    @Test func `AL3 an operator's word for one tenant or user touches no other`() async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.addTenant("other")
            try await fixture.addUsers(2)
            try await fixture.addUsers(2, tenant: "other")
            let version = """
                select string_agg(j.xmin::text || j.ctid, ' ' order by j.user_id) from jobrunner.jobs as j
                join jobrunner.tenants as t on t.id = j.tenant_id where t.name = 'other'
                """
            let before = try await fixture.text(version)
            try await fixture.given(.failing(.tenant("acme")))
            for verb in ["cancel_jobs", "pause_jobs", "resume_jobs", "retry_jobs", "reset_jobs"] {
                for arguments in [
                    "'acme'", "'acme', 'user1'", "'acme', 'user1', 'hub.refresh'",
                    "'acme', null, 'hub.refresh'",
                ] {
                    try await fixture.script("select jobrunner.\(verb)(\(arguments))")
                }
            }
            try await fixture.script(
                "select jobrunner.enqueue_all('acme', 'hub.refresh'); select jobrunner.remove_tenant('acme')"
            )
            #expect(try await fixture.text(version) == before)
        }
    }
}
