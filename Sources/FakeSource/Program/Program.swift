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

    return arguments.first == "static"
        ? runStatic(Array(arguments.dropFirst()), until: stops) : runWorld(arguments, until: stops)
}

private func runWorld(_ arguments: [String], until stops: sigset_t) -> Int32 {
    switch FakeSourceOptions.parse(arguments) {
    case .help: return help(FakeSourceOptions.help)
    case .mistake(let line): return mistake(line)
    case .run(let options):
        return serve(until: stops) { () throws(FakeSourceStartFailure) in
            let source = try FakeSourceServer(options)
            return (options.host, source.port, source.stop)
        }
    }
}

private func runStatic(_ arguments: [String], until stops: sigset_t) -> Int32 {
    switch StaticOptions.parse(arguments) {
    case .help: return help(StaticOptions.help)
    case .mistake(let line): return mistake(line)
    case .run(let options):
        return serve(until: stops) { () throws(FakeSourceStartFailure) in
            let source = try StaticSource(options)
            return (options.host, source.port, source.stop)
        }
    }
}

private typealias Started = (host: String, port: UInt16, stop: () -> Void)

private func serve(
    until stops: sigset_t, _ start: () throws(FakeSourceStartFailure) -> Started
) -> Int32 {
    do throws(FakeSourceStartFailure) {
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
