import HTTP
import JobFile
import Postgres
import Queue
import Schema
import Sync
import Telemetry
import TestSupport
import Testing

@testable import Runner

@Suite(.timeLimit(.minutes(5))) struct WorkerTests {
    private let file = """
        version: 1
        job: app.refresh
        kind: refresh
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
            sync: Sync(
                Services(
                    queue: queue, client: HTTPClient(userAgent: "test"), budgets: budgets,
                    sealer: nil, log: log)),
            budgets: budgets, log: log)
    }

    @Test func `jobs whose claim was never heard of are given back, those at work are not`()
        async throws
    {
        let jobFile = try JobFile.parse(file, file: "test.yaml").get()
        let settings = try await TestDatabase.make().configuration()
        let database = Database(settings)
        _ = try await Migrator(database: database).migrate(jobFiles: [jobFile])
        try await database.run { session in
            _ = try session.query(Statement("select jobrunner.add_tenant('acme')"))
            _ = try session.query(Statement("select jobrunner.give_job('acme', 'app.refresh')"))
            for key in ["a", "b", "c"] {
                _ = try session.query(
                    Statement("select jobrunner.add_user('acme', $1, '{}')", .text(key)))
            }
        }
        let queue = Queue(database)
        let number = try await queue.registerWorker(
            host: "test", pid: 1, version: "test", capacity: 10)
        let jobs = try await queue.claimJobs(worker: number, limit: 10, names: ["app.refresh"])
        try #require(jobs.count == 3)
        let worker = try worker(settings)
        _ = worker.slots.take(jobs[0].claim, of: 1)
        worker.completer.add(FinishedRun(claim: jobs[1].claim, outcome: .complete))
        try await worker.releaseStrays(number)
        let held = try await queue.heldClaims(worker: number)
        #expect(Set(held) == [jobs[0].claim, jobs[1].claim])
        let again = try await queue.claimJobs(worker: number, limit: 10, names: ["app.refresh"])
        #expect(again.map(\.claim.userID) == [jobs[2].claim.userID])
        await database.close()
    }

    @Test func `a second signal ends a worker at once, whatever is unwritten`() async throws {
        let nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1)
        // It would outlast the suite's limit.
        let worker = try worker(nowhere) { $0.grace = .seconds(3600) }
        worker.completer.add(FinishedRun(claim: claim(1), outcome: .complete))
        let (signals, sender) = AsyncStream.makeStream(of: WorkerSignal.self)
        let working = Task { _ = await worker.run(signals) }
        sender.yield(.stop)
        while !worker.isStopping { await Task.yield() }
        sender.yield(.abort)
        await working.value
        #expect(worker.completer.claims.contains(claim(1)))
    }

    @Test func `a worker given up twice over is given up once`() throws {
        let nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1)
        let worker = try worker(nowhere)
        let control = worker.slots.take(claim(1), of: 1)
        // Nobody registered as 7: late news of it must not stop what another number runs.
        worker.noteGivenUp(7)
        #expect(control.stopReason == nil)
    }
}
