import JSON
import Postgres
import JobQueue
import Testing

@Suite("Jobs of a tenant")
struct TenantJobTests {
    /// Tenant `acme` with users and `hub.shared`, a job of scope tenant.
    private static func lend(_ body: (Fixture) async throws -> Void) async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.addUser("ann")
            try await fixture.script(
                """
                \(store("tenant"));
                select jobrunner.give_job('acme', 'hub.shared');
                """)
            try await fixture.addUser("bob")
            try await body(fixture)
        }
    }

    private static func store(_ scope: String) -> String {
        """
        select jobrunner.store_job_file('{"name": "hub.shared", "source": "hub", "every": "1 hour",
          "spread": true, "deadline": "5 min", "per_second": 20,
          "expanded": {"entities": [{"entity": "video", "write": {"table": "hub_video"}}]},
          "scope": "\(scope)"}')
        """
    }

    private let holders = """
        select u.key from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
        where j.name = 'hub.shared' order by 1
        """

    @Test func `a job of scope tenant stands once, and its rows are the tenant's`() async throws {
        try await Self.lend { fixture async throws in
            #expect(try await fixture.texts(holders) == ["*"])
            #expect(try await fixture.int("select jobrunner.give_job('acme', 'hub.shared')") == 0)
            let worker = try await fixture.addWorker()
            let claimed = try await fixture.claim(worker, names: ["hub.shared"])
            #expect(claimed.map(\.userKey) == ["*"])
            let user = try await fixture.int("select jobrunner.tenant_user('acme')")
            #expect(claimed.first?.claim.userID == Int64(user))
            try await fixture.addTenant("other")
            #expect(try await fixture.text("select jobrunner.tenant_user('other')") == "null")
        }
    }

    @Test func `it is addressed without a user or as *, and no user may have that key`()
        async throws
    {
        try await Self.lend { fixture async throws in
            for user in ["null", "'*'"] {
                #expect(
                    try await fixture.text(
                        "select jobrunner.enqueue('acme', \(user), 'hub.shared')") == "due")
                #expect(
                    try await fixture.text(
                        "select answer from jobrunner.want_fresh('acme', \(user), 'hub.shared')")
                        == "wait")
            }
            #expect(
                try await fixture.int("select jobrunner.enqueue_all('acme', 'hub.shared')") == 1)
            #expect(
                try await fixture.refusal("select jobrunner.enqueue('acme', 'ann', 'hub.shared')")
                    == "JR012")
            #expect(
                try await fixture.refusal("select jobrunner.enqueue('acme', null, 'hub.refresh')")
                    == "JR011")
            #expect(try await fixture.refusal("select jobrunner.add_user('acme', '*')") == "JR013")
            #expect(
                try await fixture.refusal("select jobrunner.remove_user('acme', '*')") == "JR011")
            #expect(
                try await fixture.refusal(
                    "insert into jobrunner.users (tenant_id, key) values (1, '*')") == "23514")
        }
    }

    @Test func `lists and counts of users leave it out, pauses and removals of the tenant do not`()
        async throws
    {
        try await Self.lend { fixture async throws in
            let users = try await fixture.queue.users(tenant: "acme", limit: 10)
            #expect(users.count == 2)
            let tenants = try await fixture.queue.tenants()
            #expect(tenants.first?.text.contains("\"user_count\":2") == true)
            _ = try await fixture.queue.pauseJobs(JobScope(tenant: "acme"))
            let worker = try await fixture.addWorker()
            #expect(try await fixture.claim(worker, names: ["hub.shared"]).isEmpty)
            try await fixture.script(
                "insert into synced.hub_video values (jobrunner.tenant_user('acme'), 'v')")
            let removed = try await fixture.queue.removeTenant("acme").rows
            #expect(removed.first.map { "\($0.count) \($0.what)" } == "2 users")
            #expect(try await fixture.int("select count(*) from jobrunner.users") == 0)
            #expect(try await fixture.int("select count(*) from synced.hub_video") == 0)
        }
    }

    @Test func `a job file of another scope moves its job, which begins anew`() async throws {
        try await Self.lend { fixture async throws in
            try await fixture.script(Self.store("user"))
            #expect(try await fixture.texts(holders) == ["ann", "bob"])
            try await fixture.script(Self.store("tenant"))
            #expect(try await fixture.texts(holders) == ["*"])
            #expect(try await fixture.text(Self.store("tenant") + "::text") == "false")
        }
    }
}
