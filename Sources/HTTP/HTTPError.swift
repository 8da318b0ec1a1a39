/// Why there is no response.
///
/// Texts name at most a host, never a path, a query or a header's value.
public enum HTTPError: Error, Sendable, Equatable {
    /// How far an exchange had come.
    public enum Phase: String, Sendable {
        case queued, resolving, connecting, waiting, receiving
    }

    /// What grew over its limit.
    public enum Part: String, Sendable {
        case wire = "body as received"
        case decoded = "decoded body"
        case headers
    }

    /// The request can't be sent as it is; nothing went out.
    case invalidRequest(String)
    /// The deadline passed, or the connect timeout did.
    case timedOut(phase: Phase)
    /// The task was cancelled, or the client closed.
    case cancelled
    /// The host's name has no address.
    case resolve(String)
    /// No connection, or the TLS handshake broke off.
    case connect(String)
    /// The server's certificate is refused, or the CA file can't be used.
    case tls(String)
    /// The connection broke, or what came back is not HTTP.
    case sendOrReceive(String)
    /// The body ended before its declared end, or its chunks are broken.
    case truncated
    /// The body's compression is broken or unknown.
    case badEncoding
    /// A limit of `HTTPLimits` was reached; the limit in bytes.
    case tooLarge(Part, limit: Int)
    /// The bodies of all exchanges together passed `heldBytesMax`, and this one was the longest on its way.
    case crowded(limit: Int)
    /// This process has no file descriptor, no memory for a socket or no local port left, which is nothing of the source's.
    case lacking(String)
    /// The source points to another origin, or a method other than GET is redirected.
    case redirectRefused(host: String)
    /// More redirects than the client follows.
    case tooManyRedirects
    /// The host's address is neither public nor in a network that the operator named.
    case addressRefused(AddressRefusal)
    /// The same where a user chose the host, so that only public addresses count, and none is told to him.
    case addressNotPublic

    /// Whether the network or the source was at fault, so that the same request may succeed later.
    public var isRetryable: Bool {
        switch self {
        case .timedOut, .resolve, .connect, .sendOrReceive, .truncated, .crowded, .lacking: true
        case .invalidRequest, .cancelled, .tls, .badEncoding, .tooLarge, .redirectRefused,
            .tooManyRedirects, .addressRefused, .addressNotPublic:
            false
        }
    }
}

extension HTTPError: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .invalidRequest(let why): "invalid request: \(why)"
        case .timedOut(let phase): "timed out while \(phase.rawValue)"
        case .cancelled: "cancelled"
        case .resolve(let why): "name not resolved: \(why)"
        case .connect(let why): "no connection: \(why)"
        case .tls(let why): "TLS refused: \(why)"
        case .sendOrReceive(let why): "connection broke: \(why)"
        case .truncated: "response truncated"
        case .badEncoding: "response's compression is broken"
        case .tooLarge(let part, let limit): "response too large: \(part.rawValue) over \(limit)"
        case .crowded(let limit): "no room: all pages together are over \(limit) bytes"
        case .lacking(let what): "this process has no \(what) left"
        case .redirectRefused(let host): "redirect to \(host) refused"
        case .tooManyRedirects: "too many redirects"
        case .addressRefused(let refusal): "\(refusal)"
        case .addressNotPublic:
            "the host's address is not public, as it must be where a user chooses the host"
        }
    }
}
