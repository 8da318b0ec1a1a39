import Foundation
import Synchronization

/// A relay to the server that can fall silent: it takes what comes, keeps the connections open and
/// passes nothing on, as a balancer or pooler does that has lost its way.
public final class FaultyRelay: Sendable {
    /// The connection string of the relay.
    public let url: String

    private struct State {
        var made = 0
        /// Connections numbered so far and no further are silent.
        var silent = 0
        var isSilent = false
        /// Connections whose client has said something that is held back.
        var heldBack: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Relays to `url`, until the process ends; `options` are the sessions' settings.
    public init(to url: String, options: String = "") throws {
        guard var parts = URLComponents(string: url), let server = parts.port else {
            throw POSIXError(.EINVAL)
        }
        let (listener, port) = try listenOnLoopback()
        parts.port = Int(port)
        parts.queryItems =
            [URLQueryItem(name: "sslmode", value: "disable")]
            + (options.isEmpty ? [] : [URLQueryItem(name: "options", value: options)])
        self.url = parts.string ?? ""
        Thread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                let number = state.withLock { state in
                    state.made += 1
                    return state.made
                }
                Thread { [self] in relay(client, UInt16(server), number) }.start()
            }
        }.start()
    }

    /// Connections made so far.
    public var connections: Int { state.withLock { $0.made } }

    /// Clients that wait, during `silenceAll`, for the answer to something that they have sent.
    public var clientsHeldBack: Int { state.withLock { $0.heldBack.count } }

    /// The connections there are pass nothing on any more, ever; new ones work.
    public func silencePresent() {
        state.withLock { $0.silent = $0.made }
    }

    /// No connection passes anything on, those to come included, until `speak`.
    public func silenceAll() {
        state.withLock { $0.isSilent = true }
    }

    /// Whatever was held back by `silenceAll` is passed on now.
    public func speak() {
        state.withLock { state in
            state.isSilent = false
            state.heldBack = []
        }
    }

    private func relay(_ client: Int32, _ serverPort: UInt16, _ number: Int) {
        let server = connectToLoopback(serverPort)
        defer { for descriptor in [client, server] { close(descriptor) } }
        guard server >= 0 else { return }
        while true {
            let (isSilent, isForEver) = state.withLock { ($0.isSilent, number <= $0.silent) }
            var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Looks at the state now and then: it may have fallen silent, or speak again.
            if isSilent {
                if poll(&entries, 1, 5) > 0, entries[0].revents & Int16(POLLIN) != 0 {
                    state.withLock { _ = $0.heldBack.insert(number) }
                    usleep(5000)
                }
                continue
            }
            guard poll(&entries, 2, 5) >= 0 else { return }
            for (from, to, entry) in [(client, server, entries[0]), (server, client, entries[1])]
            where entry.revents != 0 {
                guard let data = receive(from) else { return }
                if !isForEver { forward(data, to: to) }
            }
        }
    }
}
