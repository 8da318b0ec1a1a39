/// Reads bytes into a tape once, front to back, without recursion.
struct Parser {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// An array or object whose end has not come yet.
    private struct Open {
        var index: Int
        var isObject: Bool
        var count: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var lexer: Lexer
    private var tape: [TapeNode] = []
    private var open: [Open] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        lexer = Lexer(bytes, numberBytes: limits.numberBytes)
        // A node takes some 16 bytes of an ordinary page.
        tape.reserveCapacity(min(bytes.count / 16, limits.nodes) + 8)
    }

    /// Reads the whole document: one value, and nothing but white space around it.
    mutating func parse() throws(JSONError) -> [TapeNode] {
        try passForeignStart()
        lexer.skipSpace()
        repeat {
            if try value() { try closeFinished() }
        } while !open.isEmpty
        lexer.skipSpace()
        guard lexer.position == bytes.count else {
            throw JSONError("expected the end of the document", at: lexer.position)
        }
        return tape
    }

    private mutating func passForeignStart() throws(JSONError) {
        guard bytes.count <= UInt32.max else {
            throw JSONError("document of more than 4 GiB", at: 0)
        }
        if bytes.starts(with: Self.byteOrderMark) { lexer.position = Self.byteOrderMark.count }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw JSONError("document is UTF-16, expected UTF-8", at: 0)
        }
    }

    /// Reads a value, or the beginning of a container up to its first value; true: it is whole.
    private mutating func value() throws(JSONError) -> Bool {
        guard lexer.position < bytes.count else {
            throw JSONError("document ends where a value is expected", at: lexer.position)
        }
        guard tape.count < limits.nodes else {
            throw JSONError("more than \(limits.nodes) values", at: lexer.position)
        }
        switch bytes[lexer.position] {
        case UInt8(ascii: "\""): append(try lexer.string(index: tape.count))
        case UInt8(ascii: "{"): return try begin(isObject: true)
        case UInt8(ascii: "["): return try begin(isObject: false)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            append(try lexer.number(index: tape.count))
        case UInt8(ascii: "t"): append(try lexer.word("true", .bool, index: tape.count))
        case UInt8(ascii: "f"): append(try lexer.word("false", .bool, index: tape.count))
        case UInt8(ascii: "n"): append(try lexer.word("null", .null, index: tape.count))
        default: throw JSONError("expected a value", at: lexer.position)
        }
        return true
    }

    private mutating func begin(isObject: Bool) throws(JSONError) -> Bool {
        guard open.count < limits.depth else {
            throw JSONError("nested deeper than \(limits.depth)", at: lexer.position)
        }
        let index = tape.count
        tape.append(
            TapeNode(
                isObject ? .object : .array, start: lexer.position, end: lexer.position,
                index: index))
        lexer.position += 1
        lexer.skipSpace()
        if lexer.position < bytes.count, bytes[lexer.position] == closing(isObject) {
            lexer.position += 1
            tape[index].end = UInt32(truncatingIfNeeded: lexer.position)
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
            lexer.skipSpace()
            guard lexer.position < bytes.count else {
                throw JSONError(
                    "document ends inside \(isObject ? "an object" : "an array")",
                    at: lexer.position)
            }
            let byte = bytes[lexer.position]
            if byte == UInt8(ascii: ",") {
                lexer.position += 1
                lexer.skipSpace()
                if isObject { try name() }
                return
            }
            guard byte == closing(isObject) else {
                throw JSONError("expected ',' or '\(isObject ? "}" : "]")'", at: lexer.position)
            }
            lexer.position += 1
            try close(open.removeLast())
        }
    }

    private mutating func close(_ container: Open) throws(JSONError) {
        guard container.count <= TapeNode.countMax else {
            throw JSONError(
                "more than \(TapeNode.countMax) values in a container", at: lexer.position)
        }
        tape[container.index].end = UInt32(truncatingIfNeeded: lexer.position)
        tape[container.index].next = UInt32(truncatingIfNeeded: tape.count)
        tape[container.index].count = container.count
    }

    /// A member's name and its colon, up to the value.
    private mutating func name() throws(JSONError) {
        guard lexer.position < bytes.count, bytes[lexer.position] == UInt8(ascii: "\"") else {
            throw JSONError("expected a member's name in quotes", at: lexer.position)
        }
        append(try lexer.string(index: tape.count))
        lexer.skipSpace()
        guard lexer.position < bytes.count, bytes[lexer.position] == UInt8(ascii: ":") else {
            throw JSONError("expected ':'", at: lexer.position)
        }
        lexer.position += 1
        lexer.skipSpace()
    }

    /// Appends a value; one that PostgreSQL refuses marks every container around it, too.
    private mutating func append(_ node: TapeNode) {
        tape.append(node)
        guard node.isUnstorable else { return }
        for container in open { tape[container.index].isUnstorable = true }
    }

    private func closing(_ isObject: Bool) -> UInt8 {
        isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }
}
