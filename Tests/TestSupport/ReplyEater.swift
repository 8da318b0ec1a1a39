import Foundation
import Synchronization

/// A relay to the server that hangs up instead of passing on the reply to what holds a word.
///
/// It serves any number of connections over loopback, until the process ends.
public struct ReplyEater: Sendable {
    /// The connection string of the relay.
    public let url: String

    /// Relays to `url`; of the messages that hold `word`, counted from 1 over all connections, those
    /// in `eaten` get no reply.
    public init(to url: String, after word: String, eaten: Set<Int> = [1]) throws {
        guard var parts = URLComponents(string: url), let server = parts.port else {
            throw POSIXError(.EINVAL)
        }
        let (listener, port) = try listenOnLoopback()
        parts.port = Int(port)
        parts.queryItems = [URLQueryItem(name: "sslmode", value: "disable")]
        self.url = parts.string ?? ""
        let meal = Meal(word: Data(word.utf8), eaten: eaten)
        Thread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread { relay(client, UInt16(server), meal) }.start()
            }
        }.start()
    }
}

/// Which replies are eaten, counted over all connections.
private final class Meal: Sendable {
    private let word: Data
    private let eaten: Set<Int>
    private let seen = Atomic<Int>(0)

    init(word: Data, eaten: Set<Int>) {
        self.word = word
        self.eaten = eaten
    }

    func eatsReply(to data: Data) -> Bool {
        guard data.range(of: word) != nil else { return false }
        return eaten.contains(seen.add(1, ordering: .relaxed).newValue)
    }
}

private func relay(_ client: Int32, _ serverPort: UInt16, _ meal: Meal) {
    let server = connectToLoopback(serverPort)
    defer { for descriptor in [client, server] { close(descriptor) } }
    guard server >= 0 else { return }
    var eatsNext = false
    while true {
        var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&entries, 2, -1) > 0 else { return }
        if entries[0].revents != 0 {
            guard let data = receive(client) else { return }
            eatsNext = meal.eatsReply(to: data) || eatsNext
            forward(data, to: server)
        }
        if entries[1].revents != 0 {
            guard let data = receive(server), !eatsNext else { return }
            forward(data, to: client)
        }
    }
}
