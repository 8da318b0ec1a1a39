import Synchronization

/// What a benchmark works with: its form, its measurements, a folder, programs.
///
/// Whatever was started through it is stopped when the benchmark ends, however it ends.
final class BenchmarkContext: Sendable {
    let form: Form
    /// How often product and yardstick are measured, one after the other.
    let rounds: Int
    let measurements = Measurements()
    /// The jobrunner that is measured, an absolute path.
    let program: String
    /// For files of this benchmark; removed after it.
    let folder: String
    private let tell: @Sendable (String) -> Void
    private let children = Mutex<[ChildProcess]>([])
    private let clusters = Mutex<[Cluster]>([])

    init(
        form: Form, rounds: Int, program: String, folder: String,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.form = form
        self.rounds = rounds
        self.program = program
        self.folder = folder
        self.tell = tell
    }

    /// The one for the short form or for the full.
    func choose<T>(short: T, full: T) -> T { form == .short ? short : full }

    /// A line about the progress.
    func say(_ line: String) { tell(line) }

    /// The fake source that was built beside the program.
    var fakeSource: String {
        String(program[..<(program.lastIndex(of: "/") ?? program.endIndex)]) + "/fake-source"
    }

    /// Starts a program that is stopped with the context; its words go to `folder/NAME.out`, `.err`.
    func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        as name: String
    ) throws -> ChildProcess {
        let child = try ChildProcess(
            program, arguments, environment: environment, output: "\(folder)/\(name).out",
            errors: "\(folder)/\(name).err")
        children.withLock { $0.append(child) }
        return child
    }

    /// Runs a program to its end and returns what it printed; throws `BenchError` with its last
    /// words unless it ends with 0.
    @discardableResult
    func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        try await runProgram(program, arguments, environment: environment, in: folder) { child in
            self.children.withLock { $0.append(child) }
        }
    }

    /// Starts a private PostgreSQL; it is stopped and removed with the context.
    func startCluster() async throws -> Cluster {
        let number = clusters.withLock { $0.count + 1 }
        let cluster = Cluster(folder: "\(folder).pg\(number)", scratch: folder)
        clusters.withLock { $0.append(cluster) }
        try await cluster.start()
        return cluster
    }

    /// The server that was started first and runs yet.
    var firstCluster: Cluster? { clusters.withLock { $0.first { !$0.url.isEmpty } } }

    /// Stops what was started, newest first.
    func close() async {
        for child in children.withLock({ $0 }).reversed() where child.ended == nil {
            await child.stop()
        }
        for cluster in clusters.withLock({ $0 }).reversed() { await cluster.remove() }
    }
}
