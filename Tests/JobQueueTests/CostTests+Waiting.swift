import Claiming
import JobQueue
import Postgres
import TestSupport
import Testing

// What counting costs that is done once a minute.
extension CostTests {
    @Test func `a count among 50,000 jobs that wait for nothing reads few buffers`() async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(50_000)
            try await fixture.script(
                "update jobrunner.jobs set due_at = now() + interval '1 hour'")
            try await fixture.script("vacuum analyze jobrunner.jobs")
            _ = try await fixture.queue.countWaiting()
            let buffers = try await fixture.database.run { session in
                _ = try session.query(
                    .unprepared(
                        "update jobrunner.chores set done_at = null where name = 'waiting'"))
                return try cost(session, "select jobrunner.count_waiting()").buffers
            }
            #expect(buffers <= 60, "\(buffers) buffers")
        }
    }

    @Test func `a count of a whole backlog reads no more than its bound`() async throws {
        try await Fixture.lend { fixture async throws in
            _ = try await fixture.addWorker()
            try await fixture.addUsers(20_000)
            try await fixture.script("vacuum analyze jobrunner.jobs")
            _ = try await fixture.queue.countWaiting()
            let buffers = try await fixture.database.run { session in
                _ = try session.query(
                    .unprepared(
                        "update jobrunner.chores set done_at = null where name = 'waiting'"))
                return try cost(session, "select jobrunner.count_waiting(1000)").buffers
            }
            // An entry of the index and its row for each that is looked at.
            #expect(buffers <= 1300, "\(buffers) buffers")
        }
    }
}
