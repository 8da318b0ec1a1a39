import JobQueue
import Postgres
import Testing

/// Who holds what others wait for, of real locks of other sessions.
@Suite("Lock holders") struct LockHolderTests {
    /// What the view tells a login: who, which tables, and what of the statement.
    private func holders(_ login: some Household) async throws -> [String] {
        try await login.texts(
            """
            select concat_ws(' | ', h.login, h.application, array_to_string(h.tables, ','), 'waiting ' || h.waiting, h.state, h.query)
            from jobrunner.lock_holders as h
            """)
    }

    /// Until somebody is told, since a lock that is held for a moment is not.
    private func told(_ login: some Household) async throws -> [String] {
        var told: [String] = []
        try await eventually("a holder is told") {
            told = try await holders(login)
            return !told.isEmpty
        }
        return told
    }

    @Test func `nobody holds anything, and nobody is told`() async throws {
        try await Fixture.lend(users: 1) { fixture, _ async throws in
            #expect(try await holders(fixture) == [])
        }
    }

    @Test func `who locks a table is told before anybody waits for it, and without values`()
        async throws
    {
        try await Fixture.lend(users: 1) { fixture, _ async throws in
            let person = try await OpenTransaction(
                fixture.url, "lock table jobrunner.job_files in share mode",
                "comment on table jobrunner.jobs is 'sesame'; select 'open', 4711")
            let expected =
                "jobrunner | jobrunner-test | jobrunner.job_files | waiting 0 | idle in transaction"
            let told = try await told(fixture)
            #expect(told.count == 1)
            #expect(told.first?.hasPrefix(expected) == true, "\(told)")
            #expect(told.first?.contains("sesame") == false && !told.joined().contains("4711"))
            try await person.rollBack()
            #expect(try await holders(fixture) == [])
        }
    }

    @Test
    func `who holds a row is told with those that wait, and those behind a table's change too`()
        async throws
    {
        try await Fixture.lend(users: 2) { fixture, _ async throws in
            let person = try await OpenTransaction(fixture.url, "\(Given.asked())")
            let row = "jobrunner | jobrunner-test | jobrunner.jobs"
            let bare = "\(Given.asked())".replacing("= 1", with: "= ?").dropLast()
            #expect(
                try await told(fixture) == [row + " | waiting 0 | idle in transaction | " + bare])
            let waiting = try await fixture.begin("\(Given.asked())")
            #expect(try await holders(fixture).first?.hasPrefix(row + " | waiting 1") == true)
            // Who wants the whole table keeps those behind it waiting, and is none to be ended first.
            let change = try await fixture.begin("begin; lock table jobrunner.jobs; commit")
            try await eventually("both wait for the person, and the change for both") {
                try await fixture.texts(
                    "select concat(h.application, ' ', h.waiting, ' ', cardinality(h.waits_for)) from jobrunner.lock_holders as h"
                ).first == "jobrunner-test 2 0"
            }
            try await person.rollBack()
            try await waiting.value
            try await change.value
            #expect(try await holders(fixture) == [])
        }
    }

    @Test func `a login that may not see it is told who and where, and which right it lacks`()
        async throws
    {
        try await Fixture.lend(users: 1) { fixture, _ async throws in
            let person = try await OpenTransaction(
                fixture.url, "lock table jobrunner.job_files in share mode")
            let configuration = try DatabaseConfiguration(
                conninfo: TestCluster.operatorLogin(of: fixture.url), applicationName: "operator",
                lanes: 1)
            try await Database.withSessions(configuration) { login async throws in
                #expect(
                    try await holders(login)
                        == ["jobrunner | jobrunner-test | jobrunner.job_files | waiting 0"])
                #expect(
                    try await login.text(
                        "select concat(h.is_shown, h.may_end, h.began_at) from jobrunner.lock_holders as h"
                    ) == "ff")
            }
            try await person.rollBack()
        }
    }

    @Test(arguments: [
        ("select pg_sleep(10)", "select pg_sleep(?)"),
        (" update  t\n set a = 'x', b = 2 ;", "update t set a = …"),
        ("select $1, $2 + 3 from t1", "select $?, $? + ? from t1"),
        ("select $$secret$$", "select …"), ("select $a$secret$a$", "select …"),
        ("select e'secret'", "select e…"), ("select 1 -- secret", "select ? …"),
        ("/* a tag */ select b from c", "select b from c"),
        ("select b /* secret */ from c", "select b …"),
        ("lock table a; set x = secret", "lock table a…"),
        ("begin; /* x */ lock table a", "lock table a"),
        ("set app.token = secret", "set app.token …"),
        ("alter role r password secret", "alter role …"), ("create user u login", "create user …"),
        ("select 0xff, 1.5e10, .5", "select ?, ?, .?"), ("", "null"), ("'secret'", "…"),
    ])
    func `a statement is told without what its author wrote as a value`(
        query: String, line: String
    ) async throws {
        try await Fixture.lend { fixture async throws in
            #expect(
                try await fixture.text("select jobrunner.bare_query($1)", .text(query)) == line)
        }
    }

    @Test func `whose worker is gone is told before another worker has noticed`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            _ = (user, claim)
            let explained = "select jobrunner.explain_job('acme', 'ann', 'hub.refresh')"
            #expect(try await fixture.text(explained).hasPrefix("It is running as run "))
            try await fixture.given(.sessionsLost())
            // A restart of the server takes every session; who beats has made its own anew soon.
            #expect(try await fixture.text(explained).hasPrefix("It is running as run "))
            try await fixture.given(.silent(for: "4 s"))
            let gone = try await fixture.text(explained)
            #expect(gone.contains("was on worker \(worker), which is gone since 4 s ago"))
            #expect(gone.contains("no other worker is alive"))
            #expect(
                try await fixture.text("select health from jobrunner.worker_health")
                    == "session gone")
            // One that began before the server did was ended by its restart, and is made anew.
            try await fixture.given(.sessionsBefore())
            #expect(try await fixture.text(explained).hasPrefix("It is running as run "))
            #expect(
                try await fixture.text("select health from jobrunner.worker_health") == "alive")
        }
    }
}
