/// Just enough of gzip to serve a compressed body and a bomb.
enum Gzip {
    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    /// A valid stream of stored blocks.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out = header
        var at = 0
        repeat {
            let size = min(65_535, bytes.count - at)
            out.append(at + size == bytes.count ? 1 : 0)
            out += littleEndian(UInt32(size) | ~UInt32(size) << 16)
            out += bytes[at..<(at + size)]
            at += size
        } while at < bytes.count
        return out + littleEndian(crc32(bytes))
            + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// At least `size` spaces in about a thousandth of the bytes.
    ///
    /// One block whose code gives "258 more of the same" two zero bits, so its body is zeros. The
    /// check sum is false: computing it would cost as much as unpacking.
    static func bomb(_ size: Int) -> Body {
        var bits = BitWriter(bytes: header)
        bits.write(1, 1)  // the last block
        bits.write(2, 2)  // with its own codes
        bits.write(29, 5)  // 286 literal and length codes
        bits.write(0, 5)  // 1 distance code
        bits.write(14, 4)  // 18 code length codes, in the order of RFC 1951
        let lengths: [UInt32: UInt32] = [2: 1, 15: 2, 17: 2]  // the places of 18, 2 and 1
        for place in 0..<18 { bits.write(lengths[UInt32(place)] ?? 0, 3) }
        bits.zeros(32)
        bits.length(2)  // a space is 10
        bits.zeros(138)
        bits.zeros(85)
        bits.length(2)  // the end is 11
        bits.zeros(28)
        bits.length(1)  // 258 more is 0
        bits.length(1)  // at distance one is 0
        bits.code([1, 0])
        let spareBits = bits.padToByte()
        let count = size / 1032 + 1
        var end = BitWriter(bytes: [])
        if spareBits % 2 == 1 { end.write(0, 1) }
        end.code([1, 1])
        _ = end.padToByte()
        return .run(
            before: bits.bytes, byte: 0, count: count, after: end.bytes + [0, 0, 0, 0, 0, 0, 0, 0])
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

private struct BitWriter {
    var bytes: [UInt8]
    private var free = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func write(_ value: UInt32, _ count: Int) {
        for place in 0..<count {
            if free == 0 {
                bytes.append(0)
                free = 8
            }
            let bit = UInt8(value >> UInt32(place) & 1)
            bytes[bytes.count - 1] |= bit << UInt8(8 - free)
            free -= 1
        }
    }

    mutating func code(_ bits: [UInt32]) {
        for bit in bits { write(bit, 1) }
    }

    /// A run of zero lengths, 11 to 138: code 18, which is 0.
    mutating func zeros(_ count: UInt32) {
        code([0])
        write(count - 11, 7)
    }

    /// A code length of 1 or 2: codes 10 and 11.
    mutating func length(_ length: UInt32) { code([1, length - 1]) }

    mutating func padToByte() -> Int {
        defer { free = 0 }
        return free
    }
}
