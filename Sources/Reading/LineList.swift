public import JSON
public import JobFiles

extension Records {
    /// The list that the lines of a body are.
    ///
    /// Blank lines are none. Throws where a line is not one JSON value.
    public func list(ofLines body: [UInt8]) throws -> JSONDocument {
        var list: [UInt8] = [UInt8(ascii: "[")]
        list.reserveCapacity(body.count + 2)
        var ends: [Int] = []
        let mark = body.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        for line in body.dropFirst(mark).split(separator: UInt8(ascii: "\n")) {
            guard !line.allSatisfy(Self.isBlank) else { continue }
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += line
            ends.append(list.count)
        }
        list.append(UInt8(ascii: "]"))
        let document = try JSONDocument(parsing: list)
        try Self.check(document.root, ends)
        return document
    }

    /// Throws unless each value ends in a line of its own: one that goes on over lines, or shares one, is a list too.
    private static func check(_ list: JSONNode, _ ends: [Int]) throws(JSONError) {
        var start = 0
        var lines = ends.makeIterator()
        for value in list.elements {
            let end = lines.next() ?? 0
            guard value.rawBytes.startIndex >= start, value.rawBytes.endIndex <= end else {
                throw JSONError("expected one value a line", at: value.rawBytes.startIndex)
            }
            start = end
        }
        guard list.count == ends.count else {
            throw JSONError("expected one value a line", at: start)
        }
    }

    /// May stand before the first line, as before a page that is one value.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
