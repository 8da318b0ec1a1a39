import Asking
import Glibc
import HTTP
import JobFiles
import Postgres
import Claiming
import JobQueue
import Schema
import Sync
import Synchronization
import Telemetry
import Testing
import TestSupport

@testable import Runner

@Suite(.timeLimit(.minutes(10))) struct WorkerTests {
    private let file = """
        version: 1
        job: app.refresh
        schedule: { every: 1h, deadline: 5m }
        source: { id: hub, base: "https://hub.example" }
        entities:
          - entity: video
            request: { path: /feed }
            page: { style: single }
            records:
              at: videos[]
              key: [id]
              fields: { id: { at: id, type: text, required: true } }
            write: { table: video, mode: overwrite }
        """

    @Test func `a worker with a long lease is heard of before those who watch take it for dead`() {
        var settings = WorkerSettings(
            concurrency: 1, drains: false, host: "", pid: 1, version: "")
        #expect(settings.heartbeat == .seconds(5))
        settings.lease = .seconds(600)
        #expect(settings.heartbeat == .seconds(20))
    }

    private func worker(
        _ configuration: DatabaseConfiguration, _ change: (inout WorkerSettings) -> Void = { _ in }
    ) throws -> Worker {
        let queue = Queue(Database(configuration))
        let budgets = Budgets(queue)
        let log = Log(sink: LineSink { _ in true })
        var settings = WorkerSettings(
            concurrency: 10, drains: false, host: "test", pid: 1, version: "test")
        change(&settings)
        return Worker(
            settings, configuration: configuration, queue: queue,
            files: [try JobFile.parse(file, file: "test.yaml").get()],
            sync: Syncer(
                Services(
                    queue: queue, client: HTTPClient(userAgent: "test"), budgets: budgets,
                    keys: nil, log: log)),
            budgets: budgets, log: log)
    }

    /// The schema, the job file, and a tenant with users who have its job.
    private func prepare(_ database: Database, users: Int) async throws {
        let jobFile = try JobFile.parse(file, file: "test.yaml").get()
        _ = try await Migrator(database: database).migrate(jobFiles: [jobFile])
        try await database.run { session in
            try session.script(
                """
                select jobrunner.add_tenant('acme');
                select jobrunner.give_job('acme', 'app.refresh');
                select jobrunner.add_user('acme', 'user' || n, '{}') from generate_series(1, \(users)) as n;
                """)
        }
    }

    /// So many jobs that worker 1 has claimed.
    private func claimed(
        _ count: Int, _ settings: DatabaseConfiguration
    ) async throws -> (Queue, [ClaimedJob]) {
        let database = Database(settings)
        try await prepare(database, users: count)
        let queue = Queue(database)
        let worker = try await queue.registerWorker(
            host: "test", pid: 1, version: "test", capacity: count)
        let jobs = try await queue.claimJobs(worker: worker, limit: count, names: ["app.refresh"])
        try #require(worker == 1 && jobs.count == count)
        return (queue, jobs)
    }

    @Test func `jobs whose claim was never heard of are given back, those at work are not`()
        async throws
    {
        let settings = try await TestDatabase.make().configuration()
        let (queue, jobs) = try await claimed(3, settings)
        let worker = try worker(settings)
        _ = worker.context.slots.take(jobs[0].claim, of: 1)
        worker.context.completer.add(FinishedRun(claim: jobs[1].claim, outcome: .complete))
        try await worker.orphans.release(1)
        let held = try await queue.heldClaims(worker: 1)
        #expect(Set(held) == [jobs[0].claim, jobs[1].claim])
        let again = try await queue.claimJobs(worker: 1, limit: 10, names: ["app.refresh"])
        #expect(again.map(\.claim.userID) == [jobs[2].claim.userID])
        await queue.database.close()
    }

    /// A run's outcome is the completer's before its slot is free.
    @Test func `what ends while a worker looks for orphaned claims is not given back`() async throws
    {
        let settings = try await TestDatabase.make().configuration(lanes: 2)
        let (queue, jobs) = try await claimed(500, settings)
        let worker = try worker(settings)
        for job in jobs { _ = worker.context.slots.take(job.claim, of: 1) }
        let ending = Task.detached {
            for job in jobs {
                worker.context.completer.add(FinishedRun(claim: job.claim, outcome: .complete))
                worker.context.slots.leave(job.claim)
                usleep(500)
            }
        }
        while worker.context.slots.count > 0 { try await worker.orphans.release(1) }
        await ending.value
        // No outcome was written, so all of them are held.
        #expect(try await queue.heldClaims(worker: 1).count == 500)
        await queue.database.close()
    }

    @Test func `a worker claims nothing while two thousand outcomes wait to be written`()
        async throws
    {
        let settings = try await TestDatabase.make().configuration(lanes: 3)
        let database = Database(settings)
        try await prepare(database, users: 3)
        let gate = Database(settings)
        try await gate.run { try $0.script("select pg_advisory_lock(7)") }
        try await database.replaceFunction(
            "finish_runs", with: "perform pg_advisory_xact_lock_shared(7); return;")
        let worker = try worker(settings)
        // One batch is being written.
        for fence in 1...2500 as ClosedRange<Int64> {
            worker.context.completer.add(FinishedRun(claim: claim(fence), outcome: .complete))
        }
        let (signals, sender) = AsyncStream.makeStream(of: WorkerSignal.self)
        let working = Task { _ = await worker.run(signals) }
        while worker.context.registration.worker == nil { await Task.yield() }
        // The claim loop passes by three times.
        for _ in 0..<3 {
            worker.orphans.claimFailed()
            while worker.orphans.isLikely { await Task.yield() }
        }
        let taken = Statement("select count(*) from jobrunner.jobs where fence > 0")
        #expect(try await database.run { try $0.query(taken).only().int(0) } == 0)
        try await gate.run { try $0.script("select pg_advisory_unlock(7)") }
        while try await database.run({ try $0.query(taken).only().int(0) }) < 3 {
            await Task.yield()
        }
        sender.yield(.stop)
        await working.value
        for pool in [gate, database] { await pool.close() }
    }

    @Test func `a second signal ends a worker at once, whatever is unwritten`() async throws {
        let nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1)
        // It would outlast the suite's limit.
        let worker = try worker(nowhere) { $0.grace = .seconds(3600) }
        worker.context.completer.add(FinishedRun(claim: claim(1), outcome: .complete))
        let (signals, sender) = AsyncStream.makeStream(of: WorkerSignal.self)
        let working = Task { _ = await worker.run(signals) }
        sender.yield(.stop)
        while !worker.context.isStopping { await Task.yield() }
        sender.yield(.abort)
        await working.value
        #expect(worker.context.completer.claims.contains(claim(1)))
    }

    /// NOTIFY needs no privilege.
    @Test func `whatever a stranger announces, a worker claims what is due`() async throws {
        let settings = try await TestDatabase.make().configuration(lanes: 3)
        let database = Database(settings)
        try await prepare(database, users: 2)
        try await database.given(.notDue())
        let worker = try worker(settings)
        let (signals, sender) = AsyncStream.makeStream(of: WorkerSignal.self)
        let working = Task { _ = await worker.run(signals) }
        while worker.context.registration.worker == nil { await Task.yield() }
        try await database.run { session in
            for payload in [
                "-300000000000000000", "-9223372036854775807", "8000000000000000",
                "-9000000000000000000::", "-9223372036854775808:::", "9223372036854775807::1:",
                "::-9223372036854775808", "::-9223372036854775807", "::9223372036854775807:",
                ":::::", "a:b:c:d", "",
            ] {
                try session.script("notify jobrunner_due, '\(payload)'")
            }
            try session.script("select jobrunner.enqueue_all('acme', 'app.refresh')")
        }
        let taken = Statement("select count(*) from jobrunner.jobs where fence > 0")
        try await eventually("both jobs are claimed") {
            try await database.run { try $0.query(taken).only().int(0) } >= 2
        }
        sender.yield(.stop)
        await working.value
        await database.close()
    }

    @Test func `a worker given up twice over is given up once`() throws {
        let nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1)
        let worker = try worker(nowhere)
        let control = worker.context.slots.take(claim(1), of: 1)
        // Nobody registered as 7: late news of it must not stop what another number runs.
        worker.context.workerGivenUp(7)
        #expect(control.stopReason == nil)
    }
}
