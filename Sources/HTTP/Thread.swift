import Glibc

/// Runs work on a thread of its own that takes no signals: those belong to the program, and a
/// write to a connection that is gone must not end the process.
func startThread(_ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runWork, box.toOpaque())
    guard code == 0 else { fatalError("no thread can be started: error \(code)") }
    pthread_detach(thread)
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
