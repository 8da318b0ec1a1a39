import JobQueue
import Postgres
import Testing

/// Budgets and breakers of hosts that users choose.
@Suite("Hosts of a source") struct HostTests {
    private func request(
        _ fixture: Fixture, _ source: String, _ count: Int = 1000
    ) async throws -> BudgetRequest {
        BudgetRequest(
            tenantID: Int64(
                try await fixture.int("select id from jobrunner.tenants where name = 'acme'")),
            source: source, requests: count)
    }

    private func names(_ fixture: Fixture) async throws -> [String] {
        try await fixture.texts("select name from jobrunner.sources order by name")
    }

    /// As many runs as there are claims find a host unavailable.
    private func fail(
        _ claims: ArraySlice<Claim>, at host: String, _ fixture: Fixture
    ) async throws {
        _ = try await fixture.queue.finishRuns(
            claims.map {
                FinishedRun(
                    claim: $0, outcome: .failed, errorKind: "unavailable", error: "503", host: host)
            })
    }

    @Test func `each host has a budget of its own, and one without a budget no row`() async throws {
        try await Fixture.lend { fixture async throws in
            let before = try await names(fixture)
            for host in ["a", "b", "a"] {
                let grant = try await fixture.queue.takeBudget(
                    try await request(fixture, "hub@\(host).example"))
                #expect(grant.source == "hub@\(host).example")
                #expect(grant.granted <= 20)
            }
            #expect(
                try await names(fixture) == (before + ["hub@a.example", "hub@b.example"]).sorted())
            let grant = try await fixture.queue.takeBudget(
                try await request(fixture, "status@a.example"))
            #expect(grant.granted == 1000)
            #expect(try await names(fixture).count == before.count + 2)
        }
    }

    @Test func `a tenant's own address has the source's own budget, whatever host is asked for`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.script("select jobrunner.set_source('acme', 'hub', 'https://x')")
            let before = try await names(fixture)
            let grant = try await fixture.queue.takeBudget(
                try await request(fixture, "hub@a.example"))
            #expect(grant.source == "hub")
            #expect(grant.base == "https://x")
            #expect(try await names(fixture) == before)
        }
    }

    @Test func `a host's breaker opens alone, is closed by either name, and is forgotten in time`()
        async throws
    {
        try await Fixture.lend(users: 24) { fixture, worker async throws in
            let claims = try await fixture.claim(worker).map(\.claim)
            try await fail(claims[..<10], at: "a.example", fixture)
            try await fail(claims[10..<20], at: "b.example", fixture)
            try await fail(claims[20..<21], at: "c.example", fixture)
            let blocked = "select source from jobrunner.blocked_sources order by source"
            let both = ["hub@a.example", "hub@b.example"]
            #expect(try await fixture.texts(blocked) == both)
            #expect(
                try await fixture.queue.takeBudget(try await request(fixture, "hub")).blocked == nil
            )
            #expect(
                try await fixture.queue.takeBudget(try await request(fixture, both[0])).granted == 0
            )
            // Somebody who reaches it closes it, and nobody else's.
            try await fixture.given(.blockOver())
            #expect(
                try await fixture.queue.takeBudget(try await request(fixture, both[0])).granted == 1
            )
            try await fixture.given(.blockForgotten(ago: "1 hour"))
            _ = try await fixture.queue.finishRuns([
                FinishedRun(claim: claims[21], outcome: .complete, host: "a.example")
            ])
            #expect(try await fixture.texts(blocked) == [both[1]])
            try await fixture.script("select jobrunner.close_breaker('acme', 'hub@b.example')")
            #expect(try await fixture.texts(blocked) == [])
            #expect(
                try await fixture.refusal(
                    "select jobrunner.set_source('acme', 'hub@b.example', 'http://x')") == "JR015")
            // What was heard of within a day stays, open or not.
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await names(fixture).contains("hub@c.example"))
            try await fixture.given(.refilled(ago: "25 hours"))
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await names(fixture).allSatisfy { !$0.contains("@") })
            #expect(try await names(fixture).contains("hub"))
        }
    }

    @Test
    func `an open breaker is kept for a day after the last look, and closed as one of all hosts`()
        async throws
    {
        try await Fixture.lend(users: 11) { fixture, worker async throws in
            let claims = try await fixture.claim(worker).map(\.claim)
            try await fail(claims[..<10], at: "a.example", fixture)
            try await fixture.given(.refilled(ago: "25 hours"))
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await names(fixture).contains("hub@a.example"))
            try await fixture.script("select jobrunner.close_breaker('acme', 'hub')")
            #expect(try await fixture.texts("select source from jobrunner.blocked_sources") == [])
            try await fixture.script("select jobrunner.maintain_runs()")
            #expect(try await !names(fixture).contains("hub@a.example"))
        }
    }

    @Test func `one host that is away is no alert, ten are one of their source`() async throws {
        try await Fixture.lend { fixture async throws in
            let gauge = """
                select labels ->> 'source' || ' ' || value from jobrunner.gauges where name = 'source_blocked'
                """
            for number in 1...10 {
                #expect(try await fixture.texts(gauge) == [])
                try await fixture.given(.blockedHost("hub@h\(number).example", of: "acme"))
            }
            #expect(try await fixture.texts(gauge) == ["hub 1"])
        }
    }
}
