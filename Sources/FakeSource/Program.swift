import Glibc

/// The program: runs a fake source as the arguments say until SIGTERM or SIGINT; the exit code.
///
/// Must be called before any thread is started, so that all of them leave the signals to this one.
public func runFakeSource(_ arguments: [String]) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    var stops = sigset_t()
    sigemptyset(&stops)
    sigaddset(&stops, SIGTERM)
    sigaddset(&stops, SIGINT)
    pthread_sigmask(SIG_BLOCK, &stops, nil)

    let options: FakeSourceOptions
    switch FakeSourceOptions.parse(arguments) {
    case .help:
        say(FakeSourceOptions.help, on: STDOUT_FILENO)
        return 0
    case .mistake(let line):
        say("fake-source: \(line)", on: STDERR_FILENO)
        return 64
    case .run(let wanted): options = wanted
    }
    do throws(FakeSource.StartFailure) {
        let source = try FakeSource(options)
        say("listening on http://\(options.host):\(source.port)", on: STDOUT_FILENO)
        var received: Int32 = 0
        sigwait(&stops, &received)
        source.stop()
        return 0
    } catch {
        say("fake-source: \(error)", on: STDERR_FILENO)
        return 69
    }
}

private func say(_ line: String, on file: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = write(file, bytes, bytes.count)
}
