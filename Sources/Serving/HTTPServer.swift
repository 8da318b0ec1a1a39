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

    private let core: ServerCore
    /// Where it listens, with its port.
    public let address: ListenAddress

    /// Begins to listen; throws `ListenFailure`.
    ///
    /// Without `takesForms` nothing may be posted.
    public convenience init(
        _ address: ListenAddress, takesForms: Bool = false, _ handler: @escaping Handler
    ) throws {
        try self.init(address, ServerLimits(), takesForms: takesForms, handler)
    }

    init(
        _ address: ListenAddress, _ limits: ServerLimits, takesForms: Bool = false,
        _ handler: @escaping Handler
    ) throws {
        core = ServerCore(limits, takesForms: takesForms, handler)
        let port = core.start(address)
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
