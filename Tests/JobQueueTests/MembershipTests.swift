import Postgres
import JobQueue
import Testing

/// Users, their jobs and their secrets, while two people change them at once.
@Suite("Users and jobs at once")
struct MembershipTests {
    private let lacking = """
        select count(*) from jobrunner.users as u
        join jobrunner.tenant_jobs as t on t.tenant_id = u.tenant_id
        where not exists (select from jobrunner.jobs as j where j.user_id = u.id and j.name = t.job_name)
        """
    private let ownerless =
        "select count(*) from jobrunner.jobs as j where not exists (select from jobrunner.users as u where u.id = j.user_id)"

    @Test func `a user that is added while its tenant is given a job has the job`() async throws {
        try await Fixture.lend { fixture async throws in
            let adding = try await fixture.during("select jobrunner.give_job('acme', 'hub.status')")
            {
                try await fixture.begin("select jobrunner.add_user('acme', 'ann')")
            }
            try await adding.value
            #expect(try await fixture.int(lacking) == 0)
            try await fixture.addTenant("globex")
            let giving = try await fixture.during("select jobrunner.add_user('globex', 'bob')") {
                try await fixture.begin("select jobrunner.give_job('globex', 'hub.status')")
            }
            try await giving.value
            #expect(try await fixture.int(lacking) == 0)
        }
    }

    @Test func `a user that is removed while its tenant is given a job leaves no job behind`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.addUser("ann")
            try await fixture.addUser("bob")
            let removing = try await fixture.during(
                "select jobrunner.give_job('acme', 'hub.status')"
            ) {
                try await fixture.begin("select jobrunner.remove_user('acme', 'ann')")
            }
            try await removing.value
            #expect(try await fixture.int(ownerless) == 0)
            try await fixture.addTenant("globex")
            try await fixture.addUser("eve", tenant: "globex")
            let giving = try await fixture.during("select jobrunner.remove_user('globex', 'eve')") {
                try await fixture.begin("select jobrunner.give_job('globex', 'hub.status')")
            }
            try await giving.value
            #expect(try await fixture.int(ownerless) == 0)
        }
    }

    @Test func `jobs that users lack are made`() async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.addUser()
            try await fixture.given(.noJob())
            #expect(try await fixture.int("select jobrunner.make_lacking_jobs()") == 1)
            #expect(try await fixture.int("select jobrunner.make_lacking_jobs()") == 0)
            #expect(try await fixture.int(lacking) == 0)
        }
    }

    @Test(arguments: [true, false])
    func `a secret that is stored while a run is refused keeps the job from being parked`(
        isTenants: Bool
    ) async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            let set = """
                select jobrunner.put_secret(tenant_id, \(isTenants ? "0" : "id"), 'token', \(sealed()) || gen_random_uuid()::text::bytea)
                from jobrunner.users where id = \(user)
                """
            // Stored by a transaction that began before the run and ends after it.
            let run = try await fixture.runJob(worker, user: user)
            let early = try await fixture.during(set) {
                try await fixture.finish(run.claim, .needsReauth, kind: .unauthorised)
            }
            #expect(early.map(\.kind) == [.busy])
            #expect(
                try await fixture.finish(run.claim, .needsReauth, kind: .unauthorised).isEmpty)
            #expect(
                try await fixture.job("state || (due_at <= now())", user: user) == "waitingtrue")
            // Asked for while the run's end is not committed.
            let second = try await fixture.runJob(worker, user: user)
            let versions = second.secrets.map { "\($0.version)" }.joined(separator: ",")
            let setting = try await fixture.during(
                """
                select jobrunner.finish_runs(array[jsonb_populate_record(
                  jobrunner.end_of(j, 'needs_reauth', 'unauthorised', 'x'), '{"secret_versions": [\(versions)]}'
                )])
                from jobrunner.jobs as j where j.user_id = \(user)
                """
            ) {
                try await fixture.begin(set)
            }
            try await setting.value
            #expect(
                try await fixture.job("state || (due_at <= now())", user: user) == "waitingtrue")
            // What it had read itself is no news.
            let third = try await fixture.runJob(worker, user: user)
            try await fixture.finish(
                third.claim, .needsReauth, kind: .unauthorised,
                secrets: third.secrets.map(\.version))
            #expect(try await fixture.job("state", user: user) == "needs_reauth")
        }
    }

    @Test func `a user that is added while its job's schedule changes has the new one`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let store = { (every: String) in
                """
                select jobrunner.store_job_file('{"name": "hub.refresh", "source": "hub", "every": "\(every)",
                  "spread": true, "deadline": "1 min", "per_second": 20,
                  "expanded": {"entities": [{"entity": "video"}, {"entity": "channel"}]}}')
                """
            }
            let adding = try await fixture.during(store("15 min")) {
                try await fixture.begin("select jobrunner.add_user('acme', 'ann')")
            }
            try await adding.value
            let storing = try await fixture.during("select jobrunner.add_user('acme', 'bob')") {
                try await fixture.begin(store("20 min"))
            }
            try await storing.value
            #expect(
                try await fixture.texts("select distinct every::text from jobrunner.jobs")
                    == ["00:20:00"])
        }
    }

    @Test func `a secret of a user that is being removed is refused and leaves no row`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            let setting = try await fixture.during("select jobrunner.remove_user('acme', 'ann')") {
                try await fixture.begin(
                    """
                    select jobrunner.put_secret((select id from jobrunner.tenants where name = 'acme'), \(user), 'token', \(sealed()))
                    """)
            }
            let error = await #expect(throws: DatabaseError.self) { try await setting.value }
            #expect(error?.sqlstate == "JR011")
            #expect(try await fixture.int("select count(*) from jobrunner.secrets") == 0)
        }
    }

    @Test func `an enqueue that waited for its user's removal says that there is no such user`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.addUser()
            let asking = try await fixture.during("select jobrunner.remove_user('acme', 'ann')") {
                try await fixture.begin("select jobrunner.enqueue('acme', 'ann', 'hub.refresh')")
            }
            let error = await #expect(throws: DatabaseError.self) { try await asking.value }
            #expect(error?.sqlstate == "JR011")
        }
    }
}
