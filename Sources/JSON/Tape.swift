/// One value of a document: 16 bytes, in document order; an object's names are nodes before values.
struct TapeNode: Sendable {
    /// First byte of the value; of a string, its opening quote.
    var start: UInt32
    /// One past the last byte.
    var end: UInt32
    /// Index of the node after this one and everything in it.
    var next: UInt32
    /// Elements or members of a container.
    private var countAndFlags: UInt32

    private static let escapedFlag: UInt32 = 1 << 7
    private static let unstorableFlag: UInt32 = 1 << 6
    private static let countShift: UInt32 = 8
    static let countMax = Int(UInt32.max >> countShift)

    init(_ kind: JSONKind, start: Int, end: Int, index: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        next = UInt32(truncatingIfNeeded: index + 1)
        countAndFlags = UInt32(kind.rawValue)
    }

    var kind: JSONKind {
        JSONKind(rawValue: UInt8(truncatingIfNeeded: countAndFlags & 0x0f)) ?? .null
    }

    /// The string holds a backslash.
    var isEscaped: Bool {
        get { countAndFlags & Self.escapedFlag != 0 }
        set { set(Self.escapedFlag, to: newValue) }
    }

    /// The value, or one inside it, is none that PostgreSQL keeps (`JSONNode.isStorable`).
    var isUnstorable: Bool {
        get { countAndFlags & Self.unstorableFlag != 0 }
        set { set(Self.unstorableFlag, to: newValue) }
    }

    var count: Int {
        get { Int(countAndFlags >> Self.countShift) }
        set {
            let flags = countAndFlags & ((1 << Self.countShift) - 1)
            countAndFlags = flags | UInt32(truncatingIfNeeded: newValue) << Self.countShift
        }
    }

    private mutating func set(_ flag: UInt32, to value: Bool) {
        if value { countAndFlags |= flag } else { countAndFlags &= ~flag }
    }
}

/// A document's bytes and their tape, which all its nodes share.
final class JSONStorage: Sendable {
    let bytes: [UInt8]
    let tape: [TapeNode]

    init(bytes: [UInt8], tape: [TapeNode]) {
        self.bytes = bytes
        self.tape = tape
    }
}
