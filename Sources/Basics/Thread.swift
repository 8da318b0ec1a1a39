import CLinux
import Glibc

/// Runs work on a detached thread of its own, which may block; false: there is none to be had.
///
/// The thread takes no signals. Those belong to the program, and a write to a connection that is gone must
/// not end the process.
public func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    guard pthread_create(&thread, nil, run, box.toOpaque()) == 0 else {
        box.release()
        return false
    }
    pthread_detach(thread)
    return true
}

/// Runs work that may block on a thread of its own, and returns what it gives; nil means that there is no thread to be had.
public func onOwnThread<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
) async -> Result? {
    await withCheckedContinuation { continuation in
        if !startThread({ continuation.resume(returning: work()) }) {
            continuation.resume(returning: nil)
        }
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
    return nil
}
