import JSON
import Pages
import Postgres
import Testing

@testable import JobQueue

/// What the screens read: no more where there is ten times as much.
@Suite struct ScreenCostTests {
    /// Buffers that the questions of a screen read, by the role of an operator.
    private func buffers(
        _ fixture: Fixture, _ places: [(Screen, [(String, String)])]
    ) async throws -> [String: Int] {
        let configuration = try DatabaseConfiguration(
            conninfo: TestCluster.operatorLogin(of: fixture.url), applicationName: "test", lanes: 1)
        return try await Database.withSessions(configuration) { database in
            let rights = try await ScreenReader(database).rights(of: Viewer())
            var read: [String: Int] = [:]
            for (screen, query) in places {
                let place = Place(screen, query: query.map { (name: $0.0, value: $0.1) })
                let statements = screen.questions(place).map {
                    $0.statement(readable: rights.readable["\($0.view)"] ?? [])
                }
                read[place.text] = try await database.run { session in
                    try statements.reduce(0) { try $0 + self.cost(session, $1) }
                }
            }
            return read
        }
    }

    /// The least of some, since what a session reads of the catalogue the first time is no part of the plan.
    private func cost(_ session: Session, _ statement: Statement) throws -> Int {
        let asked = Statement(
            "explain (analyze, buffers, format json) " + statement.sql, binds: statement.binds,
            cached: false)
        var least = Int.max
        for _ in 1...3 {
            let text = try session.query(asked).only().text(0)
            let plan = try Array(JSONDocument(parsing: Array(text.utf8)).root.elements).first?[
                "Plan"]
            let read =
                (plan?["Shared Hit Blocks"]?.int ?? 0) + (plan?["Shared Read Blocks"]?.int ?? 0)
            least = min(least, read)
        }
        return least
    }

    /// Users with jobs of which many fail, are late and have runs behind them; tenants; acts.
    private func grow(_ fixture: Fixture, _ size: Int) async throws {
        try await fixture.addUsers(size)
        for number in 1...size / 100 {
            try await fixture.script("select jobrunner.add_tenant('t\(size)-\(number)')")
        }
        try await fixture.given(
            .failing(.users(1...size / 4), as: "unavailable"),
            .failing(.users(size / 4...size / 4 + 3), as: "client_refused"),
            .runs(1...5, "failed", ago: "1 hour", error: "unavailable"),
            .runs(6...8, ago: "2 hours"), .runsApart("1 s"))
        try await fixture.script(
            """
            select jobrunner.note_act('set_tenant', in_tenant => 'acme') from generate_series(1, \(size));
            select jobrunner.count_waiting(in_anew => true);
            """)
        try await fixture.script(
            "vacuum analyze jobrunner.jobs, jobrunner.users, jobrunner.tenants, jobrunner.runs, jobrunner.audit"
        )
    }

    private static let places: [(Screen, [(String, String)])] = [
        (.overview, []), (.tenants, []), (.tenants, [("from", "t")]),
        (.tenant, [("tenant", "acme")]), (.tenant, [("tenant", "acme"), ("after", "user5")]),
        (.story, [("tenant", "acme"), ("user", "user7")]), (.late, []),
        (.jobs, [("tenant", "acme")]), (.jobs, [("tenant", "acme"), ("kind", "client_refused")]),
        (.jobs, [("tenant", "acme"), ("kind", "unavailable"), ("source", "hub")]),
        (.jobs, [("tenant", "acme"), ("user", "user7")]), (.runs, []),
        (.runs, [("outcome", "failed")]), (.runs, [("outcome", "partial")]),
        (.runs, [("tenant", "acme")]), (.runs, [("tenant", "acme"), ("user", "user7")]),
        (.runs, [("tenant", "acme"), ("kind", "nothing")]),
        (.run, [("id", "5"), ("tenant", "acme"), ("user", "user7")]), (.sources, []),
        (.workers, []), (.files, []), (.file, [("name", "hub.refresh")]), (.audit, []),
        (.audit, [("tenant", "acme")]), (.audit, [("verb", "none")]),
    ]

    @Test(.timeLimit(.minutes(5)))
    func `a screen reads as much of ten times as many jobs, tenants, runs and acts`() async throws {
        var read: [Int: [String: Int]] = [:]
        for size in [1000, 10_000] {
            try await Fixture.lend { fixture async throws in
                _ = try await fixture.addWorker()
                try await grow(fixture, size)
                read[size] = try await buffers(fixture, Self.places)
            }
        }
        for (place, many) in (read[10_000] ?? [:]).sorted(by: { $0.key < $1.key }) {
            let few = read[1000]?[place] ?? 0
            print("screen: \(place): \(few) -> \(many) buffers")
            // Where no index has the filter, 3,000 runs are looked at, each with its user and tenant.
            let bound = place.contains("outcome=") || place.contains("kind=nothing") ? 10_000 : 1000
            #expect(many <= bound, "\(place) reads \(many) buffers")
            #expect(
                many <= few * 3 / 2 + 600 || bound > 1000, "\(place): \(few) -> \(many) buffers")
        }
    }
}
