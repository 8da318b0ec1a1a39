/// Reads bytes into a tape once, front to back, without recursion.
struct Parser {
    /// An array or object whose end has not come yet.
    private struct Open {
        var index: Int
        var isObject: Bool
        var count: Int
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    var tape: [TapeNode] = []
    private var open: [Open] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        // A node takes some 16 bytes of an ordinary page.
        tape.reserveCapacity(min(bytes.count / 16, limits.nodes) + 8)
    }

    /// Reads the whole document: one value, and nothing but white space around it.
    mutating func parse() throws(JSONError) {
        try refuseForeignStart()
        skipSpace()
        repeat {
            if try value() { try closeFinished() }
        } while !open.isEmpty
        skipSpace()
        guard position == bytes.count else {
            throw JSONError("expected the end of the document", at: position)
        }
    }

    private func refuseForeignStart() throws(JSONError) {
        guard bytes.count <= UInt32.max else {
            throw JSONError("document of more than 4 GiB", at: 0)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw JSONError("document starts with a byte order mark", at: 0)
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw JSONError("document is UTF-16, expected UTF-8", at: 0)
        }
    }

    /// Reads a value, or the beginning of a container up to its first value; true: it is whole.
    private mutating func value() throws(JSONError) -> Bool {
        guard position < bytes.count else {
            throw JSONError("document ends where a value is expected", at: position)
        }
        guard tape.count < limits.nodes else {
            throw JSONError("more than \(limits.nodes) values", at: position)
        }
        switch bytes[position] {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): return try begin(isObject: true)
        case UInt8(ascii: "["): return try begin(isObject: false)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try word("true", .bool)
        case UInt8(ascii: "f"): try word("false", .bool)
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw JSONError("expected a value", at: position)
        }
        return true
    }

    private mutating func begin(isObject: Bool) throws(JSONError) -> Bool {
        guard open.count < limits.depth else {
            throw JSONError("nested deeper than \(limits.depth)", at: position)
        }
        let index = tape.count
        tape.append(
            TapeNode(isObject ? .object : .array, start: position, end: position, index: index))
        position += 1
        skipSpace()
        if position < bytes.count, bytes[position] == closing(isObject) {
            position += 1
            tape[index].end = UInt32(truncatingIfNeeded: position)
            return true
        }
        open.append(Open(index: index, isObject: isObject, count: 0))
        if isObject { try name() }
        return false
    }

    /// After a whole value: goes to the next one, or closes what ends here.
    private mutating func closeFinished() throws(JSONError) {
        while !open.isEmpty {
            let innermost = open.count - 1
            open[innermost].count += 1
            let isObject = open[innermost].isObject
            skipSpace()
            guard position < bytes.count else {
                throw JSONError(
                    "document ends inside \(isObject ? "an object" : "an array")", at: position)
            }
            let byte = bytes[position]
            if byte == UInt8(ascii: ",") {
                position += 1
                skipSpace()
                if isObject { try name() }
                return
            }
            guard byte == closing(isObject) else {
                throw JSONError("expected ',' or '\(isObject ? "}" : "]")'", at: position)
            }
            position += 1
            try close(open.removeLast())
        }
    }

    private mutating func close(_ container: Open) throws(JSONError) {
        guard container.count <= TapeNode.countMax else {
            throw JSONError("more than \(TapeNode.countMax) values in a container", at: position)
        }
        tape[container.index].end = UInt32(truncatingIfNeeded: position)
        tape[container.index].next = UInt32(truncatingIfNeeded: tape.count)
        tape[container.index].count = container.count
    }

    /// A member's name and its colon, up to the value.
    private mutating func name() throws(JSONError) {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw JSONError("expected a member's name in quotes", at: position)
        }
        try string()
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
            throw JSONError("expected ':'", at: position)
        }
        position += 1
        skipSpace()
    }

    private mutating func word(_ word: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { throw JSONError("expected a value", at: position) }
        for index in position..<end where bytes[index] != word.utf8Start[index - position] {
            throw JSONError("expected a value", at: position)
        }
        tape.append(TapeNode(kind, start: position, end: end, index: tape.count))
        position = end
    }

    /// Marks the value just read and every container around it as one PostgreSQL refuses.
    mutating func markUnstorable() {
        tape[tape.count - 1].isUnstorable = true
        for container in open { tape[container.index].isUnstorable = true }
    }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private func closing(_ isObject: Bool) -> UInt8 {
        isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }
}
