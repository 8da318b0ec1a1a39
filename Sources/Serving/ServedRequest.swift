/// A question that came over HTTP.
public struct ServedRequest: Sendable, Equatable {
    /// The path, decoded, without its query.
    public var path: String
    /// The parameters of the query, in order.
    public var query: [(name: String, value: String)]
    /// The header fields, in order.
    public var headers: [(name: String, value: String)]
    /// The IPv4 address that it comes from.
    public var peer: String
    /// The IPv4 address that it came to.
    public var own: String

    /// Describes a request.
    public init(
        path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], peer: String = "127.0.0.1",
        own: String = "127.0.0.1"
    ) {
        self.path = path
        self.query = query
        self.headers = headers
        self.peer = peer
        self.own = own
    }

    /// The first header field of that name, whatever its case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The first parameter of that name.
    public func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Two requests are the same when they ask the same with the same header fields, from one address at another.
    public static func == (left: Self, right: Self) -> Bool {
        left.path == right.path && left.query.elementsEqual(right.query, by: ==)
            && left.headers.elementsEqual(right.headers, by: ==)
            && left.peer == right.peer && left.own == right.own
    }
}

/// What is answered.
public struct ServedResponse: Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// The `Content-Type`.
    public var type: String
    /// The body.
    public var body: [UInt8]

    /// An answer of text.
    public init(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") {
        self.status = status
        self.type = type
        body = Array(text.utf8)
    }
}
