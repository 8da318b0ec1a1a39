import JSON
import JobQueue
import Postgres
import Runner
import Schema
import Serving
import Telemetry

/// `jobrunner serve`: pages, metrics, health and views over HTTP, for those who watch and those who act.
func serve(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    guard let address = arguments.address("listen") else {
        preconditionFailure("--listen has a default")
    }
    let gate = try ServeGate(context.settings, address)
    let log = Log(context.settings.log)
    // What a page shows is of one moment, which a transaction of another isolation than a pooler's turns sees.
    var configuration = try context.settings.databaseConfiguration()
    configuration.lanes = 2
    // Whoever watches must not be what is seen: two sessions, that may read the views, for two seconds.
    configuration.statementTimeout = .seconds(2)
    configuration.lockTimeout = .seconds(1)
    configuration.connectTimeout = .seconds(2)
    configuration.reconnectTimeout = .seconds(1)
    let signals = Signals.stream(endingWithin: .seconds(9.5)) {}
    return try await Database.withSessions(configuration) { database in
        let endpoint = ServeEndpoint(database, gate, log, takesActs: arguments.has("actions"))
        try await endpoint.refuseWideLogin()
        let server = try HTTPServer(address, takesForms: true) { await endpoint.answer($0) }
        log.emit(.listening(Subject(), address: "\(server.address)"))
        for await _ in signals { break }
        await server.stop()
        return .ok
    }
}

/// What `serve` answers.
struct ServeEndpoint: Sendable {
    private let database: Database
    private let queue: Queue
    private let gate: ServeGate
    private let login: ServeLogin
    private let log: Log
    private let outage = DatabaseOutage()
    private let pages: ServePages

    init(_ database: Database, _ gate: ServeGate, _ log: Log, takesActs: Bool) {
        self.database = database
        pages = ServePages(ScreenReader(database), gate, takesActs: takesActs)
        queue = Queue(database)
        self.gate = gate
        self.log = log
        login = ServeLogin(queue)
    }

    /// Ends a program whose login may do more than look; a database that is away is asked again with each question.
    func refuseWideLogin() async throws {
        do { try await login.check() } catch let failure as Failure { throw failure } catch {
            tell(error)
        }
    }

    func answer(_ request: ServedRequest) async -> ServedResponse {
        // A probe does not ask the database.
        let isOfPages = pages.answers(request)
        if !isOfPages, let refusal = gate.refusal(of: request) { return refusal }
        if request.path == "/livez" { return ServedResponse(200, "alive\n") }
        do {
            let response =
                isOfPages
                ? try await pages.answer(request) { try await login.check() }
                : try await told(request)
            if let lasting = outage.end() { log.emit(.databaseBack(Subject(), after: lasting)) }
            return response
        } catch {
            tell(error)
            if request.path == "/readyz" {
                return ServedResponse(readiness: [reason(for: error)])
            }
            if isOfPages { return pages.away() }
            // What the database says is for its operator: it may name hosts and roles.
            return ServedResponse(503, "the database does not answer, or refuses\n")
        }
    }

    private func told(_ request: ServedRequest) async throws -> ServedResponse {
        guard !request.isPost else { return ServedResponse(405, "expected GET or HEAD\n") }
        try await login.check()
        switch request.path {
        case "/readyz":
            try await Migrator(database: database).check()
            return ServedResponse(readiness: [])
        case "/metrics": return try await metrics(request)
        case "/views":
            let names = ServedView.allCases.map { JSONValue.string("/views/" + $0.rawValue) }
            return ServedResponse(
                200, JSONValue.array(names).text + "\n", type: "application/json")
        default:
            guard request.path.hasPrefix("/views/"),
                let view = ServedView(rawValue: String(request.path.dropFirst(7)))
            else {
                return ServedResponse(
                    404, "expected /metrics, /livez, /readyz, /views or one of those\n")
            }
            return try await view.answer(request, queue)
        }
    }

    private func reason(for error: any Error) -> String {
        switch error {
        case is SchemaError: "schema: jobrunner migrate must be run"
        case is Failure: "login: it may read secrets"
        default: "database: it does not answer, or refuses"
        }
    }

    /// Says at first, and once a minute, why nothing is answered.
    private func tell(_ error: any Error) {
        guard let report = outage.observe(error) else { return }
        log.emit(.databaseLost(Subject(), error: report.error, failures: report.failures))
    }

    private func metrics(_ request: ServedRequest) async throws -> ServedResponse {
        let rows = try await queue.gauges()
        let format = MetricFormat(accept: request.header("Accept"))
        let samples = rows.compactMap { MetricSample(gauge: $0) }
        let own = [MetricSample(.buildInfo, [programVersion], 1)] + processSamples()
        return ServedResponse(200, format.text(own + samples), type: format.contentType)
    }
}

extension MetricSample {
    /// A row of view `gauges`.
    fileprivate init?(gauge row: JSONValue) {
        guard let family = MetricFamily.gauge(named: row.text("name")),
            let value = row["value"]?.numberText.flatMap({ Double($0) })
        else { return nil }
        let labels = row["labels"]
        self.init(family, family.labels.map { labels?.text($0) ?? "" }, value)
    }
}
