/// What so many users cost whose runs mostly find nothing: the open loop's figures of idle-runs, times the runs.
struct Capacity: Sendable {
    /// Seconds of processor time a run.
    private let worker: Double
    private let server: Double
    /// Bytes a run.
    private let log: Double
    private let growth: Double
    /// Of a worker.
    private let sessions: Double

    /// Nil when the open loop was not measured.
    init?(_ outcomes: [BenchmarkResult]) {
        let outcome = outcomes.first { $0.name == "idle-runs" }
        func median(_ series: String) -> Double? { outcome?.series(series)?.summary?.median }
        guard let worker = median("open loop worker CPU"),
            let server = median("open loop PostgreSQL CPU"), let log = median("open loop log"),
            let growth = median("open loop growth"), let sessions = median("open loop sessions")
        else { return nil }
        (self.worker, self.server) = (worker / 1e6, server / 1e6)
        (self.log, self.growth, self.sessions) = (log, max(growth, 0), sessions)
    }

    /// A worker for each core that they need, and two at least: one may die.
    private func workers(_ runs: Double) -> Double { max((runs * worker).rounded(.up), 2) }

    private static let users = [1000.0, 10_000, 100_000, 1_000_000]
    private static let periods = [("5 minutes", 300.0), ("1 hour", 3600), ("1 day", 86_400)]

    /// The table, with what it is made of.
    var text: String {
        var lines = [
            "## What a machine carries", "",
            "Computed from the open loop of benchmark 3: \(readable(worker * 1e6)) µs of a worker's and"
                + " \(readable(server * 1e6)) µs of PostgreSQL's processor time,",
            "\(readable(log)) bytes of log and \(readable(growth)) bytes of growth a run that finds nothing, times the"
                + " runs; the source's own cost and what is written when",
            "something is new come on top. One job a user; a worker has \(readable(sessions)) sessions, and there is one"
                + " for each core that they need, two at least.", "",
            "| Users | Period | Runs/s | Cores, workers | Cores, PostgreSQL | Log a day | Disk a day | Connections |",
            "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for users in Self.users {
            for (period, seconds) in Self.periods {
                lines.append(row(users, period, users / seconds))
            }
        }
        return lines.joined(separator: "\n")
    }

    private func row(_ users: Double, _ period: String, _ runs: Double) -> String {
        let day = runs * 86_400
        let cells = [
            readable(users), period, small(runs), small(runs * worker), small(runs * server),
            "\(small(day * log / 1e9)) GB", "\(small(day * growth / 1e9)) GB",
            readable(workers(runs) * sessions),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

/// What rounds to nothing is not written as nothing.
private func small(_ number: Double) -> String {
    number > 0 && number < 0.0005 ? "< 0.001" : readable(number)
}
