import Basics
import JSON
import JobQueue
import Secrets

/// One user of an import file: a key, or a JSON object with `key`, `attributes` and `secrets`.
struct ImportLine {
    /// Why a line is none, in words that hold nothing of its values.
    struct Mistake: Error {
        var words: String

        init(_ words: String) { self.words = words }
    }

    private static let known = ["key", "attributes", "secrets"]

    let key: String
    /// A JSON object.
    private(set) var attributes = "{}"
    private(set) var secrets: [(name: String, value: SecretValue)] = []

    /// Reads a line that is not empty.
    init(_ line: String) throws(Mistake) {
        guard line.hasPrefix("{") else {
            key = line
            return
        }
        guard let root = (try? JSONDocument(parsing: Array(line.utf8)))?.root else {
            throw Mistake(
                #"expected a key, or {"key": "ann", "attributes": {"region": "eu"}}"#)
        }
        var members: [String: JSONNode] = [:]
        for (name, value) in root.members {
            let word = name.string ?? ""
            guard Self.known.contains(word) else {
                throw Mistake(
                    "unknown member \(quoted(word)), expected \(choices(Self.known))"
                        + hint(for: word, among: Self.known))
            }
            guard members.updateValue(value, forKey: word) == nil else {
                throw Mistake("member \(quoted(word)) is there twice")
            }
        }
        guard let key = members["key"]?.string else {
            throw Mistake(
                #"expected a key, or {"key": "ann", "attributes": {"region": "eu"}}"#)
        }
        self.key = key
        if let node = members["attributes"] { attributes = try Self.attributes(node) }
        if let node = members["secrets"] { secrets = try Self.secrets(node) }
    }

    private static func attributes(_ node: JSONNode) throws(Mistake) -> String {
        guard let value = node.value, case .object = value else {
            throw Mistake(#"expected "attributes" to be an object such as {"region": "eu"}"#)
        }
        return value.text
    }

    private static func secrets(
        _ node: JSONNode
    ) throws(Mistake) -> [(name: String, value: SecretValue)] {
        guard node.kind == .object else {
            throw Mistake(#"expected "secrets" to be an object such as {"refresh_token": "…"}"#)
        }
        var secrets: [(name: String, value: SecretValue)] = []
        for (nameNode, valueNode) in node.members {
            let name = nameNode.string ?? ""
            guard isSecretName(name) else {
                throw Mistake(
                    "a secret's name is 1 to 63 of a-z, 0-9 and _, and doesn't begin with a digit")
            }
            guard !secrets.contains(where: { $0.name == name }) else {
                throw Mistake("secret \(quoted(name)) is there twice")
            }
            guard let value = valueNode.string else {
                throw Mistake("secret \(quoted(name)) is no text")
            }
            if let fault = CredentialForm.text.fault(of: value.utf8) {
                throw Mistake("secret \(quoted(name)) \(fault)")
            }
            secrets.append((name: name, value: SecretValue(Array(value.utf8))))
        }
        return secrets
    }

    private static func isSecretName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 63 else { return false }
        let isLetter = { (byte: UInt8) in 0x61...0x7a ~= byte || byte == UInt8(ascii: "_") }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 }
    }
}
