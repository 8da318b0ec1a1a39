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

    return arguments.first == "still"
        ? runStill(Array(arguments.dropFirst()), until: stops) : runWorld(arguments, until: stops)
}

private func runWorld(_ arguments: [String], until stops: sigset_t) -> Int32 {
    switch FakeSourceOptions.parse(arguments) {
    case .help: return help(FakeSourceOptions.help)
    case .mistake(let line): return mistake(line)
    case .run(let options):
        return serve(until: stops) { () throws(FakeSource.StartFailure) in
            let source = try FakeSource(options)
            return (options.host, source.port, source.stop)
        }
    }
}

private func runStill(_ arguments: [String], until stops: sigset_t) -> Int32 {
    switch StillOptions.parse(arguments) {
    case .help: return help(StillOptions.help)
    case .mistake(let line): return mistake(line)
    case .run(let options):
        return serve(until: stops) { () throws(FakeSource.StartFailure) in
            let source = try StillSource(options)
            return (options.host, source.port, source.stop)
        }
    }
}

private typealias Started = (host: String, port: UInt16, stop: () -> Void)

private func serve(
    until stops: sigset_t, _ start: () throws(FakeSource.StartFailure) -> Started
) -> Int32 {
    do throws(FakeSource.StartFailure) {
        let source = try start()
        say("listening on http://\(source.host):\(source.port)", on: STDOUT_FILENO)
        var stops = stops
        var received: Int32 = 0
        sigwait(&stops, &received)
        source.stop()
        return 0
    } catch {
        say("fake-source: \(error)", on: STDERR_FILENO)
        return 69
    }
}

private func help(_ text: String) -> Int32 {
    say(text, on: STDOUT_FILENO)
    return 0
}

private func mistake(_ line: String) -> Int32 {
    say("fake-source: \(line)", on: STDERR_FILENO)
    return 64
}

private func say(_ line: String, on file: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = write(file, bytes, bytes.count)
}
