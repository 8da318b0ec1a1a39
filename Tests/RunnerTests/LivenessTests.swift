import Asking
import HTTP
import JobQueue
import Postgres
import Schema
import Sync
import Telemetry
import Testing
import TestSupport

@testable import Runner

/// When a worker says that it needs to be started anew.
@Suite(.timeLimit(.minutes(10))) struct LivenessTests {
    private let five = Duration.seconds(300)

    @Test func `a loop that stands still is told, the claims' only while heartbeats get through`() {
        let liveness = Liveness()
        let later = ContinuousClock.now + .seconds(400)
        #expect(liveness.trouble(heartbeatsWork: true, standstill: five) == nil)
        for loop in Liveness.Loop.allCases {
            let all = liveness.trouble(heartbeatsWork: true, standstill: five, at: later)
            #expect(all?.hasPrefix("\(loop.rawValue): the loop stands still") == true)
            if loop == .claims {
                let one = liveness.trouble(heartbeatsWork: false, standstill: five, at: later)
                #expect(one?.hasPrefix("heartbeat: ") == true)
            }
            liveness.round(loop, at: later)
        }
        #expect(liveness.trouble(heartbeatsWork: true, standstill: five, at: later) == nil)
    }

    /// A worker whose claims go to one place, and all else, as a session made anew would, to another.
    private func worker(claims: DatabaseConfiguration, _ configuration: DatabaseConfiguration)
        -> Worker
    {
        let queue = Queue(Database(claims))
        let budgets = Budgets(queue)
        let log = Log(sink: LineSink { _ in true })
        var settings = WorkerSettings(
            concurrency: 1, drains: false, host: "test", pid: 1, version: "test")
        settings.sessionTrouble = .milliseconds(100)
        settings.sessionTrial = .milliseconds(20)
        return Worker(
            settings, configuration: configuration, queue: queue, files: [],
            sync: Syncer(
                Services(
                    queue: queue, client: HTTPClient(userAgent: "test"), budgets: budgets,
                    keys: nil, log: log)),
            budgets: budgets, log: log)
    }

    private func withWorker(_ worker: Worker, _ body: (Worker) async throws -> Void) async throws {
        let (signals, sender) = AsyncStream.makeStream(of: WorkerSignal.self)
        let working = Task { _ = await worker.run(signals) }
        try await body(worker)
        sender.yield(.abort)
        await working.value
    }

    private func nowhere() throws -> DatabaseConfiguration {
        var nowhere = try DatabaseConfiguration(
            conninfo: "host=127.0.0.1 port=1", applicationName: "test", lanes: 1)
        nowhere.reconnectTimeout = .zero
        return nowhere
    }

    @Test func `a worker whose sessions fail though a new one would work needs to be started anew`()
        async throws
    {
        let test = try await TestDatabase.make()
        try await Database.withSessions(try test.configuration()) { database in
            _ = try await Migrator(database: database).migrate(jobFiles: [])
        }
        let worker = worker(claims: try nowhere(), try test.configuration())
        #expect(worker.reasonNotAlive == nil)
        try await withWorker(worker) { worker in
            try await eventually("it says so") {
                worker.reasonNotAlive?.contains("and a new one would work") == true
            }
            // What it says in words is no secret of the database's.
            #expect(worker.reasonNotAlive?.hasPrefix("database: its sessions fail for") == true)
            try await eventually("it says so no more once claims work") {
                worker.context.databaseWorks()
                return worker.reasonNotAlive == nil
            }
        }
    }

    /// Starting it anew would mend nothing: away, read-only, or letting nobody in.
    @Test(arguments: [nil, "28P01", "read-only"])
    func `a worker whose database is away goes on by itself`(_ trouble: String?) async throws {
        let test = try await TestDatabase.make()
        var configuration = try nowhere()
        if let trouble {
            let relay = try SwitchingRelay(
                to: test.url, trouble == "read-only" ? nil : .refuses(trouble))
            let options =
                trouble == "read-only" ? "&options=-c%20default_transaction_read_only%3Don" : ""
            configuration = try DatabaseConfiguration(
                conninfo: relay.url + options, applicationName: "test", lanes: 1)
            configuration.reconnectTimeout = .zero
        }
        try await withWorker(worker(claims: configuration, configuration)) { worker in
            try await eventually("it has been tried") {
                worker.context.outage.report(lasting: .milliseconds(300)) != nil
            }
            #expect(worker.reasonNotAlive == nil)
            #expect(!worker.reasonsNotReady.isEmpty)
        }
    }
}
