import Glibc
import Postgres

/// A database with the schema, a folder of job files, and the commands of the measured program.
struct Installation: Sendable {
    let context: BenchmarkContext
    let cluster: Cluster
    /// Folder of the job files.
    let jobs: String

    /// Starts a server and migrates; `files` are job files' texts by their name.
    static func make(_ context: BenchmarkContext, files: [String: String]) async throws
        -> Installation
    {
        let cluster = try await context.startCluster()
        let jobs = "\(context.folder)/jobs"
        try makeFolder("\(jobs)/bench")
        for (name, text) in files { try writeFile("\(jobs)/bench/\(name).yaml", text) }
        let installation = Installation(context: context, cluster: cluster, jobs: jobs)
        try await cluster.administer("create extension if not exists pg_stat_statements")
        try await installation.command(["migrate"])
        return installation
    }

    /// Runs a command of the program to its end.
    @discardableResult
    func command(_ arguments: [String]) async throws -> String {
        try await context.run(context.program, arguments, environment: environment())
    }

    /// Starts a worker; its log is `NAME.err` in the context's folder.
    ///
    func startWorker(
        _ arguments: [String] = [], logLevel: String = "warning", as name: String = "worker"
    ) throws -> ChildProcess {
        var variables = environment()
        variables["DATABASE_URL"] = cluster.workerURL
        variables["JOBRUNNER_LOG_LEVEL"] = logLevel
        variables["JOBRUNNER_LOG"] = "json"
        return try context.start(
            context.program, ["worker"] + arguments, environment: variables, as: name)
    }

    /// Starts `serve --actions` for who knows one of the tokens; its log is `serve.err` in the context's folder.
    func startServer(tokens: String) throws -> ChildProcess {
        var variables = environment()
        variables["DATABASE_URL"] = cluster.pagesURL
        variables["JOBRUNNER_SERVE_TOKEN_FILE"] = tokens
        return try context.start(
            context.program, ["serve", "--actions", "--listen", "127.0.0.1:0"],
            environment: variables, as: "serve")
    }

    private var sealingKey: String { "\(context.folder)/sealing.key" }

    /// Makes the key that seals secrets; without it no secret can be stored.
    func makeSealingKey() throws {
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        try writeFile(sealingKey, digits.joined())
        chmod(sealingKey, 0o600)
    }

    private func environment() -> [String: String] {
        var variables = [
            "DATABASE_URL": cluster.url, "JOBRUNNER_JOBS": jobs,
            "JOBRUNNER_PRIVATE_NETWORKS": "127.0.0.0/8",
        ]
        if fileExists(sealingKey) { variables["JOBRUNNER_KEY_FILE"] = sealingKey }
        return variables
    }
}
