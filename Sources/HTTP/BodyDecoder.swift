import CCurl

/// Undoes gzip and deflate piece by piece, so that limits hold while a body grows.
///
/// It is not left to curl, because curl takes a compressed stream that ends early for a whole one.
final class BodyDecoder {
    private static let pieceBytes = 32 << 10
    /// What zlib calls window bits: 15 for the largest window, its sign and 16 tell the wrapping.
    private static let windowBits: CInt = 15

    private let isGzip: Bool
    // At an address of its own, because zlib keeps a pointer to it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let piece = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BodyDecoder.pieceBytes, alignment: 1)
    private var isStarted = false

    /// Whether what came so far is complete: nothing at all, or whole streams.
    private(set) var isAtEnd = true

    /// Takes the value of `Content-Encoding`; nil for one that was never asked for.
    init?(encoding: String) {
        switch encoding.lowercased() {
        case "gzip", "x-gzip": isGzip = true
        case "deflate": isGzip = false
        default:
            stream.deallocate()
            piece.deallocate()
            return nil
        }
        stream.initialize(to: z_stream())
    }

    deinit {
        if isStarted { inflateEnd(stream) }
        stream.deallocate()
        piece.deallocate()
    }

    /// Decodes received bytes and hands on what they become; false when they are not what they
    /// claim to be, or the receiver wants no more.
    func decode(
        _ bytes: UnsafeRawBufferPointer, to receive: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard let first = bytes.first else { return true }
        guard isStarted || start(firstByte: first) else { return false }
        let input = UnsafeMutableRawBufferPointer(mutating: bytes)
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = CUnsignedInt(bytes.count)
        repeat {
            if isAtEnd {
                // A gzip body may be several streams in a row; what else follows the end is junk.
                guard stream.pointee.total_in == 0 || isGzip, inflateReset(stream) == Z_OK else {
                    return false
                }
                isAtEnd = false
            }
            stream.pointee.next_out = piece.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = CUnsignedInt(piece.count)
            let code = inflate(stream, Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { return false }
            isAtEnd = code == Z_STREAM_END
            let count = piece.count - Int(stream.pointee.avail_out)
            guard count == 0 || receive(UnsafeRawBufferPointer(rebasing: piece[..<count])) else {
                return false
            }
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isAtEnd)
        return true
    }

    /// Prepares zlib; some servers send deflate without the wrapping that the standard asks for.
    private func start(firstByte: UInt8) -> Bool {
        let isWrapped = firstByte & 0x0f == Z_DEFLATED
        let bits =
            isGzip ? Self.windowBits + 16 : isWrapped ? Self.windowBits : -Self.windowBits
        let size = CInt(MemoryLayout<z_stream>.size)
        isStarted = inflateInit2_(stream, bits, ZLIB_VERSION, size) == Z_OK
        return isStarted
    }
}
