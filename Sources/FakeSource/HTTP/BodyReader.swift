internal import CMicroHTTPD
internal import CMicroHTTPDShim

/// Hands a body to libmicrohttpd in the manner its shape asks for.
final class BodyReader {
    private var body: Body
    private let shape: Answer.Shape
    private let exchange: Exchange
    private let timer: ConnectionTimer
    private var piece: [UInt8] = []
    private var pieceAt = 0
    private var sent = 0
    private var nextAt: Milliseconds = 0

    /// libmicrohttpd's MHD_CONTENT_READER_END_OF_STREAM and …_END_WITH_ERROR, macros with a cast.
    private static let endOfStream = -1
    private static let endWithError = -2

    /// How much is made at a time.
    static let blockSize = 65_536

    init(_ answer: Answer, _ exchange: Exchange, _ timer: ConnectionTimer) {
        body = answer.body
        shape = answer.shape
        self.exchange = exchange
        self.timer = timer
    }

    /// The next bytes; 0 when the connection was put to sleep.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if timer.hasEnded(exchange.number) { return BodyReader.endWithError }
        if let hangAfter = shape.hangAfter, sent >= hangAfter { return sleep(until: nil) }
        if let cutAfter = shape.cutAfter, sent >= cutAfter { return BodyReader.endWithError }
        let now = monotonicClock()
        if shape.pace != nil, now < nextAt { return sleep(until: nextAt) }
        var room = buffer.count
        if let pace = shape.pace {
            room = min(room, pace.bytes)
            nextAt = now + pace.every
        }
        if let hangAfter = shape.hangAfter { room = min(room, hangAfter - sent) }
        if let cutAfter = shape.cutAfter { room = min(room, cutAfter - sent) }
        let count = take(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
        if count == 0 {
            return shape.missingBytes > 0 ? BodyReader.endWithError : BodyReader.endOfStream
        }
        sent += count
        exchange.bytes = sent
        return count
    }

    private func sleep(until deadline: Milliseconds?) -> Int {
        timer.sleep(exchange.connection, number: exchange.number, until: deadline)
        return 0
    }

    private func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch body {
        case .bytes(let bytes): return copy(bytes, from: sent, into: buffer)
        case .run(let before, let byte, let count, let after):
            if sent < before.count { return copy(before, from: sent, into: buffer) }
            let left = before.count + count - sent
            if left <= 0 { return copy(after, from: -left, into: buffer) }
            let size = min(left, buffer.count)
            for place in 0..<size { buffer[place] = byte }
            return size
        case .pieces(let next):
            if pieceAt == piece.count {
                guard let fresh = next() else { return 0 }
                piece = fresh
                pieceAt = 0
            }
            let count = copy(piece, from: pieceAt, into: buffer)
            pieceAt += count
            return count
        }
    }

    private func copy(
        _ bytes: [UInt8], from start: Int, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = min(bytes.count - start, buffer.count)
        guard count > 0 else { return 0 }
        buffer.copyBytes(from: bytes[start..<(start + count)])
        return count
    }
}

/// The body as a libmicrohttpd response that asks `reader` for its bytes and frees it at the end.
func makeResponse(reading reader: BodyReader, length: UInt64) -> OpaquePointer? {
    MHD_create_response_from_callback(
        length, BodyReader.blockSize,
        { context, _, buffer, room in
            guard let context, let buffer else { return -2 }
            return Unmanaged<BodyReader>.fromOpaque(context).takeUnretainedValue()
                .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
        }, Unmanaged.passRetained(reader).toOpaque(),
        { context in
            guard let context else { return }
            Unmanaged<BodyReader>.fromOpaque(context).release()
        })
}
