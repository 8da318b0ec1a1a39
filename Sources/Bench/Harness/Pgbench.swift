/// What a run of pgbench needs; each variable is set before the script begins.
struct Pgbench {
    let script: String
    var clients = 1
    /// Transactions of each client, or seconds.
    var transactions: Int?
    var seconds: Int?
    var variables: [String: Int] = [:]

    /// Runs it to its end; returns the transactions a second that it prints, connecting apart.
    func run(_ context: BenchmarkContext, _ cluster: Cluster) async throws -> Double {
        var arguments = ["-n", "-M", "prepared", "-c", "\(clients)", "-j", "\(min(clients, 2))"]
        if let transactions { arguments += ["-t", "\(transactions)"] }
        if let seconds { arguments += ["-T", "\(seconds)"] }
        for (name, value) in variables { arguments += ["-D", "\(name)=\(value)"] }
        let text = try await context.run(
            "\(serverPrograms)/pgbench", arguments + ["-f", "bench/\(script).sql", cluster.url])
        let line = text.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        guard let rate = line?.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw BenchError("pgbench printed no rate") }
        return rate
    }
}
