public import JSON
public import JobFiles

extension Records {
    /// The list that the lines of a body are.
    ///
    /// Blank lines are none. Throws where a line is no JSON value.
    public func list(ofLines body: [UInt8]) throws -> JSONDocument {
        var list: [UInt8] = [UInt8(ascii: "[")]
        list.reserveCapacity(body.count + 2)
        for line in body.split(separator: UInt8(ascii: "\n")) {
            guard !line.allSatisfy(Self.isBlank) else { continue }
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += line
        }
        list.append(UInt8(ascii: "]"))
        return try JSONDocument(parsing: list)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
