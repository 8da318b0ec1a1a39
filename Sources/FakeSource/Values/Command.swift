/// The body of a control command: an object whose keys are all known.
struct Command {
    private let members: [String: JSONValue]

    init(_ body: [UInt8], knows keys: [String]) throws(BadRequest) {
        try self.init(body.isEmpty ? .object([:]) : try JSONValue.parse(body), knows: keys)
    }

    init(_ value: JSONValue, knows keys: [String]) throws(BadRequest) {
        guard case .object(let members) = value else { throw BadRequest("expected an object") }
        if let unknown = members.keys.sorted().first(where: { !keys.contains($0) }) {
            throw BadRequest("unknown key '\(unknown)'; known: \(keys.joined(separator: ", "))")
        }
        self.members = members
    }

    func value(_ key: String) -> JSONValue? {
        if case .null? = members[key] { return nil }
        return members[key]
    }

    func string(_ key: String) throws(BadRequest) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else { throw BadRequest("'\(key)' must be text") }
        return text
    }

    func needed(_ key: String) throws(BadRequest) -> String {
        guard let text = try string(key) else { throw BadRequest("'\(key)' is missing") }
        return text
    }

    func int(_ key: String, in range: ClosedRange<Int>) throws(BadRequest) -> Int? {
        guard let value = value(key) else { return nil }
        guard case .number(let number) = value, let whole = Int(exactly: number),
            range.contains(whole)
        else {
            throw BadRequest(
                "'\(key)' must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    func double(_ key: String, in range: ClosedRange<Double>) throws(BadRequest) -> Double? {
        guard let value = value(key) else { return nil }
        guard case .number(let number) = value, range.contains(number) else {
            throw BadRequest(
                "'\(key)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool(_ key: String) throws(BadRequest) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let flag) = value else {
            throw BadRequest("'\(key)' must be true or false")
        }
        return flag
    }

    func time(_ key: String) throws(BadRequest) -> Milliseconds? {
        guard let text = try string(key) else { return nil }
        guard let time = parseISO8601(text) else {
            throw BadRequest("'\(key)' must be a time such as 2025-01-31T10:20:30Z")
        }
        return time
    }

    func strings(_ key: String) throws(BadRequest) -> [String]? {
        guard let value = value(key) else { return nil }
        guard case .array(let items) = value else { throw BadRequest("'\(key)' must be a list") }
        var texts: [String] = []
        for item in items {
            guard case .string(let text) = item else {
                throw BadRequest("'\(key)' must be a list of texts")
            }
            texts.append(text)
        }
        return texts
    }

    /// An object of texts, as pairs in key order.
    func pairs(_ key: String) throws(BadRequest) -> [(String, String)] {
        guard let value = value(key) else { return [] }
        guard case .object(let members) = value else {
            throw BadRequest("'\(key)' must be an object of texts")
        }
        var pairs: [(String, String)] = []
        for name in members.keys.sorted() {
            guard case .string(let text)? = members[name] else {
                throw BadRequest("'\(key).\(name)' must be text")
            }
            pairs.append((name, text))
        }
        return pairs
    }
}
