import Basics
import Glibc
import Synchronization

/// Finds the addresses of names, on threads of its own: the system's resolver takes as long as it likes.
///
/// One that hangs keeps one thread for each name, however often the name is asked for.
final class Resolver: Sendable {
    /// The one of the process.
    static let shared = Resolver { addresses(of: $0) }

    typealias Answer = Result<[String], ResolverError>

    /// Between two looks whether the answer is still wanted.
    private static let look = Duration.milliseconds(50)

    private let find: @Sendable (String) -> Answer
    private let lookups = Mutex<[String: Lookup]>([:])

    /// `find` may block.
    init(_ find: @escaping @Sendable (String) -> Answer) { self.find = find }

    /// Numeric addresses in the resolver's order; `.late` when it has not answered by then, or was not waited for.
    func resolve(
        _ name: String, until end: ContinuousClock.Instant,
        whileWanted isWanted: () -> Bool = { true }
    ) throws(ResolverError) -> [String] {
        if isNumeric(name) { return [name] }
        let lookup = lookup(name)
        repeat {
            if let answer = lookup.answer(atMost: min(end - .now, Self.look)) {
                return try answer.get()
            }
        } while isWanted() && ContinuousClock.now < end
        throw .late
    }

    private func lookup(_ name: String) -> Lookup {
        lookups.withLock { lookups in
            if let lookup = lookups[name] { return lookup }
            let lookup = Lookup()
            lookups[name] = lookup
            let hasStarted = startThread { [self] in
                let answer = find(name)
                // The next to ask is told what is so then.
                forget(name)
                lookup.end(answer)
            }
            if !hasStarted {
                lookups[name] = nil
                lookup.end(.failure(.failed("no thread is left to resolve it")))
            }
            return lookup
        }
    }

    private func forget(_ name: String) {
        lookups.withLock { $0[name] = nil }
    }
}

/// Why a name has no address.
enum ResolverError: Error, Equatable {
    /// The resolver has not answered in time.
    case late
    case failed(String)
}

/// One question to the system's resolver, and those who wait for its answer.
private final class Lookup: Sendable {
    private let ended = Monitor<Resolver.Answer?>(nil)

    func end(_ answer: Resolver.Answer) {
        ended.withLock { $0 = answer }
        ended.signalAll()
    }

    func answer(atMost span: Duration) -> Resolver.Answer? {
        ended.wait(atMost: span) { $0 }
    }
}

private func isNumeric(_ name: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
}

private func addresses(of name: String) -> Resolver.Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(name, nil, &hints, &first)
    guard failure == 0 else { return .failure(.failed(String(cString: gai_strerror(failure)))) }
    defer { freeaddrinfo(first) }
    var found: [String] = []
    var next = first
    while let entry = next {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let given = getnameinfo(
            entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
            NI_NUMERICHOST)
        let address = String(
            decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if given == 0, !found.contains(address) { found.append(address) }
        next = entry.pointee.ai_next
    }
    return .success(found)
}
