/// Reading and writing of a document whose shape is not known beforehand.
extension JSONValue {
    /// A member that is there and not null.
    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members[key], value != .null else {
            return nil
        }
        return value
    }

    var members: [String: JSONValue]? {
        if case .object(let members) = self { return members }
        return nil
    }

    var elements: [JSONValue]? {
        if case .array(let items) = self { return items }
        return nil
    }

    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var flag: Bool? {
        if case .bool(let flag) = self { return flag }
        return nil
    }

    var double: Double? {
        switch self {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    /// A number without a fraction.
    var whole: Int64? {
        switch self {
        case .number(let number): Int64(exactly: number)
        case .integer(let number): number
        default: nil
        }
    }

    /// The texts of a list; nil when it is no list of texts.
    var texts: [String]? {
        guard let elements else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }

    static func int(_ number: Int64) -> JSONValue {
        if let exact = Double(exactly: number) { return .number(exact) }
        return .integer(number)
    }

    /// Keys in order, so that equal documents have equal bytes.
    func write(into json: inout JSONText) {
        switch self {
        case .null: json.raw("null")
        case .bool(let flag): json.raw(flag ? "true" : "false")
        case .number(let number):
            json.raw(Int64(exactly: number).map { String($0) } ?? String(number))
        case .integer(let number): json.raw(String(number))
        case .string(let text): json.string(text)
        case .array(let items): json.array(of: items) { $0.write(into: &$1) }
        case .object(let members):
            json.raw("{")
            for key in members.keys.sorted() {
                json.key(key)
                members[key]?.write(into: &json)
            }
            json.raw("}")
        }
    }

    /// The document as text, keys in order.
    var canonical: String {
        var json = JSONText()
        write(into: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
