import Foundation

/// The program as its own process, over a world's database, source and job file.
struct KilledProgram {
    private let folder: URL
    private let environment: [String: String]

    /// `keys`: the bytes that the keys of its key file repeat, as `testKeeper` has them.
    init(_ world: World, keys: [String] = ["07"]) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "jobrunner-kill-\(UUID().uuidString)")
        let jobs = folder.appending(path: "jobs")
        try FileManager.default.createDirectory(at: jobs, withIntermediateDirectories: true)
        try Data(world.text.utf8).write(to: jobs.appending(path: "test.yaml"))
        let key = folder.appending(path: "key")
        let lines = keys.map { String(repeating: $0, count: 32) + "\n" }.joined()
        try Data(lines.utf8).write(to: key)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: key.path())
        environment = [
            "DATABASE_URL": world.database.url, "JOBRUNNER_JOBS": jobs.path(),
            "JOBRUNNER_KEY_FILE": key.path(), "JOBRUNNER_PRIVATE_NETWORKS": "127.0.0.0/8",
        ]
    }

    /// Starts a worker, or what the words say.
    func start(_ words: [String] = ["worker", "--concurrency", "2"]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "jobrunner")
        process.arguments = words
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    func clear() { try? FileManager.default.removeItem(at: folder) }
}
