import CLinux
import Glibc
import Runner

/// The signals that end a process or ask what it is doing, taken by a thread of their own.
///
/// They are blocked before any other thread exists, so that each thread inherits the mask and an
/// early signal stays pending instead of being lost or killing the process. That thread also sees to it
/// that the process ends, whatever its database or its source keep waiting.
enum Signals {
    /// What a second signal leaves for the last line of the log.
    private static let haste = Duration.milliseconds(300)

    /// To be called first thing in the process.
    static func block() {
        var set = taken
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// To be called first thing in a process that signals simply end.
    ///
    /// It inherits the mask of the thread that started it, and one that goes on until interrupted could be deaf.
    static func unblock() {
        var set = taken
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// The first asks to stop, the second to leave at once.
    ///
    /// `stopping` is called at the first. A process that is still there after `patience`, or a moment
    /// after the second, is ended. `asked` is called at each SIGUSR1, by this thread, so that it answers also
    /// when all others hang.
    static func stream(
        endingWithin patience: Duration?, asked: @escaping @Sendable () -> Void = {},
        stopping: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<WorkerSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: WorkerSignal.self)
        let taker = Taker {
            _ = wait(atMost: nil, asked)
            stopping()
            continuation.yield(.stop)
            if wait(atMost: patience, asked) {
                continuation.yield(.abort)
                _ = wait(atMost: haste, asked)
            }
            // Not `exit`, which waits for what may hang.
            _exit(ExitCode.temporary.rawValue)
        }
        let box = Unmanaged.passRetained(taker)
        var thread = pthread_t()
        pthread_create(&thread, nil, take, box.toOpaque())
        pthread_detach(thread)
        return stream
    }

    private static var taken: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { sigaddset(&set, signal) }
        return set
    }

    /// Waits for a signal that ends the process; false: the time is over.
    private static func wait(atMost span: Duration?, _ asked: () -> Void) -> Bool {
        var set = taken
        let end = span.map { ContinuousClock.now + $0 }
        while true {
            var rest: timespec?
            if let end {
                let (seconds, attoseconds) = max(.zero, end - .now).components
                rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            }
            let signal =
                if var rest { sigtimedwait(&set, nil, &rest) } else { sigwaitinfo(&set, nil) }
            if signal == SIGUSR1 { asked() } else if signal > 0 { return true }
            if let end, .now >= end { return false }
        }
    }
}

private final class Taker: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

private func take(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Taker>.fromOpaque(argument).takeRetainedValue().body()
    return nil
}
