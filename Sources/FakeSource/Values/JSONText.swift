/// JSON being written, byte by byte; the caller keeps the grammar.
struct JSONText {
    var bytes: [UInt8] = []

    init(reserving capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 16 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// `"name":`, with a comma before it unless it opens an object.
    mutating func key(_ name: String) {
        if let last = bytes.last, last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func field(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func field(_ name: String, _ value: Int) {
        key(name)
        raw(String(value))
    }

    mutating func field(_ name: String, _ value: Bool) {
        key(name)
        raw(value ? "true" : "false")
    }

    /// `"name":[…]`, each item written by `body`.
    mutating func array<Items: Sequence>(
        _ name: String, of items: Items, _ body: (Items.Element, inout JSONText) -> Void
    ) {
        key(name)
        array(of: items, body)
    }

    mutating func array<Items: Sequence>(
        of items: Items, _ body: (Items.Element, inout JSONText) -> Void
    ) {
        raw("[")
        var first = true
        for item in items {
            if !first { raw(",") }
            first = false
            body(item, &self)
        }
        raw("]")
    }

    static func object(_ body: (inout JSONText) -> Void) -> [UInt8] {
        var text = JSONText()
        text.raw("{")
        body(&text)
        text.raw("}")
        return text.bytes
    }
}
