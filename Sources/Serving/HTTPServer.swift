internal import CMicroHTTPD
internal import CMicroHTTPDShim
import Synchronization

/// Answers questions over HTTP until it is stopped.
///
/// One thread of libmicrohttpd's serves all connections. While a handler works its connection is suspended, so that a
/// slow answer and a slow client keep nobody else waiting.
public final class HTTPServer: Sendable {
    /// Makes the answer; it is cancelled when the server stops.
    public typealias Handler = @Sendable (ServedRequest) async -> ServedResponse

    /// The address could not be listened on.
    public struct ListenFailure: Error, CustomStringConvertible {
        /// In words for a person.
        public let description: String
    }

    /// Connections at the same time; more are refused until one ends.
    private static let connectionsMax: UInt32 = 64
    /// A client that is silent for longer is dropped, in seconds.
    private static let silenceMax: UInt32 = 10
    /// A connection, which serves one question, is ended after so long.
    private static let connectionMax = Duration.seconds(30)
    /// Request line and header fields of one request, in bytes.
    private static let headMax = 16 << 10

    private let core: ServerCore
    /// Where it listens, with its port.
    public let address: ListenAddress

    /// Begins to listen; throws `ListenFailure`.
    public convenience init(_ address: ListenAddress, _ handler: @escaping Handler) throws {
        try self.init(
            address, silenceMax: Self.silenceMax, connectionMax: Self.connectionMax, handler)
    }

    init(
        _ address: ListenAddress, silenceMax: UInt32, connectionMax: Duration,
        _ handler: @escaping Handler
    ) throws {
        core = ServerCore(connectionMax: connectionMax, handler)
        let port = core.start(
            address, connectionsMax: Self.connectionsMax, silenceMax: silenceMax,
            headMax: Self.headMax)
        guard let port else {
            throw ListenFailure(description: "can't listen on \(address): is the port taken?")
        }
        var bound = address
        bound.port = port
        self.address = bound
    }

    /// Connections that are open.
    var connections: Int { core.connections.count }

    /// Ends all connections and returns when no handler works any more.
    public func stop() async { await core.stop() }
}
