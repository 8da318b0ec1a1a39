import Basics
import JSON

/// An attribute of the user that a file declares: what its value must be, and what holds without one.
public struct Input: Sendable, Equatable {
    /// What a value is.
    public enum Kind: String, Sendable, CaseIterable { case text, int, timestamp }

    /// What a text must look like.
    public enum Shape: String, Sendable, CaseIterable {
        /// A host's name between two dots.
        case hostLabel = "host_label"
        /// One or more of them.
        case hostName = "host_name"
        /// What stands between two slashes of a path.
        case pathSegment = "path_segment"
        case uuid
    }

    /// The name of the attribute.
    public var name: String
    /// What a value is.
    public var kind = Kind.text
    /// What a text must look like; nil means anything.
    public var shape: Shape? = nil
    /// What a user without the attribute is taken to have; nil means that the run is skipped.
    public var standard: String? = nil
    /// What a user's value stands for; empty: itself.
    public var map: [Meaning] = []
    /// The values that there are; empty: any.
    public var choices: [String] = []

    /// What a user's value stands for.
    public struct Meaning: Sendable, Equatable {
        /// The attribute's value.
        public var value: String
        /// What takes its place.
        public var meaning: String
    }
}

/// Why an attribute of the user is of no use to a file: one line, after which the run is skipped.
public struct InputProblem: Error, Sendable, Equatable {
    /// Names the attribute.
    public let message: String
}

extension Input {
    /// What the attribute is for the run; nil where the user has none and the file names no other.
    ///
    /// Throws for a value that the file does not take: nothing is guessed.
    func resolved(_ value: JSONValue?) throws(InputProblem) -> JSONValue? {
        guard let value, value != .null, value != .string("") else {
            guard let standard else { return nil }
            return try taken(standard)
        }
        guard let text = value.string ?? value.numberText ?? value.bool.map({ "\($0)" }) else {
            throw InputProblem(message: "\(label) is a list or an object, expected one value")
        }
        let taken = try taken(text)
        return map.isEmpty ? value : taken
    }

    private func taken(_ text: String) throws(InputProblem) -> JSONValue {
        if let problem = problem(with: text) {
            throw InputProblem(message: "\(label) is \(problem)")
        }
        let meaning = map.first { $0.value == text }?.meaning ?? text
        return kind == .int ? .number(meaning) : .string(meaning)
    }

    private var label: String { "user attribute '\(name)'" }

    /// What is wrong with a value, as what it is instead; nil when it will do.
    func problem(with text: String) -> String? {
        let known = map.isEmpty ? choices : map.map(\.value)
        if !known.isEmpty, !known.contains(text) {
            return "\"\(excerpt(of: text))\", expected \(oneOf(known))"
        }
        let expected: String? =
            switch kind {
            case .int: Int64(text).map { "\($0)" } == text ? nil : "a whole number"
            case .timestamp: isTimestamp(text) ? nil : "a time such as 2025-01-31T00:00:00Z"
            case .text: shape.flatMap { $0.fits(text) ? nil : $0.words }
            }
        return expected.map { "\"\(excerpt(of: text))\", expected \($0)" }
    }

    /// Every value that the attribute can stand for; nil where they are not listed.
    var allValues: [String]? {
        if !map.isEmpty { return map.map(\.meaning) }
        return choices.isEmpty ? nil : choices
    }

    private func oneOf(_ words: [String]) -> String {
        let shown = words.prefix(20).joined(separator: ", ")
        return words.count == 1 ? shown : "one of \(shown)\(words.count > 20 ? ", …" : "")"
    }
}

extension Input.Shape {
    func fits(_ text: String) -> Bool {
        switch self {
        case .hostLabel: isHostLabel(text.lowercased())
        case .hostName: HostName(text) != nil
        case .pathSegment: isPathSegment(text)
        case .uuid: isUUID(text)
        }
    }

    var words: String {
        switch self {
        case .hostLabel: "a label of a host: letters, digits and - without a dot"
        case .hostName: "labels of a host: letters, digits and -, with dots between"
        case .pathSegment: "a segment of a path, without / and white space"
        case .uuid: "a UUID"
        }
    }
}

private func isUUID(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
        && parts.allSatisfy { $0.utf8.allSatisfy { isDigit($0) || (97...102).contains($0 | 0x20) } }
}
