import Glibc

/// dlt of PyPI in a folder of its own, the yardstick of what people use today.
struct Dlt: Sendable {
    private let context: BenchmarkContext
    private let python: String

    /// What is installed; another version measures something else.
    private static let version = "1.31.0"

    /// How it is set, for the report.
    static let sentence =
        "dlt \(version): one generator resource with a keep-alive session, pages of 1,000, columns"
        + " declared, merge by upsert, CSV loaded by COPY, two normalising processes, files of 25,000"
        + " records; its time is that of `pipeline.run`, without starting Python."

    /// Installs it when it is missing, which takes a minute and the network; nil when it can't be.
    static func installed(_ context: BenchmarkContext) async throws -> Dlt? {
        try await PythonPackages.installed(
            context, as: "dlt-\(version)", ["dlt[postgres]==\(version)"]
        ).map { Dlt(context: context, python: $0.python) }
    }

    /// Records per second of a first sync of the whole source into a database.
    func rate(_ source: StaticSource, into cluster: Cluster) async throws -> Double {
        try await cluster.script("drop schema if exists dlt_static cascade")
        try await cluster.script("drop schema if exists dlt_static_staging cascade")
        let folder = "\(context.folder)/dlt"
        try await context.run("rm", ["-rf", folder])
        let said = try await context.run(
            python,
            [
                "Sources/Bench/Yardsticks/dlt_sync.py", source.url, "\(source.users)", "1000",
                cluster.url, "dlt_static", folder, "upsert", "csv", "2",
            ])
        guard let seconds = said.split(separator: " ").first.flatMap({ Double($0) }) else {
            throw BenchError("dlt printed no time")
        }
        let stored = try await cluster.number("select count(*)::float8 from dlt_static.record")
        guard Int(stored) == source.records else {
            throw BenchError("dlt stored \(Int(stored)) records, not \(source.records)")
        }
        return Double(source.records) / seconds
    }
}
