/// A place of this server: a path of ours and what its screen is to show.
///
/// A link leads nowhere else, since the path is a literal of the program and values are encoded.
public struct Place: Sendable, Equatable {
    /// The path, `/runs`.
    public let path: String
    /// What the screen is to show, in order; an empty value is left out.
    public var query: [(name: String, value: String)]

    /// A place; parameters without a value are left out.
    public init(_ path: StaticString, _ query: KeyValuePairs<String, String?> = [:]) {
        self.path = "\(path)"
        self.query = query.compactMap { parameter in
            guard let value = parameter.value, !value.isEmpty else { return nil }
            return (parameter.key, value)
        }
    }

    /// The screen of a place, whatever it shows.
    init(pathOf place: Place) {
        path = place.path
        query = []
    }

    /// A screen with what a request says it is to show.
    public init(_ screen: Screen, query: [(name: String, value: String)]) {
        path = screen.rawValue
        self.query = query.filter { !$0.value.isEmpty }
    }

    /// A place that a request names, for the way back to it; nil unless one of the screens is there.
    public init?(named text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first.map(String.init), Screen.paths.contains(path) else {
            return nil
        }
        self.path = path
        query = []
        for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = decoded(sides.dropFirst().first ?? "")
            else { return nil }
            query.append((name, value))
        }
    }

    /// Path and query as they stand in a link.
    public var text: String {
        guard !query.isEmpty else { return path }
        return path + "?"
            + query.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    /// The same place with another value of a parameter; nil takes it away.
    public func with(_ name: String, _ value: String?) -> Place {
        var place = self
        place.query.removeAll { $0.name == name }
        if let value, !value.isEmpty { place.query.append((name, value)) }
        return place
    }

    /// Two places are the same when their links are.
    public static func == (left: Place, right: Place) -> Bool { left.text == right.text }
}

private let unreserved = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
private let hexDigits = Array("0123456789ABCDEF")

private func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
        if unreserved.contains(byte) {
            result.unicodeScalars.append(UnicodeScalar(byte))
        } else {
            result += "%" + String([hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]])
        }
    }
    return result
}

private func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
            guard let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16), rest.count >= 2 else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}
