/// What is sent: one request line, its headers and perhaps a body.
public struct HTTPRequest: Sendable, Equatable {
    /// The verb, for example `GET`; a token as HTTP defines it.
    public var method: String
    /// An absolute `http` or `https` URL in ASCII, without user name or password.
    public var url: String
    /// Headers in the order they are sent; the client sets the ones that frame the message.
    public var headers: [HTTPHeader]
    /// The body's bytes, or nil for none.
    public var body: [UInt8]?
    /// A user has chosen the host: it is sent to public addresses alone.
    public var isPublicOnly = false

    /// Describes a request; nothing is checked before it is sent.
    public init(
        method: String = "GET", url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One header line, sent or received.
public struct HTTPHeader: Sendable, Equatable {
    /// The name; compared without regard to case.
    public var name: String
    /// The value without surrounding blanks.
    public var value: String

    /// Makes a header; a name or value that can't be sent is refused by `HTTPClient.send`.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
