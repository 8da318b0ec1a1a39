import Foundation
import Testing

/// What one run of the program left behind.
struct Ran {
    let code: Int32
    let output: String
    let errors: String

    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

/// The program beside the tests.
let programURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("jobrunner")

/// The package's folder.
let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// A program that runs, for tests that do something meanwhile.
final class RunningProgram {
    let process = Process()
    private let folder: URL
    private let ended: AsyncStream<Int32>

    /// Starts it with nothing of this process's environment but what is given.
    ///
    /// On a terminal all that it reads and writes is the terminal's.
    init(
        _ arguments: [String], environment: [String: String], input: Pipe? = nil,
        terminal: Pseudoterminal? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("jobrunner-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = programURL
        process.arguments = arguments
        process.environment = environment
        process.standardInput = input ?? FileHandle.nullDevice
        let output = try Self.create(folder.appendingPathComponent("output"))
        let errors = try Self.create(folder.appendingPathComponent("errors"))
        process.standardOutput = output
        process.standardError = errors
        if let terminal {
            let handle = FileHandle(fileDescriptor: terminal.terminal, closeOnDealloc: false)
            process.standardInput = handle
            process.standardOutput = handle
            process.standardError = handle
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        ended = stream
        process.terminationHandler = { process in
            let code = process.terminationStatus
            continuation.yield(process.terminationReason == .exit ? code : -code)
            continuation.finish()
        }
        try process.run()
        // A process outlives its test, and Foundation's start of the next one reads past its list of
        // descriptors once there are some 1,300 of them.
        try output.close()
        try errors.close()
    }

    /// Waits for its end.
    func end() async throws -> Ran {
        let code = await exitCode()
        let ran = Ran(
            code: code, output: try text("output"), errors: try text("errors"))
        try FileManager.default.removeItem(at: folder)
        return ran
    }

    /// By Foundation, or by the kernel where Foundation has not noticed the end within five seconds.
    private func exitCode() async -> Int32 {
        let (ended, pid) = (ended, process.processIdentifier)
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask {
                for await code in ended { return code }
                return nil
            }
            group.addTask {
                while !Task.isCancelled, Self.ended(pid) == nil {
                    try? await Task.sleep(for: .milliseconds(200))
                }
                try? await Task.sleep(for: .seconds(5))
                return Self.ended(pid)
            }
            defer { group.cancelAll() }
            for await code in group { if let code { return code } }
            return .min
        }
    }

    /// The exit code of a child that has ended and that nobody has waited for, negative for a signal; nil: it is not so.
    private static func ended(_ pid: Int32) -> Int32? {
        var info = siginfo_t()
        guard waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0, info.si_signo != 0
        else { return nil }
        let status = info._sifields._sigchld.si_status
        return info.si_code == CLD_EXITED ? status : -status
    }

    /// What it has written to standard error so far.
    func errorsSoFar() throws -> String { try text("errors") }

    private func text(_ name: String) throws -> String {
        String(
            decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    private static func create(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}

/// Splits at spaces; `␣` stands for a space within an argument, `∅` for an empty one, `⏎` for a newline.
func words(_ line: String) -> [String] {
    line.split(separator: " ").map { word in
        String(word).replacingOccurrences(of: "␣", with: " ")
            .replacingOccurrences(of: "∅", with: "").replacingOccurrences(of: "⏎", with: "\n")
    }
}
