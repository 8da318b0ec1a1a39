/// A question that came over HTTP.
public struct ServedRequest: Sendable, Equatable {
    /// True: a form was posted.
    public var isPost: Bool
    /// The path, decoded, without its query.
    public var path: String
    /// The parameters of the query, in order.
    public var query: [(name: String, value: String)]
    /// The fields of the posted form, in order.
    public var form: [(name: String, value: String)]
    /// The header fields, in order.
    public var headers: [(name: String, value: String)]
    /// The IPv4 address that it comes from.
    public var peer: String
    /// The IPv4 address that it came to.
    public var own: String

    /// Describes a request.
    public init(
        path: String, query: [(name: String, value: String)] = [],
        posted form: [(name: String, value: String)]? = nil,
        headers: [(name: String, value: String)] = [], peer: String = "127.0.0.1",
        own: String = "127.0.0.1"
    ) {
        isPost = form != nil
        self.path = path
        self.query = query
        self.form = form ?? []
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

    /// The first field of that name of the posted form.
    public func field(_ name: String) -> String? {
        form.first { $0.name == name }?.value
    }

    /// Two requests are the same when they ask the same with the same header fields, from one address at another.
    public static func == (left: Self, right: Self) -> Bool {
        left.path == right.path && left.isPost == right.isPost
            && left.form.elementsEqual(right.form, by: ==)
            && left.query.elementsEqual(right.query, by: ==)
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
    /// Header fields beside those that every answer has.
    public var headers: [(name: String, value: String)] = []

    /// An answer of text.
    public init(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") {
        self.status = status
        self.type = type
        body = Array(text.utf8)
    }

    /// Two answers are the same when they say the same with the same header fields.
    public static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.type == right.type && left.body == right.body
            && left.headers.elementsEqual(right.headers, by: ==)
    }
}
