/// A complete answer: it exists only when every byte arrived within all limits.
public struct HTTPResponse: Sendable, Equatable {
    /// The status code of the final answer, 200 to 999: some servers have one that HTTP does not know.
    public var status: Int
    /// Headers in the order they came, trailers last.
    public var headers: [HTTPHeader]
    /// The body, decoded when the source compressed it.
    public var body: [UInt8]
    /// Body bytes as received: before decoding, without chunk framing, followed redirects included.
    public var wireBytes: Int
    /// Keeps the body counted among what its client holds; nil for one made by hand.
    public var hold: BodyHold?
    /// From the call of `send` to the last byte, waiting for a free slot included.
    public var elapsed: Duration

    /// Makes a response by hand, for those who test what they do with one.
    public init(
        status: Int, headers: [HTTPHeader] = [], body: [UInt8] = [], wireBytes: Int = 0,
        elapsed: Duration = .zero
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.wireBytes = wireBytes
        self.elapsed = elapsed
    }

    /// The first value of a header, whatever the case of its name; nil when it is absent.
    public func header(_ name: String) -> String? {
        headers.first { equalIgnoringCase($0.name, name) }?.value
    }

    /// Every value of a header in the order they came.
    public func allValues(of name: String) -> [String] {
        headers.filter { equalIgnoringCase($0.name, name) }.map(\.value)
    }
}

/// Compares header names: only ASCII letters have a case.
func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) { lowercased($0) == lowercased($1) }
}

func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
