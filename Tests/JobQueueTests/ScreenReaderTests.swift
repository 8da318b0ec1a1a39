import JSON
import JobQueue
import Postgres
import Testing

/// What the pages read and do: by the role of whoever looks, and no further.
@Suite struct ScreenReaderTests {
    private static let ann = Viewer(person: "Ann Smith", role: "jobrunner_operator")
    private static let causes = ViewQuery(
        "causes", [.plain("tenant"), .plain("error_kind"), .plain("error"), .seconds("lasting")],
        limit: 10)

    /// A reader by the login of `serve --actions`.
    private func reading(
        _ fixture: Fixture, _ body: (ScreenReader) async throws -> Void
    ) async throws {
        let configuration = try DatabaseConfiguration(
            conninfo: TestCluster.login("jobrunner_pages", of: fixture.url),
            applicationName: "test", lanes: 2)
        try await Database.withSessions(configuration) { try await body(ScreenReader($0)) }
    }

    private func refused(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as DatabaseError {
            return error.sqlstate
        } catch {
            return "\(error)"
        }
    }

    @Test func `each sees what his role may read, and all of it is of one moment`() async throws {
        try await Fixture.lend(users: 2) { fixture async throws in
            try await fixture.given(.failing(.all, as: "malformed", error: "no list at data"))
            try await fixture.script("select jobrunner.count_causes(100)")
            try await reading(fixture) { reader async throws in
                let now = ViewQuery("chores", [.plain("name"), .ago("done_at", "ago")], limit: 1)
                let anybody = try await reader.look(by: Viewer(), [Self.causes, now])
                #expect(anybody.rows[0].first?["tenant"]?.string == "acme")
                #expect(anybody.rows[0].first?["error"] == nil)
                #expect(!anybody.rights.mayAct && !anybody.rights.mayExplain)
                #expect(anybody.at.contains("T"))
                let ann = try await reader.look(by: Self.ann, [Self.causes, now])
                #expect(ann.rows[0].first?["error"]?.string == "no list at data")
                #expect(ann.rights.mayAct && ann.rights.mayExplain)
                let story = try await reader.look(
                    by: Self.ann, [], explaining: (tenant: "acme", key: "user1"))
                #expect(story.reasons[Fixture.refresh]?.hasPrefix("It ") == true)
                #expect(anybody.reasons.isEmpty)
                // Nothing of the role stays with the session.
                await #expect(throws: RoleRefused(role: "postgres")) {
                    _ = try await reader.count(
                        by: Viewer(role: "postgres"), .init(tenant: "acme"))
                }
                let after = try await reader.look(by: Viewer(), [Self.causes])
                #expect(after.rows[0].first?["error"] == nil)
            }
        }
    }

    @Test func `an act by a filter is done to each of its jobs, and is one line that says so`()
        async throws
    {
        try await Fixture.lend(users: 5) { fixture async throws in
            try await fixture.given(
                .notDue(.all), .failing(.users(1...3), as: "malformed"),
                .failing(.user(4), as: "unavailable"))
            let jobs = ViewQuery.Jobs(tenant: "acme", source: "hub", kind: "malformed")
            try await reading(fixture) { reader async throws in
                #expect(try await reader.count(by: Self.ann, jobs) == 3)
                let done = try await reader.act(
                    by: Self.ann, "retry", on: jobs, confirmed: 3, why: "the hub is mended")
                #expect(done == Acted(meant: 3, changed: 3))
            }
            let due = try await fixture.int(
                "select count(*) from jobrunner.jobs where due_at <= now()")
            #expect(due == 3)
            let acts = try await fixture.texts(
                """
                select concat_ws(' ', a.login, a.role, a.person, a.verb, a.tenant, a.user_key, a.object, a.detail)
                from jobrunner.audit_trail as a where a.person is not null order by a.id desc
                """)
            #expect(acts.count == 4)
            #expect(
                acts[0].hasPrefix(
                    "jobrunner_pages jobrunner_operator Ann Smith act_on_jobs acme"))
            for part in [
                "\"jobs\": 3", "\"kind\": \"malformed\"", "\"why\": \"the hub is mended\"",
                "\"act\": \"retry\"",
            ] {
                #expect(acts[0].contains(part), "\(acts[0])")
            }
            #expect(acts[1].contains("retry_jobs acme user"))
        }
    }

    @Test(arguments: ["run", "full", "cancel", "pause", "resume", "retry", "reset", "repair"])
    func `each act is the verb of that name`(act: String) async throws {
        try await Fixture.lend(users: 2) { fixture async throws in
            try await reading(fixture) { reader async throws in
                let jobs = ViewQuery.Jobs(
                    tenant: "acme", user: "user1", job: Fixture.refresh)
                #expect(
                    try await reader.act(by: Self.ann, act, on: jobs, confirmed: 1, why: "so").meant
                        == 1)
            }
            let verbs = try await fixture.texts(
                "select a.verb from jobrunner.audit_trail as a where a.person = 'Ann Smith' order by a.id"
            )
            // What an application asks for all day leaves no line of its own.
            #expect(
                verbs == (["run", "full"].contains(act) ? [] : ["\(act)_jobs"]) + ["act_on_jobs"])
        }
    }

    @Test func `whoever may only look changes nothing, whatever is asked`() async throws {
        try await Fixture.lend(users: 2) { fixture async throws in
            let before = try await fixture.texts(
                "select j::text from jobrunner.jobs as j order by 1")
            let jobs = ViewQuery.Jobs(tenant: "acme")
            try await reading(fixture) { reader async throws in
                for viewer in [
                    Viewer(), Viewer(person: "Bob"),
                    Viewer(person: "Bob", role: "jobrunner_reader"),
                    Viewer(person: "Bob", role: "jobrunner_desk"),
                    Viewer(person: "Bob", role: "jobrunner"), Viewer(person: "Bob", role: "nobody"),
                ] {
                    for act in ["run", "reset", "pause"] {
                        let state = await refused {
                            _ = try await reader.act(
                                by: viewer, act, on: jobs, confirmed: 2, why: nil)
                        }
                        #expect(
                            state == "42501" || state?.contains("RoleRefused") == true,
                            "\(viewer) \(state ?? "nil")")
                    }
                    #expect(
                        await refused {
                            _ = try await reader.closeBreaker(
                                by: viewer, tenant: "acme", source: "hub", why: nil)
                        } != nil)
                    #expect(
                        await refused {
                            _ = try await reader.renewKey(by: viewer, tenant: "acme", why: nil)
                        } != nil)
                }
            }
            #expect(
                try await fixture.texts("select j::text from jobrunner.jobs as j order by 1")
                    == before)
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.audit where person is not null") == 0)
        }
    }

    @Test func `more jobs than were confirmed, another word and another tenant are refused`()
        async throws
    {
        try await Fixture.lend(users: 20) { fixture async throws in
            try await reading(fixture) { reader async throws in
                for (act, tenant, confirmed) in [
                    ("pause", "acme", 1), ("drop", "acme", 20), ("pause", "nobody", 20),
                ] {
                    await #expect(throws: QueueError.self) {
                        _ = try await reader.act(
                            by: Self.ann, act, on: .init(tenant: tenant), confirmed: confirmed,
                            why: nil)
                    }
                }
                #expect(
                    try await fixture.int(
                        "select count(*) from jobrunner.jobs where paused_at is not null") == 0)
                // Not even one more is done to.
                await #expect(throws: QueueError.self) {
                    _ = try await reader.act(
                        by: Self.ann, "pause", on: .init(tenant: "acme", source: "hub"),
                        confirmed: 19, why: nil)
                }
                #expect(
                    try await reader.act(
                        by: Self.ann, "pause", on: .init(tenant: "acme", source: "hub"),
                        confirmed: 20, why: nil) == Acted(meant: 20, changed: 20))
            }
        }
    }

    @Test func `rows are seen by a role that may read them, and each look is noted`() async throws {
        try await Fixture.lend(users: 2) { fixture async throws in
            try await fixture.script(
                """
                insert into synced.hub_video (user_id, video_id)
                select u.id, 'v' || u.id || '-' || n from jobrunner.users as u, generate_series(1, 30) as n;
                grant usage on schema synced to jobrunner_support;
                grant select on synced.hub_video to jobrunner_support
                """)
            let support = Viewer(person: "Sue", role: "jobrunner_support")
            try await reading(fixture) { reader async throws in
                func look(_ viewer: Viewer, _ table: String) async throws -> Int {
                    try await reader.rows(
                        by: viewer, tenant: "acme", user: "user1", table: table
                    ).count
                }
                #expect(try await look(support, "hub_video") == 20)
                for (viewer, table) in [
                    (Self.ann, "hub_video"), (Viewer(), "hub_video"), (support, "hub_channel"),
                ] {
                    let looking = await refused { _ = try await look(viewer, table) }
                    #expect(looking == "42501")
                }
                let odd = await refused { _ = try await look(support, "a\" union select 1 --") }
                #expect(odd == "42P01")
            }
            let looks = try await fixture.texts(
                "select concat_ws(' ', a.person, a.verb, a.user_key, a.object) from jobrunner.audit_trail as a where a.verb like 'look%'"
            )
            #expect(looks == ["Sue look_at_rows user1 hub_video"])
        }
    }

    @Test func `a filter by a cause means the jobs that the cause counts`() async throws {
        try await Fixture.lend(users: 9) { fixture async throws in
            try await fixture.given(
                .time(.run, in: "-1 min"), .failing(.users(1...3), as: "unavailable"),
                .deferred(.user(4), as: "breaker_open"), .failing(.user(5), as: "client_refused"),
                .parked(.user(6)), .stalled(.user(7)))
            try await fixture.script("select jobrunner.count_causes(100)")
            let counted = ViewQuery(
                "causes",
                [.plain("tenant"), .plain("source"), .plain("error_kind"), .plain("users")],
                limit: 20)
            try await reading(fixture) { reader async throws in
                let causes = try await reader.look(by: Self.ann, [counted]).rows[0]
                #expect(causes.count == 4)
                for cause in causes {
                    let jobs = ViewQuery.Jobs(
                        tenant: "acme", source: cause["source"]?.string,
                        kind: cause["error_kind"]?.string)
                    #expect(
                        try await reader.count(by: Self.ann, jobs) == cause["users"]?.int,
                        "\(cause)")
                }
            }
        }
    }

    @Test func `a pause of a whole tenant or user is the tenant's or the user's`() async throws {
        try await Fixture.lend(users: 3) { fixture async throws in
            try await reading(fixture) { reader async throws in
                for jobs in [
                    ViewQuery.Jobs(tenant: "acme", user: "user2"), ViewQuery.Jobs(tenant: "acme"),
                ] {
                    _ = try await reader.act(
                        by: Self.ann, "pause", on: jobs, confirmed: 3, why: nil)
                }
                let paused = """
                    select (select count(*) from jobrunner.users where paused_at is not null) || ' '
                      || (select count(*) from jobrunner.tenants where paused_at is not null)
                    """
                #expect(try await fixture.texts(paused) == ["1 1"])
                _ = try await reader.act(
                    by: Self.ann, "resume", on: .init(tenant: "acme"), confirmed: 3, why: nil)
                #expect(try await fixture.texts(paused) == ["1 0"])
            }
        }
    }

    @Test func `what an act does not change is told as such`() async throws {
        try await Fixture.lend(users: 4) { fixture async throws in
            try await fixture.given(
                .notDue(.all), .failing(.user(1), as: "malformed"), .paused(.user(2)))
            try await reading(fixture) { reader async throws in
                let jobs = ViewQuery.Jobs(tenant: "acme", job: Fixture.refresh)
                #expect(
                    try await reader.act(by: Self.ann, "retry", on: jobs, confirmed: 4, why: nil)
                        == Acted(meant: 4, changed: 1))
                #expect(
                    try await reader.act(by: Self.ann, "run", on: jobs, confirmed: 4, why: nil)
                        == Acted(meant: 4, changed: 3))
            }
        }
    }

    @Test func `a login that may only look sees the jobs of a filter, and an application none`()
        async throws
    {
        try await Fixture.lend(users: 2) { fixture async throws in
            let overview = ViewQuery(
                "job_overview", [.plain("user_key")], of: .init(tenant: "acme"), limit: 10)
            for (url, wanted) in [
                (TestCluster.reader(of: fixture.url), 2),
                (TestCluster.worker(of: fixture.url), nil),
            ] as [(String, Int?)] {
                let configuration = try DatabaseConfiguration(
                    conninfo: url, applicationName: "test", lanes: 1)
                try await Database.withSessions(configuration) { database in
                    let reader = ScreenReader(database)
                    guard let wanted else {
                        let state = await refused {
                            _ = try await reader.count(by: Viewer(), .init(tenant: "acme"))
                        }
                        #expect(state == "42501")
                        return
                    }
                    let looked = try await reader.look(by: Viewer(), [overview])
                    #expect(looked.rows[0].count == wanted)
                    await #expect(throws: QueueError.self) {
                        _ = try await reader.count(by: Viewer(), .init(tenant: "nobody"))
                    }
                }
            }
        }
    }

    @Test func `people are added, changed and removed by the owner alone`() async throws {
        try await Fixture.lend { fixture async throws in
            let queue = fixture.queue
            #expect(try await queue.addPerson("ann", role: "jobrunner_operator", person: "Ann"))
            #expect(
                try await queue.addPerson("ann", role: "jobrunner_operator", person: "Ann") == false
            )
            #expect(try await queue.addPerson("ann", role: "jobrunner_reader", person: "Ann"))
            await #expect(throws: QueueError.self) {
                _ = try await queue.addPerson("bob", role: "no_such_role", person: "Bob")
            }
            try await reading(fixture) { reader async throws in
                #expect(
                    try await reader.viewer(signedInAs: "ann")
                        == Viewer(person: "Ann", role: "jobrunner_reader"))
                #expect(try await reader.viewer(signedInAs: "bob") == Viewer(person: "bob"))
            }
            try await queue.removePerson("ann")
            await #expect(throws: QueueError.self) { try await queue.removePerson("ann") }
            #expect(
                try await fixture.texts(
                    "select verb from jobrunner.audit where verb like '%person' order by id")
                    == ["add_person", "add_person", "remove_person"])
            let operators = try DatabaseConfiguration(
                conninfo: TestCluster.operatorLogin(of: fixture.url), applicationName: "test",
                lanes: 1)
            try await Database.withSessions(operators) { database in
                let state = await refused {
                    _ = try await Queue(database).addPerson(
                        "eve", role: "jobrunner_operator", person: "Eve")
                }
                #expect(state == "42501")
            }
        }
    }
}
