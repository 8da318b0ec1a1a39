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

    private func environment() -> [String: String] {
        [
            "DATABASE_URL": cluster.url, "JOBRUNNER_JOBS": jobs,
            "JOBRUNNER_PRIVATE_NETWORKS": "127.0.0.0/8",
        ]
    }
}
