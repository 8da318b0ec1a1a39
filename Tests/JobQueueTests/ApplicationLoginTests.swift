import JobQueue
import Postgres
import Testing

@Suite("Logins of applications")
struct ApplicationLoginTests {
    private let listed =
        "select tenant || ' ' || login from jobrunner.application_logins order by 1"

    @Test func `a login is of one tenant until it is taken from it`() async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.addTenant("other")
            let add = "select jobrunner.add_application('acme', 'jobrunner_application')::text"
            #expect(try await fixture.text(add) == "true")
            #expect(try await fixture.text(add) == "false")
            #expect(
                try await fixture.refusal(
                    "select jobrunner.add_application('other', 'jobrunner_application')") == "JR013"
            )
            #expect(try await fixture.texts(listed) == ["acme jobrunner_application"])
            try await fixture.script("select jobrunner.remove_application('jobrunner_application')")
            #expect(try await fixture.texts(listed) == [])
            #expect(
                try await fixture.refusal(
                    "select jobrunner.remove_application('jobrunner_application')")
                    == "JR018")
            try await fixture.script(
                "select jobrunner.add_application('other', 'jobrunner_application')")
            try await fixture.script("select jobrunner.remove_tenant('other')")
            #expect(try await fixture.texts(listed) == [])
        }
    }

    @Test(arguments: [
        ("", "the server has no role"),
        ("create role % superuser login", "is a superuser"),
        ("create role % bypassrls login", "passes row security"),
        ("create role % createrole login", "may make roles"),
        ("create role % login; grant jobrunner to %", "is a member of 'jobrunner'"),
        (
            "create role % login; create role %_ops; grant %_ops to %",
            "is a member of '%_ops', and so every tenant's"
        ),
    ])
    func `a login that nothing would bind is refused`(making: String, words: String) async throws {
        try await Fixture.lend { fixture async throws in
            try await Login.with(making) { name in
                try await fixture.given(.group("operator", "\(name)_ops"))
                do {
                    try await fixture.script("select jobrunner.add_application('acme', '\(name)')")
                    Issue.record("it was taken")
                } catch let error as DatabaseError {
                    #expect(error.sqlstate == "JR018")
                    #expect(error.message.contains(words.replacing("%", with: name)), "\(error)")
                }
            }
        }
    }
}
