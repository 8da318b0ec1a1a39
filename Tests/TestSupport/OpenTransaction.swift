import Glibc
public import Postgres
import Synchronization

/// A transaction of a session of its own that stays open until the test ends it.
public final class OpenTransaction: Sendable {
    private enum Word {
        case commit, rollBack
        case script(String, CheckedContinuation<Void, any Error>)
        case query(Statement, CheckedContinuation<Rows, any Error>)
    }

    private let database: Database
    private let word = Mutex<Word?>(nil)
    private let work = Mutex<Task<Void, any Error>?>(nil)

    /// Begins it and runs the statements; throws what they throw.
    public convenience init(_ url: String, _ statements: [Statement]) async throws {
        try await self.init(url) { session in
            for statement in statements { _ = try session.query(statement) }
        }
    }

    /// Begins it and runs scripts of SQL.
    public convenience init(_ url: String, _ scripts: String...) async throws {
        try await self.init(url) { session in
            for script in scripts { try session.script(script) }
        }
    }

    private init(
        _ url: String, _ body: @escaping @Sendable (Session) throws -> Void
    ) async throws {
        var configuration = try DatabaseConfiguration(
            conninfo: url, applicationName: "jobrunner-test", lanes: 1)
        configuration.idleInTransactionTimeout = .seconds(60)
        let database = Database(configuration)
        self.database = database
        let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [unowned self] in
            defer { readiness.finish() }
            try await database.run { session in
                try session.script("begin")
                try body(session)
                readiness.yield()
                try session.script(try self.serve(session))
            }
        }
        work.withLock { $0 = task }
        for await _ in ready { return }
        try await task.value
    }

    /// Commits; throws when the transaction had failed.
    public func commit() async throws { try await finish(.commit) }

    /// Undoes it.
    public func rollBack() async throws { try await finish(.rollBack) }

    /// Runs one more script of SQL in it.
    public func run(_ sql: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            word.withLock { $0 = .script(sql, continuation) }
        }
    }

    /// Asks one more statement in it.
    public func query(_ statement: Statement) async throws -> Rows {
        try await withCheckedThrowingContinuation { continuation in
            word.withLock { $0 = .query(statement, continuation) }
        }
    }

    private func finish(_ end: Word) async throws {
        word.withLock { $0 = end }
        defer { Task { [database] in await database.close() } }
        try await work.withLock { $0 }?.value
    }

    /// Holds the lane's own thread; returns how the transaction ends.
    private func serve(_ session: Session) throws -> String {
        while true {
            let next = word.withLock { word in
                defer { word = nil }
                return word
            }
            switch next {
            case .commit: return "commit"
            case .rollBack: return "rollback"
            case .script(let sql, let continuation):
                continuation.resume(with: Result { try session.script(sql) })
            case .query(let statement, let continuation):
                continuation.resume(with: Result { try session.query(statement) })
            case nil: usleep(1000)
            }
        }
    }
}

/// Returns once so many sessions of the database wait for a lock.
public func waitForLock(in url: String, sessions: Int = 1) async throws {
    // What sessions of another login do is seen by a superuser.
    let database = Database(
        try DatabaseConfiguration(
            conninfo: TestCluster.login("postgres", of: url), applicationName: "jobrunner-test",
            lanes: 1))
    let waiting = Statement(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    )
    try await eventually("\(sessions) sessions wait for a lock") {
        try await database.run { try $0.query(waiting).only().int(0) } >= sessions
    }
    await database.close()
}
