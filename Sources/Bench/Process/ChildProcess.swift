import CLinux
import Glibc
import Synchronization

/// A program that the harness started.
///
/// A thread of its own waits for the end, so that the end's time is exact and no thread of Swift's
/// blocks; every 20 ms it looks at the memory, whose peak is gone with the process. Beside many others it looks less
/// often, so that the processors are left to what is measured.
final class ChildProcess: Sendable {
    struct Ended: Sendable {
        /// The exit code, or minus the signal that ended it.
        let code: Int
        let at: ContinuousClock.Instant
        /// User and system time of it and the children it waited for.
        let cpuSeconds: Double
        /// Peak of the resident memory as last seen, at most 20 ms before the end of one of few; 0: never seen.
        let residentPeakBytes: Int
    }

    private struct State {
        var ended: Ended?
        var waiting: [CheckedContinuation<Ended, Never>] = []
    }

    let pid: pid_t
    let started: ContinuousClock.Instant
    private let state = Mutex(State())
    /// Programs that were started and have not ended.
    private static let living = Mutex(0)
    /// So many are looked at every 20 ms.
    private static let few = 16

    /// Starts a program with a clean signal mask; its input is empty, its words go to files.
    ///
    /// Throws `BenchError` when there is no such program.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        output: String = "/dev/null", errors: String = "/dev/null"
    ) throws {
        started = .now
        pid = try spawn(program, arguments, environment, output, errors)
        Self.living.withLock { $0 += 1 }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        pthread_create(&thread, nil, reap, box.toOpaque())
        pthread_detach(thread)
    }

    /// Nil while it runs.
    var ended: Ended? { state.withLock { $0.ended } }

    /// Waits for the end; when the task is cancelled, the program is asked to stop.
    func wait() async -> Ended {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ended = state.withLock { state in
                    if state.ended == nil { state.waiting.append(continuation) }
                    return state.ended
                }
                if let ended { continuation.resume(returning: ended) }
            }
        } onCancel: {
            signal(SIGTERM)
        }
    }

    /// Asks it to stop, and after the grace makes it.
    @discardableResult
    func stop(grace: Duration = .seconds(10)) async -> Ended {
        signal(SIGTERM)
        let end = ContinuousClock.now + grace
        while ended == nil, ContinuousClock.now < end {
            // Also in a task that was cancelled, whose sleep returns at once.
            await Task { try? await Task.sleep(for: .milliseconds(10)) }.value
        }
        signal(SIGKILL)
        return await wait()
    }

    /// Sends a signal unless it has ended.
    func signal(_ number: Int32) {
        // Under the lock, for the number of a process that has been reaped may be another's.
        state.withLock { if $0.ended == nil { kill(pid, number) } }
    }

    /// Processor time until now, or until the end.
    var cpuSeconds: Double { ended?.cpuSeconds ?? processorSeconds(of: pid) ?? 0 }

    fileprivate func awaitEnd() {
        var peak = 0
        let descriptor = pidfd_open(pid, 0)
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        func pause() -> Int32 { 20 * Int32(1 + Self.living.withLock { $0 } / Self.few) }
        while descriptor >= 0, poll(&watched, 1, pause()) == 0 {
            peak = max(peak, residentPeakBytes(of: pid) ?? 0)
        }
        let at = ContinuousClock.now
        Self.living.withLock { $0 -= 1 }
        if descriptor >= 0 { close(descriptor) }
        // Waited for without reaping, so that nobody signals the number after it is free.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let waiting = state.withLock { state in
            var status: Int32 = 0
            var usage = rusage()
            while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
            let signal = status & 0x7f
            state.ended = Ended(
                code: signal == 0 ? Int((status >> 8) & 0xff) : -Int(signal), at: at,
                cpuSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
                residentPeakBytes: peak)
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let ended else { return }
        for continuation in waiting { continuation.resume(returning: ended) }
    }
}

private func reap(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ChildProcess>.fromOpaque(argument).takeRetainedValue().awaitEnd()
    return nil
}

private func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ output: String,
    _ errors: String
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o644)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process blocks the signals that end it and ignores SIGPIPE; a child must not.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
        childEnvironment(environment).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var pid: pid_t = 0
    let result = posix_spawnp(&pid, program, &actions, &attributes, &words, &variables)
    guard result == 0 else {
        throw BenchError("\(program) can't be started: \(String(cString: strerror(result)))")
    }
    return pid
}

/// The present variables without those that lead to another database or change what is logged.
private func childEnvironment(_ additions: [String: String]) -> [String] {
    var all: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let pair = String(cString: text)
        entry += 1
        guard let equals = pair.firstIndex(of: "=") else { continue }
        let name = String(pair[..<equals])
        if name.hasPrefix("PG") || name.hasPrefix("JOBRUNNER_") || name == "DATABASE_URL" {
            continue
        }
        all[name] = String(pair[pair.index(after: equals)...])
    }
    return all.merging(additions) { $1 }.map { "\($0)=\($1)" }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
