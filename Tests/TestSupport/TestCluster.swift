import Foundation
public import Postgres
import Synchronization

/// The PostgreSQL server of this test process.
///
/// `JOBRUNNER_TEST_DATABASE_URL` and `JOBRUNNER_TEST_ADMINISTRATOR_URL` name one that runs already; otherwise `bin/pg`
/// starts one, which is stopped and removed when the process ends, or by the next process if this one is killed.
public final class TestCluster: Sendable {
    /// The one cluster of the process, started at first use.
    public static let shared = TestCluster()

    /// Connection string of the role that owns the tests' databases and nothing else, which is all that jobrunner gets.
    public let url: String
    /// Connection string of a superuser, for what makes databases and for instruments; never for jobrunner.
    public let administratorURL: String
    /// Its folder, for `bin/pg`; nil when the environment named the server.
    public let directory: String?
    /// Creates databases; one lane, so that clones of a template wait for each other.
    let administration: Database

    /// Starts a cluster of its own, for tests that stop or break the server.
    public static func start() throws -> TestCluster {
        let own = try startServer()
        return TestCluster(own)
    }

    private convenience init() {
        let environment = ProcessInfo.processInfo.environment
        if let url = environment["JOBRUNNER_TEST_DATABASE_URL"] {
            guard let administratorURL = environment["JOBRUNNER_TEST_ADMINISTRATOR_URL"] else {
                fatalError(
                    "JOBRUNNER_TEST_ADMINISTRATOR_URL is to name the same server, by a superuser")
            }
            self.init(
                StartedServer(url: url, administratorURL: administratorURL, directory: nil))
        } else {
            do {
                removeAbandonedClusters()
                self.init(try startServer())
            } catch {
                fatalError("bin/pg start: \(error)")
            }
        }
    }

    private init(_ server: StartedServer) {
        url = server.url
        administratorURL = server.administratorURL
        directory = server.directory
        do {
            let configuration = try DatabaseConfiguration(
                conninfo: administratorURL, applicationName: "jobrunner-test-administration",
                lanes: 1)
            administration = Database(configuration)
        } catch {
            fatalError("JOBRUNNER_TEST_ADMINISTRATOR_URL: \(error)")
        }
    }

    /// Crashes the server and starts it again, or with `immediate: false` shuts it down properly.
    public func restart(immediate: Bool = true) throws {
        guard let directory else { return }
        _ = try runPG(["restart", directory] + (immediate ? ["--immediate"] : []))
    }

    /// What the groups of a test's database are called, with `_worker` and so on behind it: those of the cluster.
    public static let roles = "jobrunner"

    /// The same connection string for the login that may look and no more.
    public static func reader(of url: String) -> String { login("jobrunner_serve", of: url) }

    /// The same for the login of workers.
    public static func worker(of url: String) -> String { login("jobrunner_work", of: url) }

    /// The same for an operator's login.
    public static func operatorLogin(of url: String) -> String {
        login("jobrunner_operate", of: url)
    }

    /// The same for another login than the owner's.
    public static func login(_ name: String, of url: String) -> String {
        url.replacing("jobrunner@", with: "\(name)@", maxReplacements: 1)
    }

    /// A standby of this cluster, which follows it from now on.
    public func standby() throws -> TestCluster {
        let own = try startServer(standbyOf: directory)
        return TestCluster(own)
    }

    /// Makes a standby a server of its own.
    public func promote() throws {
        guard let directory else { return }
        _ = try runPG(["promote", directory])
    }

    /// Ends the server as a loss of power does: nothing is written any more, nobody is told.
    public func crash() throws {
        guard let directory,
            let file = try? String(
                contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8),
            let pid = file.split(separator: "\n").first.flatMap({ pid_t($0) })
        else { return }
        kill(pid, SIGQUIT)
    }

    /// Stops a cluster made by `start()` and removes its files.
    public func stop() throws {
        guard let directory else { return }
        try stopServer(directory)
    }

    /// A template database, filled by `prepare` once in this process; returns its name.
    ///
    /// Its real name is this process's own, so that other processes never see a half-made or an
    /// outdated one. `prepare` must close what it opens: a template with sessions can't be cloned.
    public func template(
        named name: String,
        prepare: @escaping @Sendable (DatabaseConfiguration) async throws -> Void
    ) async throws -> String {
        try await templates.template(named: "\(directory ?? "")\(name)") {
            let database = try await TestDatabase.make(on: self, prefix: "jr_template_\(name)")
            try await prepare(try database.configuration())
            return database.name
        }
    }

    private let templates = Templates()
}

/// Builds each template once, however many tests ask at the same time.
private actor Templates {
    private var builds: [String: Task<String, any Error>] = [:]

    func template(
        named name: String, build: @escaping @Sendable () async throws -> String
    ) async throws -> String {
        let task = builds[name] ?? Task { try await build() }
        builds[name] = task
        return try await task.value
    }
}
