import CLinux
import Basics
import Glibc

/// Runs the benchmarks that the process's arguments name and ends the process: 0 when all could be
/// measured, whatever the figures are.
///
/// Must be called before any thread is started, so that all of them leave the signals to this one. The
/// first signal stops what was started, the second leaves at once.
public func runBenchmarks(_ arguments: [String]) -> Never {
    signal(SIGPIPE, SIG_IGN)
    var stops = sigset_t()
    sigemptyset(&stops)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&stops, signal) }
    pthread_sigmask(SIG_BLOCK, &stops, nil)

    let work = Task { endProcess(await exitCode(arguments)) }
    var received: Int32 = 0
    sigwait(&stops, &received)
    work.cancel()
    sigwait(&stops, &received)
    // Not `exit`, which waits for what may hang.
    _exit(stopped)
}

private let mistake: Int32 = 64
private let refused: Int32 = 65
private let stopped: Int32 = 75

private func exitCode(_ arguments: [String]) async -> Int32 {
    do {
        switch try BenchCommand(arguments) {
        case .help: say(BenchOptions.help)
        case .list: for one in allBenchmarks { say("\(one.number)  \(one.name): \(one.sentence)") }
        case .run(let options): return try await BenchmarkRunner(options, tell: say).run() ? 0 : 1
        }
        return 0
    } catch let error as UsageError {
        complain(error.description)
        return mistake
    } catch is CancellationError {
        complain("stopped, and so is what it had started")
        return stopped
    } catch {
        complain("\(error)")
        return refused
    }
}

private func say(_ line: String) { write(line, to: STDOUT_FILENO) }
private func complain(_ line: String) { write("jobrunner-bench: \(line)", to: STDERR_FILENO) }

private func write(_ line: String, to file: Int32) {
    let bytes = Array((line + "\n").utf8)
    // There is nowhere to tell that nobody reads.
    _ = write(file, bytes, bytes.count)
}
