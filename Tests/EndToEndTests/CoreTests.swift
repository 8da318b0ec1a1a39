import Foundation
import Testing

/// What is left of a worker's memory when it crashes.
@Suite struct CoreTests {
    /// Where the kernel writes cores; one that begins with `|` is handed to a program instead.
    private static let pattern =
        (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? ""

    /// Allows cores of any size and blocks no signal, as a test's own process does, then becomes the program.
    private static let launcher = """
        import os, resource, signal, sys
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execvp(sys.argv[1], sys.argv[1:])
        """

    private func begin(_ command: [String], in folder: URL, _ environment: [String: String])
        throws -> Process
    {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.launcher] + command
        process.currentDirectoryURL = folder
        process.environment = environment.merging(
            // Else the runtime of a toolchain catches the signal, and goes on when it has reported.
            ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Sends what a crash of its own would be; returns how it ended and the files that it leaves.
    private func crash(_ process: Process, by signal: Int32, in folder: URL) async throws -> (
        Int32, [String]
    ) {
        kill(process.processIdentifier, signal)
        try await eventually("the process has ended") { !process.isRunning }
        return (
            process.terminationStatus,
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
        )
    }

    private static let mayWriteCores =
        !pattern.hasPrefix("|") && !pattern.contains("/")
        && {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            return limit.rlim_max == rlim_t.max || getuid() == 0
        }()

    @Test(
        .enabled(if: mayWriteCores, "cores go elsewhere here, or may not be written"),
        arguments: [SIGABRT, SIGSEGV])
    func `a worker that crashes leaves no core file, where another program leaves one`(
        _ signal: Int32
    ) async throws {
        try await Installation.with { installation in
            let other = installation.folder.appending(path: "other")
            let sleeper = try begin(["sleep", "600"], in: other, [:])
            try await eventually("the launcher has become the program") {
                (try? String(
                    contentsOfFile: "/proc/\(sleeper.processIdentifier)/comm", encoding: .utf8))
                    == "sleep\n"
            }
            let left = try await crash(sleeper, by: signal, in: other).1
            #expect(left.contains { $0.hasPrefix("core") })

            let own = installation.folder.appending(path: "own")
            let worker = try begin([programURL.path, "worker"], in: own, installation.environment)
            try await eventually("the worker is registered") {
                try await installation.value("select count(*) from jobrunner.workers") == "1"
            }
            let (ended, files) = try await crash(worker, by: signal, in: own)
            #expect(ended == signal)
            #expect(files == [])
        }
    }
}
