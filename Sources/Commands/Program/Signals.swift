import Glibc
import Runner

/// The signals that end a worker, taken by a thread of their own.
///
/// They are blocked before any other thread exists, so that each thread inherits the mask and an
/// early signal stays pending instead of being lost or killing the process.
enum Signals {
    /// To be called first thing in the process.
    static func block() {
        var set = ending
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// One has come that nobody has taken yet.
    static var isPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return [SIGTERM, SIGINT, SIGHUP].contains { sigismember(&pending, $0) == 1 }
    }

    /// The first asks the worker to stop, the second to leave at once.
    static func stream() -> AsyncStream<WorkerSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: WorkerSignal.self)
        let box = Unmanaged.passRetained(Taker { continuation.yield($0) })
        var thread = pthread_t()
        pthread_create(&thread, nil, take, box.toOpaque())
        pthread_detach(thread)
        return stream
    }

    private static var ending: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        return set
    }

    fileprivate static func wait() {
        var set = ending
        var signal: Int32 = 0
        sigwait(&set, &signal)
    }
}

private final class Taker: Sendable {
    let yield: @Sendable (WorkerSignal) -> Void

    init(_ yield: @escaping @Sendable (WorkerSignal) -> Void) {
        self.yield = yield
    }
}

private func take(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let taker = Unmanaged<Taker>.fromOpaque(argument).takeRetainedValue()
    Signals.wait()
    taker.yield(.stop)
    while true {
        Signals.wait()
        taker.yield(.abort)
    }
}
