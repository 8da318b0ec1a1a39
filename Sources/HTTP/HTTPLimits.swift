/// What one exchange may cost; counted by the client, never taken from what the source declares.
public struct HTTPLimits: Sendable, Equatable {
    /// Body bytes as received, before decoding.
    public var wireBytesMax: Int
    /// Body bytes after decoding; what a compression bomb runs into.
    public var decodedBytesMax: Int
    /// Decoded bytes of all bodies together, those on their way and those that callers still hold.
    ///
    /// Above it the client gives up the longest body that is on its way.
    public var heldBytesMax: Int
    /// All header lines of an exchange together, interim answers and trailers included.
    public var headerBytesMax: Int
    /// From the start of the lookup to the end of the TLS handshake; the deadline may come first.
    public var connectTimeout: Duration

    /// Limits that suit pages of a few thousand records.
    public init(
        wireBytesMax: Int = 16 << 20, decodedBytesMax: Int = 16 << 20,
        heldBytesMax: Int = 32 << 20, headerBytesMax: Int = 64 << 10,
        connectTimeout: Duration = .seconds(10)
    ) {
        self.heldBytesMax = heldBytesMax
        self.wireBytesMax = wireBytesMax
        self.decodedBytesMax = decodedBytesMax
        self.headerBytesMax = headerBytesMax
        self.connectTimeout = connectTimeout
    }
}
