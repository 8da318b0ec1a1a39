import Glibc
import Postgres
import JobQueue
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Runner

@Suite(.timeLimit(.minutes(10))) struct CompleterTests {
    /// A completer over a database with the schema and no jobs: every outcome is a lost run's.
    private func withCompleter(
        _ ended: Heard = Heard(), _ body: (Completer, Lines, Counter) async throws -> Void
    ) async throws {
        let template = try await TestCluster.shared.schemaTemplate()
        try await withTestDatabase(template: template) { database in
            let lines = Lines()
            let batches = Counter()
            let log = Log(LogSettings(level: .debug), sink: lines.sink)
            try await body(
                Completer(Queue(database), log, pause: .milliseconds(5)) { _ in
                    batches.add()
                } ended: { claims in
                    ended.list.withLock { $0 += claims }
                },
                lines,
                batches)
        }
    }

    private func finished(_ fence: Int64, error: String? = nil) -> FinishedRun {
        FinishedRun(claim: claim(fence), outcome: .complete, error: error)
    }

    @Test func `two thousand outcomes that wait to be written are enough`() async throws {
        try await withCompleter { completer, _, _ in
            for fence in 1...1999 as ClosedRange<Int64> { completer.add(finished(fence)) }
            #expect(!completer.isFull)
            completer.add(finished(2000))
            #expect(completer.isFull && completer.claims.count == 2000)
            await completer.writeAll()
            #expect(!completer.isFull)
        }
    }

    @Test func `outcomes are written in batches, and every verdict is told`() async throws {
        try await withCompleter { completer, lines, batches in
            #expect(completer.isEmpty)
            for fence in 1...1001 as ClosedRange<Int64> { completer.add(finished(fence)) }
            #expect(
                !completer.isEmpty && completer.claims.contains(claim(1))
                    && completer.claims.contains(claim(1001)))
            await completer.writeAll()
            #expect(completer.isEmpty && !completer.claims.contains(claim(1)))
            #expect(batches.count == 3)
            #expect(lines.all.filter { $0.contains("finish") }.count == 1001)
        }
    }

    @Test(arguments: [true, false])
    func `ends that come while others gather are written with them`(_ isAwaited: Bool) async throws
    {
        let template = try await TestCluster.shared.schemaTemplate()
        try await withTestDatabase(template: template) { database in
            let (batches, told) = AsyncStream.makeStream(of: Int.self)
            let gathering = Mutex<Completer?>(nil)
            let completer = Completer(
                Queue(database), Log(sink: Lines().sink),
                isAwaited: {
                    // The first end has come, and the second comes now.
                    gathering.withLock { completer in
                        completer?.add(self.finished(2))
                        completer = nil
                    }
                    return isAwaited
                }
            ) { told.yield($0.count) }
            gathering.withLock { $0 = completer }
            completer.add(finished(1))
            let loop = Task { await completer.run() }
            #expect(await batches.first { _ in true } == 2)
            loop.cancel()
            await loop.value
        }
    }

    @Test func `one outcome the server refuses holds up no other`() async throws {
        try await withCompleter { completer, lines, _ in
            for fence in 1...9 as ClosedRange<Int64> {
                completer.add(finished(fence, error: fence == 5 ? "a\0b" : nil))
            }
            await completer.writeAll()
            #expect(completer.isEmpty)
            #expect(lines.all.filter { $0.contains("outcome refused") }.count == 1)
            #expect(lines.all.filter { $0.contains("run lost") }.count == 9)
        }
    }

    @Test func `an outcome that is refused in every form is given up at last, and told twice`()
        async throws
    {
        let ended = Heard()
        try await withCompleter(ended) { completer, lines, _ in
            var poison = finished(1)
            poison.claim.name = "a\0b"
            completer.add(poison)
            completer.add(finished(2))
            let start = ContinuousClock.now
            let loop = Task { await completer.run() }
            try await eventually("nothing waits") { completer.isEmpty }
            // Five waits: 5, 10, 20, 40 and 80 ms.
            #expect(ContinuousClock.now - start >= .milliseconds(155))
            loop.cancel()
            await loop.value
            #expect(!completer.claims.contains(poison.claim))
            #expect(lines.all.filter { $0.contains("outcome refused") }.count == 1)
            #expect(lines.all.filter { $0.contains("outcome given up") }.count == 1)
            #expect(lines.all.filter { $0.contains("run lost") }.count == 1)
            // What was given up is still held, as the check for orphaned claims will find.
            #expect(ended.list.withLock { $0.map(\.fence) } == [2])
        }
    }

    @Test func `a loop writes what comes while it waits, until it is cancelled`() async throws {
        try await withCompleter { completer, lines, batches in
            let loop = Task { await completer.run() }
            for fence in 1...50 as ClosedRange<Int64> {
                completer.add(finished(fence))
                if fence.isMultiple(of: 10) { await batches.reaches(Int(fence) / 10) }
            }
            while !completer.isEmpty { await Task.yield() }
            loop.cancel()
            await loop.value
            #expect(lines.all.filter { $0.contains("finish") }.count == 50)
        }
    }

    @Test
    func `an outcome whose job is busy is written when its transaction ends, the others before`()
        async throws
    {
        let template = try await TestCluster.shared.schemaTemplate(
            named: "runner_busy", script: Self.twoRunningJobs)
        try await withTestDatabase(template: template) { database in
            let ended = Heard()
            let completer = Completer(Queue(database), Log(sink: Lines().sink)) { _ in
            } ended: { claims in
                ended.list.withLock { $0 += claims }
            }
            let loop = Task { await completer.run() }
            let gate = Mutex(false)
            let (signals, held) = AsyncStream.makeStream(of: Void.self)
            let application = Task {
                try await database.run { session in
                    try session.transaction { session in
                        try session.script(
                            "select from jobrunner.jobs where user_id = 1 for update")
                        held.yield()
                        while !gate.withLock({ $0 }) { usleep(1000) }
                    }
                }
            }
            for await _ in signals { break }
            for user in [1, 2] as [Int64] {
                completer.add(
                    FinishedRun(claim: claim(user), outcome: .complete, hasCommitted: false))
            }
            while completer.claims.contains(claim(2)) { await Task.yield() }
            #expect(completer.claims.contains(claim(1)) && !completer.isEmpty)
            // Its job is still this worker's, and is to be found as such.
            #expect(ended.list.withLock { $0 } == [claim(2)])
            gate.withLock { $0 = true }
            try await application.value
            while !completer.isEmpty { await Task.yield() }
            loop.cancel()
            await loop.value
            let running = Statement("select count(*) from jobrunner.jobs where state = 'running'")
            #expect(try await database.run { try $0.query(running).only().int(0) } == 0)
            #expect(ended.list.withLock { $0 } == [claim(2), claim(1)])
        }
    }

    private final class Heard: Sendable {
        let list = Mutex<[Claim]>([])
    }

    /// Jobs of users 1 and 2, held by the claims that `claim(_:)` names.
    private static let twoRunningJobs = """
        insert into jobrunner.jobs (
          user_id, tenant_id, name, every, phase, deadline, due_at, fence, nonce, worker_id, started_at, deadline_at, next_due_at
        )
        select n, 1, 'app.refresh', '1 hour', '0', '1 min', now(), n, '00000000-0000-0000-0000-000000000000', 1, now(),
          now() + interval '1 min', now() + interval '1 hour'
        from generate_series(1, 2) as n
        """

    @Test func `a write that is cancelled while the database is away keeps its outcomes`()
        async throws
    {
        let nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1)
        let completer = Completer(Queue(Database(nowhere)), Log(sink: Lines().sink)) { _ in }
        completer.add(finished(1))
        completer.add(finished(2))
        let writing = Task { await completer.writeAll() }
        await Task.yield()
        #expect(completer.claims.contains(claim(1)))
        writing.cancel()
        await writing.value
        #expect(!completer.isEmpty)
        #expect(completer.claims.contains(claim(1)) && completer.claims.contains(claim(2)))
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }

    func reaches(_ wanted: Int) async {
        while count < wanted { await Task.yield() }
    }
}
