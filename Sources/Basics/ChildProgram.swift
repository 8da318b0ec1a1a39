import CLinux
import Glibc

/// Why a program that was called gave nothing; it holds nothing of what the program was given or said.
public struct ChildFailure: Error, Equatable, Sendable {
    /// A clause, such as `ended with 2`.
    public let reason: String
}

/// Calls a program with its arguments, gives it `input`, and returns what it printed; blocks the thread.
///
/// The program has this process's environment without what leads to the database.
/// Throws when it can't be started, ends with another code than 0, prints more than `outputMax` bytes or is not done
/// `until` then; it and what it has started are ended.
public func runChild(
    _ words: [String], input: [UInt8], outputMax: Int, until deadline: ContinuousClock.Instant
) throws(ChildFailure) -> [UInt8] {
    let given = try file(holding: input)
    defer { close(given) }
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw failure("can't be called", errno) }
    let (hearing, said) = (ends[0], ends[1])
    defer { close(hearing) }
    let spawned = Result { () throws(ChildFailure) in
        try spawn(words, input: given, output: said)
    }
    close(said)
    let child = try spawned.get()
    let output = Result { () throws(ChildFailure) in
        let output = try readAll(from: hearing, most: outputMax, until: deadline)
        try awaitEnd(of: child, until: deadline)
        return output
    }
    if case .failure = output { kill(-child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let printed = try output.get()
    guard status == 0 else {
        let signal = status & 0x7f
        throw ChildFailure(
            reason: signal == 0
                ? "ended with \((status >> 8) & 0xff)" : "died of signal \(signal)")
    }
    return printed
}

/// A file in memory: to write into a pipe that nobody reads would wait, or end this process.
private func file(holding bytes: [UInt8]) throws(ChildFailure) -> Int32 {
    let descriptor = memfd_create("input", JOBRUNNER_MFD_CLOEXEC)
    guard descriptor >= 0 else { throw failure("can't be called", errno) }
    guard write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0
    else {
        close(descriptor)
        throw failure("can't be called", errno)
    }
    return descriptor
}

/// The child leads a group of its own, so that what it starts ends with it.
private func spawn(
    _ words: [String], input: Int32, output: Int32
) throws(ChildFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // Libraries open connections that a new program would inherit.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This thread takes no signals; the child must take them all.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
        &attributes,
        Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
            | Int16(POSIX_SPAWN_SETPGROUP))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = childEnvironment().map { strdup($0) } + [nil]
    defer { for word in arguments + variables { free(word) } }
    var child: pid_t = 0
    let result = posix_spawnp(
        &child, words[0], &actions, &attributes, &arguments, &variables)
    guard result == 0 else { throw failure("can't be started", result) }
    return child
}

/// A program that reads a key needs no way into the database.
private func childEnvironment() -> [String] {
    var all: [String] = []
    var entry = environ
    while let text = entry.pointee {
        let variable = String(cString: text)
        entry += 1
        if variable.hasPrefix("PG") || variable.hasPrefix("DATABASE_URL") { continue }
        all.append(variable)
    }
    return all
}

private func readAll(
    from descriptor: Int32, most: Int, until deadline: ContinuousClock.Instant
) throws(ChildFailure) -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        guard try isReadable(descriptor, until: deadline) else { continue }
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure("can't be read", errno) }
        if count == 0 { return output }
        output += buffer[..<count]
        guard output.count <= most else {
            throw ChildFailure(reason: "printed more than \(most) bytes")
        }
    }
}

/// The child's descriptor says when it ends, which no polling need ask.
private func awaitEnd(
    of child: pid_t, until deadline: ContinuousClock.Instant
) throws(ChildFailure) {
    let descriptor = pidfd_open(child, 0)
    guard descriptor >= 0 else { throw failure("can't be waited for", errno) }
    defer { close(descriptor) }
    while try !isReadable(descriptor, until: deadline) {}
}

private func isReadable(
    _ descriptor: Int32, until deadline: ContinuousClock.Instant
) throws(ChildFailure) -> Bool {
    let left = deadline - .now
    guard left > .zero else { throw ChildFailure(reason: "is not done in time") }
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, Int32(clamping: left.millisecondsRoundedUp)) > 0
}

private func failure(_ what: String, _ code: Int32) -> ChildFailure {
    ChildFailure(reason: "\(what): \(String(cString: strerror(code)).lowercased())")
}
