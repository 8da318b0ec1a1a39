import JobQueue
import Postgres
import Testing

/// An application is told when a job begins to need somebody, and when it is well again.
@Suite("Told troubles") struct TroubleEventTests {
    private func events(_ fixture: Fixture) async throws -> [String] {
        let told = try await fixture.texts(
            """
            select concat_ws(' ', t.kind, t.detail ->> 'outcome', t.detail ->> 'error_kind')
            from jobrunner.events as t order by t.id
            """)
        try await fixture.given(.noEvents())
        return told
    }

    private func end(
        _ fixture: Fixture, _ worker: Int, _ user: Int64, _ outcome: Outcome, _ kind: String? = nil
    ) async throws {
        try await fixture.given(.due(for: "1 s"))
        let claim = try await fixture.run(worker, user: user)
        _ = try await fixture.queue.finishRuns([
            FinishedRun(
                claim: claim, outcome: outcome, errorKind: kind, error: kind, requests: 1)
        ])
    }

    @Test func `a failure is told when it begins and when it ends, and none in between`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.given(.events("trouble"))
            let worker = try await fixture.addWorker()
            let user = try await fixture.addUser()
            try await end(fixture, worker, user, .complete)
            #expect(try await events(fixture) == [])
            try await end(fixture, worker, user, .failed, "rejected")
            #expect(try await events(fixture) == ["trouble_began failed rejected"])
            try await end(fixture, worker, user, .failed, "malformed")
            #expect(try await events(fixture) == [])
            try await end(fixture, worker, user, .complete)
            #expect(try await events(fixture) == ["trouble_ended complete"])
            try await end(fixture, worker, user, .complete)
            #expect(try await events(fixture) == [])
        }
    }

    @Test func `that a job is well again is told as that it wants a credential`() async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.given(.events("trouble"))
            let worker = try await fixture.addWorker()
            let user = try await fixture.addUser()
            try await end(fixture, worker, user, .needsReauth, "unauthorised")
            #expect(try await events(fixture) == ["trouble_began needs_reauth unauthorised"])
            try await fixture.script(
                "select jobrunner.put_secret(tenant_id, id, 'token', \(sealed())) from jobrunner.users where id = \(user)"
            )
            #expect(try await events(fixture) == ["recovering"])
            try await end(fixture, worker, user, .complete)
            #expect(try await events(fixture) == ["trouble_ended complete"])
        }
    }

    @Test func `who did not ask is told nothing`() async throws {
        try await Fixture.lend { fixture async throws in
            try await fixture.given(.events("duplicates"))
            let worker = try await fixture.addWorker()
            let user = try await fixture.addUser()
            try await end(fixture, worker, user, .failed, "rejected")
            try await end(fixture, worker, user, .complete)
            #expect(try await events(fixture) == [])
        }
    }
}
