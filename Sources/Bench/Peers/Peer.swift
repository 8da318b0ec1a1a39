import Postgres

/// A queue of somebody else on PostgreSQL, which drains jobs that do nothing.
struct Peer: Sendable {
    /// How it can be set for draining.
    struct Settings: Sendable {
        let processes: Int
        /// pgqueuer's batch size, procrastinate's concurrency.
        let jobsAtOnce: Int
        /// Sessions of each process.
        let connections: Int

        /// Names the figure.
        var description: String {
            "\(processes) × \(jobsAtOnce) jobs, \(connections) session\(connections == 1 ? "" : "s")"
        }
    }

    /// As the script and the figures call it.
    let name: String
    /// Packages with their versions; another version measures something else.
    let requirements: [String]
    /// All that are measured; the best of them is the yardstick.
    let settings: [Settings]
    /// Its tables, which are emptied before each drain.
    let tables: [String]
    /// When the last job ended and how many have, in its own tables.
    let ends: String

    static let pgqueuer = Peer(
        name: "pgqueuer",
        requirements: ["pgqueuer==1.6.0", "asyncpg==0.32.0", "uvloop==0.23.0"],
        settings: [
            Settings(processes: 1, jobsAtOnce: 500, connections: 1),
            Settings(processes: 2, jobsAtOnce: 100, connections: 1),
            Settings(processes: 2, jobsAtOnce: 500, connections: 1),
        ],
        tables: ["pgqueuer", "pgqueuer_log", "pgqueuer_statistics"],
        ends: """
            select count(*) as done, extract(epoch from max(created))::float8 as last
            from pgqueuer_log where status = 'successful'
            """)

    static let procrastinate = Peer(
        name: "procrastinate",
        requirements: ["procrastinate==3.10.0", "psycopg[binary,pool]==3.3.9", "uvloop==0.23.0"],
        settings: [
            Settings(processes: 2, jobsAtOnce: 10, connections: 10),
            Settings(processes: 4, jobsAtOnce: 2, connections: 2),
        ],
        tables: ["procrastinate_jobs", "procrastinate_events"],
        ends: """
            select count(*) as done, extract(epoch from max(at))::float8 as last
            from procrastinate_events where type = 'succeeded'
            """)

    private static let script = "Sources/Bench/Yardsticks/peers.py"

    /// Makes its tables, with the settings for vacuum that it recommends; nil when it can't be installed.
    func installed(_ context: BenchmarkContext, in cluster: Cluster) async throws -> Installed? {
        let version = requirements[0].replacing("==", with: "-")
        guard
            let packages = try await PythonPackages.installed(context, as: version, requirements)
        else { return nil }
        let peer = Installed(
            peer: self, context: context, cluster: cluster, python: packages.python)
        try await peer.run("install")
        return peer
    }

    /// A peer whose tables are there.
    struct Installed: Sendable {
        let peer: Peer
        let context: BenchmarkContext
        let cluster: Cluster
        let python: String

        @discardableResult
        fileprivate func run(_ action: String, _ words: String...) async throws -> String {
            try await context.run(
                python, [Peer.script, peer.name, action, cluster.url] + words)
        }

        /// Drains so many jobs by each of the settings; returns the best rate, in jobs a second.
        func drain(_ jobs: Int) async throws -> Double {
            var best = 0.0
            for settings in peer.settings {
                context.say("\(peer.name), \(settings.description)")
                let rate = try await drain(jobs, settings)
                context.measurements.record(
                    "\(peer.name), \(settings.description)", rate, "jobs/s")
                best = max(best, rate)
            }
            context.measurements.record(peer.name, best, "jobs/s")
            return best
        }

        private func drain(_ jobs: Int, _ settings: Settings) async throws -> Double {
            try await cluster.script("truncate \(peer.tables.joined(separator: ", ")) cascade")
            try await run("fill", "\(jobs)")
            for table in peer.tables { try await cluster.settle(table) }
            let server = cluster.cpuSeconds
            let said = try await run(
                "drain", "\(settings.processes)", "\(settings.jobsAtOnce)",
                "\(settings.connections)")
            let used = (cluster.cpuSeconds - server) / Double(jobs) * 1e6
            guard let began = said.split(separator: "\n").first.flatMap({ Double($0) }) else {
                throw BenchError("\(peer.name) did not say when it began")
            }
            let ended = try await cluster.query(peer.ends).only()
            guard try ended.int("done") == jobs else {
                throw BenchError("\(peer.name) ended \(try ended.int("done")) of \(jobs) jobs")
            }
            context.measurements.record(
                "PostgreSQL's beside \(peer.name), \(settings.description)", used, "µs/job")
            return Double(jobs) / (try ended.double("last") - began)
        }
    }
}
