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

/// Reads links from the front of a header's value.
private struct LinkScanner {
    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
    }

    mutating func link() -> Link? {
        skip { $0 == "," || isBlank($0) }
        guard take("<"), let end = rest.firstIndex(of: ">") else { return nil }
        let target = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
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
        let relations = (parameters["rel"] ?? "").lowercased().split(whereSeparator: isBlank)
        return Link(
            target: target, relations: relations.map(String.init), parameters: parameters)
    }

    private mutating func takeValue() -> String {
        skip(isBlank)
        guard take("=") else { return "" }
        skip(isBlank)
        return take("\"") ? quotedText() : word()
    }

    /// Up to the closing quote; a backslash stands before what is meant as it is.
    private mutating func quotedText() -> String {
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            if character != "\\" {
                text.append(character)
            } else if let meant = rest.popFirst() {
                text.append(meant)
            }
        }
        return text
    }

    private mutating func word() -> String {
        let word = rest.prefix { !"=;,".contains($0) && !isBlank($0) }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func take(_ mark: Character) -> Bool {
        guard rest.first == mark else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skip(_ isSkipped: (Character) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }
}

private func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
