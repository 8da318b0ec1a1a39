import Foundation
import TestSupport
import Testing

/// A worker is told to end while its database answers nobody.
@Suite(.timeLimit(.minutes(2))) struct SignalTests {
    /// How long the program takes to end, when it gets so many signals in a hung database.
    private func span(signals: Int, hangsFromStart: Bool = false) async throws -> (Duration, Ran) {
        var took = Duration.zero
        var ran: Ran?
        try await Installation.with { installation in
            let relay = try FaultyRelay(to: installation.url)
            if hangsFromStart { relay.silenceAll() }
            let program = try installation.start("worker", ["DATABASE_URL": relay.url])
            if hangsFromStart {
                try await eventually("it connects") { relay.connections > 0 }
            } else {
                try await eventually("the worker is registered") {
                    try await installation.value("select count(*) from jobrunner.workers") == "1"
                }
                relay.silenceAll()
                // Longer than a worker that has nothing to do waits for its next claim.
                try await Task.sleep(for: .milliseconds(1200))
            }
            let start = ContinuousClock.now
            for number in 1...signals {
                // Two of the same that are pending at once are one.
                if number > 1 { try await Task.sleep(for: .milliseconds(100)) }
                kill(program.process.processIdentifier, SIGTERM)
            }
            ran = try await program.end()
            took = .now - start
        }
        return (took, try #require(ran))
    }

    /// A worker that takes leave of its database by itself ends with 0, after one signal in 8 s.
    private func expectHaste(_ took: Duration, _ ran: Ran) {
        #expect(ran.code == 75, "\(ran.errors)")
        #expect(took < .seconds(4), "\(took)")
    }

    @Test func `SIGTERM ends a worker within ten seconds though its database hangs`() async throws {
        let (took, ran) = try await span(signals: 1)
        #expect(took < .seconds(10), "\(took)")
        #expect(ran.code == 0, "\(ran.errors)")
    }

    @Test func `SIGTERM ends a worker that has not begun because its database hangs`() async throws
    {
        let (took, ran) = try await span(signals: 1, hangsFromStart: true)
        #expect(took < .seconds(10), "\(took)")
        #expect(ran.code == 75, "\(ran.errors)")
    }

    @Test func `a second SIGTERM ends a worker at once though its database hangs`() async throws {
        let (took, ran) = try await span(signals: 2)
        expectHaste(took, ran)
    }

    @Test func `a third signal changes nothing`() async throws {
        let (took, ran) = try await span(signals: 3)
        expectHaste(took, ran)
    }
}
