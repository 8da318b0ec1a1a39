import JobQueue
import TestSupport
import Testing

/// Silence during which nobody could be heard is no reason to give a worker up.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
    private let lease = Duration.seconds(15)

    @Test func `after an outage the first who comes back gives nobody up`() async throws {
        try await Fixture.lend { fixture, first async throws in
            let second = try await fixture.addWorker()
            try await fixture.given(.silent(for: "60 s"))
            #expect(try await fixture.queue.beat(worker: first).isAlive)
            #expect(try await fixture.queue.reapJobs(lease: lease) == [])
            #expect(try await fixture.queue.beat(worker: second).isAlive)
        }
    }

    @Test func `who does not come back within a lease after an outage is given up`() async throws {
        try await Fixture.lend { fixture, first async throws in
            let second = try await fixture.addWorker()
            try await fixture.given(.silent(for: "60 s"))
            _ = try await fixture.queue.beat(worker: first)
            try await fixture.given(.gap(of: first, from: "61 s", until: "16 s"))
            #expect(
                try await fixture.queue.reapJobs(lease: lease).map { [$0.worker] } == [[second]])
        }
    }

    @Test func `who was silent before an outage began is given up at once`() async throws {
        try await Fixture.lend { fixture, first async throws in
            let second = try await fixture.addWorker()
            try await fixture.given(.silent(for: "60 s", where: "id = \(first)"))
            try await fixture.given(.silent(for: "76 s", where: "id = \(second)"))
            _ = try await fixture.queue.beat(worker: first)
            #expect(
                try await fixture.queue.reapJobs(lease: lease).map { [$0.worker] } == [[second]])
        }
    }

    @Test func `who misses beats again and again keeps no dead worker alive`() async throws {
        try await Fixture.lend { fixture, first async throws in
            let second = try await fixture.addWorker()
            try await fixture.given(.silent(for: "40 s", where: "id = \(second)"))
            // Its second gap began long after the other had fallen silent.
            try await fixture.given(.silent(for: "10 s", where: "id = \(first)"))
            _ = try await fixture.queue.beat(worker: first)
            #expect(
                try await fixture.queue.reapJobs(lease: lease).map { [$0.worker] } == [[second]])
        }
    }

    @Test func `sessions that an outage has cost are given time as well`() async throws {
        try await Fixture.lend { fixture, first async throws in
            let second = try await fixture.addWorker()
            try await fixture.given(.silent(for: "12 s"))
            try await fixture.given(.sessionsLost())
            _ = try await fixture.queue.beat(worker: first)
            for _ in 1...2 {
                #expect(try await fixture.queue.reapJobs(lease: lease) == [])
                try await fixture.given(.sessionsGoneEarlier("2 s"))
            }
            #expect(try await fixture.queue.beat(worker: second).isAlive)
        }
    }

    @Test func `a beat that is a little late is no gap`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.given(.silent(for: "8 s"))
            _ = try await fixture.queue.beat(worker: worker)
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.workers where missed_until is not null") == 0)
        }
    }
}
