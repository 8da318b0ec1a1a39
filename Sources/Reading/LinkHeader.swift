/// `Link: <…>; rel="next"` (RFC 8288).
public enum LinkHeader {
    /// The target of the first link whose relations include `next`.
    ///
    /// A value that is not as the RFC has it counts up to where it breaks off.
    public static func next(_ values: [String]) -> String? { nextLink(values)?.target }

    static func nextLink(_ values: [String]) -> Link? {
        for value in values {
            var scanner = LinkScanner(value)
            while let link = scanner.link() {
                if link.relations.contains("next") { return link }
            }
        }
        return nil
    }
}

/// One link of the header.
struct Link: Equatable {
    /// The address as it is written.
    var target: String
    /// In lower case, of its first `rel`.
    var relations: [String]
    /// The first value of each parameter, by its name in lower case.
    var parameters: [String: String]
}

/// Reads links from the front of a header's value, byte by byte: beside a combining mark a bracket is no Character.
private struct LinkScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    mutating func link() -> Link? {
        skip { $0 == UInt8(ascii: ",") || isBlank($0) }
        guard take("<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let target = text(rest[..<end])
        rest = rest[(end + 1)...]
        var parameters: [String: String] = [:]
        skip(isBlank)
        while take(";") {
            skip(isBlank)
            let name = word().lowercased()
            let value = takeValue()
            // Only the first `rel` of a link counts.
            if parameters[name] == nil { parameters[name] = value }
            skip(isBlank)
        }
        let relations = (parameters["rel"] ?? "").lowercased().utf8.split(whereSeparator: isBlank)
        return Link(
            target: target, relations: relations.map { String(Substring($0)) },
            parameters: parameters)
    }

    private mutating func takeValue() -> String {
        skip(isBlank)
        guard take("=") else { return "" }
        skip(isBlank)
        return take("\"") ? quotedText() : word()
    }

    /// Up to the closing quote; a backslash stands before what is meant as it is.
    private mutating func quotedText() -> String {
        var quoted: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte != UInt8(ascii: "\\") {
                quoted.append(byte)
            } else if let meant = rest.popFirst() {
                quoted.append(meant)
            }
        }
        return text(quoted[...])
    }

    private mutating func word() -> String {
        let word = rest.prefix { !"=;,".utf8.contains($0) && !isBlank($0) }
        rest = rest[word.endIndex...]
        return text(word)
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }
