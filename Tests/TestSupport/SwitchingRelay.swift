import Foundation
import Synchronization

/// A relay that stands for an address behind which the server changes: another takes its place, it falls silent, or it
/// refuses all logins.
///
/// What it does concerns new connections; `cut` ends those that are there.
public final class SwitchingRelay: Sendable {
    /// What becomes of a new connection.
    public enum Behaviour: Sendable, Equatable {
        /// It leads to a server, by its port.
        case leads(to: Int)
        /// It is taken and never answered.
        case silent
        /// It is answered that TLS is spoken, and then with nothing any more.
        case hangsInTLS
        /// Its login is refused with an SQLSTATE.
        case refuses(String)
    }

    /// The connection string of the relay.
    public let url: String
    /// Its port on 127.0.0.1, or on `address`.
    public let port: Int

    private struct State {
        var behaviour: Behaviour
        var made = 0
        var generation = 0
    }

    private let state: Mutex<State>

    /// Relays to `url`, until the process ends; `address` is another of the loopback network, `port` one that is free there.
    public init(
        to url: String, _ behaviour: Behaviour? = nil, address: String = "127.0.0.1", port: Int = 0
    ) throws {
        guard var parts = URLComponents(string: url), let server = parts.port else {
            throw POSIXError(.EINVAL)
        }
        let (listener, own) = try listen(address, port)
        parts.host = address
        parts.port = own
        parts.queryItems =
            (parts.queryItems ?? []) + [URLQueryItem(name: "sslmode", value: "disable")]
        self.url = parts.string ?? ""
        self.port = own
        state = Mutex(State(behaviour: behaviour ?? .leads(to: server)))
        Thread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                let (behaviour, generation) = state.withLock { state in
                    state.made += 1
                    return (state.behaviour, state.generation)
                }
                Thread { [self] in
                    serve(client, behaviour, generation)
                    close(client)
                }.start()
            }
        }.start()
    }

    /// Connections made so far.
    public var connections: Int { state.withLock { $0.made } }

    /// What becomes of new connections from now on.
    public func set(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Ends all connections there are.
    public func cut() { state.withLock { $0.generation += 1 } }

    private func serve(_ client: Int32, _ behaviour: Behaviour, _ generation: Int) {
        switch behaviour {
        case .leads(let port): relay(client, UInt16(port), generation)
        case .silent: hold(client, generation)
        case .hangsInTLS:
            _ = receive(client)
            forward(Data("S".utf8), to: client)
            hold(client, generation)
        case .refuses(let state):
            // Who asks for TLS first is told that there is none; the number is the request's.
            while let data = receive(client) {
                let asksForTLS = data.count == 8 && data.suffix(4) == Data([4, 210, 22, 47])
                forward(asksForTLS ? Data("N".utf8) : refusal(state), to: client)
                guard asksForTLS else { return }
            }
        }
    }

    private func isOver(_ generation: Int) -> Bool {
        state.withLock { $0.generation != generation }
    }

    /// Takes what comes, until the client hangs up.
    private func hold(_ client: Int32, _ generation: Int) {
        while !isOver(generation) {
            var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 5) > 0, receive(client) == nil { return }
        }
    }

    private func relay(_ client: Int32, _ port: UInt16, _ generation: Int) {
        let server = connectToLoopback(port)
        guard server >= 0 else { return }
        defer { close(server) }
        while !isOver(generation) {
            var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, 2, 5) >= 0 else { return }
            for (from, to, entry) in [(client, server, entries[0]), (server, client, entries[1])]
            where entry.revents != 0 {
                guard let data = receive(from) else { return }
                forward(data, to: to)
            }
        }
    }
}

/// A connection string with several servers of this machine in the place of its one.
public func connectionString(_ url: String, servers ports: [Int], host: String = "127.0.0.1")
    -> String
{
    guard let parts = URLComponents(string: url), let own = parts.host, let port = parts.port else {
        return url
    }
    let list = ports.map { "\(host):\($0)" }.joined(separator: ",")
    return url.replacing("\(own):\(port)", with: list, maxReplacements: 1)
}

private func listen(_ address: String, _ port: Int) throws -> (listener: Int32, port: Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = loopback(port: UInt16(port))
    inet_pton(AF_INET, address, &place.sin_addr)
    try withSocketAddress(&place) { pointer, length in
        try check(bind(listener, pointer, length))
        try check(Glibc.listen(listener, 64))
        var length = length
        try check(getsockname(listener, pointer, &length))
    }
    return (listener, Int(UInt16(bigEndian: place.sin_port)))
}

/// What a server says that lets nobody in.
private func refusal(_ state: String) -> Data {
    let fields = ["SFATAL", "VFATAL", "C\(state)", "Mnobody is let in"]
    let body = Data(fields.map { $0 + "\0" }.joined().utf8) + Data([0])
    let length = UInt32(body.count + 4)
    return Data("E".utf8) + withUnsafeBytes(of: length.bigEndian) { Data($0) } + body
}
