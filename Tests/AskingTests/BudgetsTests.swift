import JobFiles
import Postgres
@testable import JobQueue
import TestJobFiles
import Testing

@testable import Asking

@Suite(.timeLimit(.minutes(10))) struct BudgetsTests {
    /// Budgets over a database that nobody can reach: what is granted needs none.
    private func budgets() throws -> Budgets {
        let nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1 connect_timeout=1", applicationName: "test", lanes: 1)
        return Budgets(Queue(Database(nowhere)))
    }

    private func source(_ rate: String, id: String = "hub") throws -> Source {
        try jobFile(source: "{ id: \(id), base: \"https://h.example\", rate: \(rate) }").source
    }

    @Test func `a source without a rate asks nobody`() async throws {
        try await budgets().take(
            tenant: 1, source: source("{ concurrent: 1 }"), passesBreaker: false,
            until: .now + .seconds(1))
    }

    @Test func `what was granted is used up, per tenant and source`() async throws {
        let budgets = try budgets()
        let source = try source("{ per_second: 5 }")
        budgets.add(SourceGrant(tenantID: 1, source: "hub", base: nil, granted: 2, blocked: nil))
        let end = ContinuousClock.now + .milliseconds(500)
        try await budgets.take(tenant: 1, source: source, passesBreaker: false, until: end)
        try await budgets.take(tenant: 1, source: source, passesBreaker: false, until: end)
        await #expect(throws: DatabaseError.self) {
            try await budgets.take(tenant: 1, source: source, passesBreaker: false, until: end)
        }
        await #expect(throws: DatabaseError.self) {
            try await budgets.take(tenant: 2, source: source, passesBreaker: false, until: end)
        }
    }

    @Test(arguments: [(8, 1, 8), (8, 2, 4), (8, 3, 2), (1, 5, 1), (8, 0, 8), (8, -1, 8)])
    func `a source's places are shared out among the workers, at least one each`(
        _ concurrent: Int, _ workers: Int, _ places: Int
    ) async throws {
        let budgets = try budgets()
        budgets.setWorkers(workers)
        let source = try source("{ concurrent: \(concurrent) }")
        let room = Room()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try? await budgets.withSlot(tenant: 1, source: source) {
                        room.enter()
                        for _ in 0..<20 { await Task.yield() }
                        room.leave()
                    }
                }
            }
        }
        #expect(room.most <= places)
    }

    @Test func `a place is given back when its request fails`() async throws {
        struct Broken: Error {}
        let budgets = try budgets()
        let source = try source("{ concurrent: 1 }")
        for _ in 0..<3 {
            await #expect(throws: Broken.self) {
                try await budgets.withSlot(tenant: 1, source: source) { throw Broken() }
            }
        }
    }
}
