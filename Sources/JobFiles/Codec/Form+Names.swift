import Basics

// Names and addresses, each with what a mistake in one is told by.

extension Form where Value == String {
    /// A text that is right by this; else a mistake says what it is not.
    private static func text(
        _ form: TextForm, _ complaint: String, _ isRight: @escaping @Sendable (String) -> Bool
    ) -> Form {
        text(form) { node, reading in
            guard let text = reading.text(node) else { return nil }
            if isRight(text) { return text }
            reading.add(node, "\(node.words) is no \(complaint)")
            return nil
        }
    }

    /// Of a job: two words with a dot between.
    static let jobName = text(.jobName, "job name, expected two words such as app.refresh") {
        let words = $0.split(separator: ".", omittingEmptySubsequences: false)
        return words.count == 2 && words.allSatisfy { isNameText(String($0)) }
    }

    /// Of an entity of another job: three words with dots between.
    static let entityName = text(
        .entityName, "entity of a job, expected three words such as app.refresh.item"
    ) {
        let words = $0.split(separator: ".", omittingEmptySubsequences: false)
        return words.count == 3 && words.allSatisfy { isNameText(String($0)) }
    }

    /// Under which sources share budget and breaker.
    static let sourceID = text(.sourceID, "source id, expected one of a-z, 0-9, _ and -") {
        !$0.hasPrefix("-") && isNameText(String($0.map { $0 == "-" ? "_" : $0 }))
    }

    /// Of a CloudKit container.
    static let container = text(
        .container, "container, expected one such as iCloud.com.example.app"
    ) {
        let name = $0.dropFirst("iCloud.".count)
        return $0.hasPrefix("iCloud.") && !name.isEmpty && name.holdsOnly("-.")
    }

    /// Of a zone that the application made.
    static let zone = text(.zone, "name of a custom zone") {
        (1...255).contains($0.utf8.count) && !$0.hasPrefix("_") && $0.holdsOnly("-._")
    }

    /// Of a header field of an answer.
    static let headerName = text(.headerName, "name of a header field", isToken)

    /// Of a header field that is ours to set.
    static let ownHeaderName = text(.ownHeaderName) { node, reading in
        guard let text = reading.text(node) else { return nil }
        return reading.headerName(text, at: node.position, node.path) ? text : nil
    }

    /// Of a record type, an entity or a field at the source.
    static func sourceName(_ noun: String) -> Form {
        text(.sourceName) { node, reading in
            reading.text(node).flatMap {
                reading.isSourceName($0, noun, at: node.position, node.path) ? $0 : nil
            }
        }
    }

    /// A text with something in it.
    static func notEmpty(_ complaint: String) -> Form {
        text(.notEmpty) { node, reading in
            guard let text = reading.text(node) else { return nil }
            if text.isEmpty { reading.add(node, complaint) }
            return text
        }
    }

    /// The address of a source.
    static let base = text(.baseURL) { node, reading in
        guard let text = reading.text(node) else { return nil }
        guard reading.holdsOnlyAttributes(text, at: node) else { return nil }
        guard let problem = problem(inAddress: text) else { return text }
        reading.add(node, "\(problem); expected http(s)://host[:port][/prefix]")
        return nil
    }

    /// What users may choose of a host.
    static let hostPattern = text(
        .hostPattern, "host, expected one such as api.example.com or *.example.com"
    ) { HostPattern($0) != nil }

    /// Of a list that the file defines.
    static let list = declared { $0.isList($1, at: $2) }

    /// Of a call that the file defines.
    static let call = declared { $0.isCall($1, at: $2) }

    private static func declared(
        _ isDeclared: @escaping @Sendable (NodeReading, String, Node) -> Bool
    ) -> Form {
        text(.name) { node, reading in
            reading.text(node).flatMap { isDeclared(reading, $0, node) ? $0 : nil }
        }
    }
}

extension NodeReading {
    func isSourceName(
        _ text: String, _ noun: String, at position: Position, _ path: String
    ) -> Bool {
        if text.holdsOnly("_"), (1...255).contains(text.utf8.count),
            text.utf8.first.map(isDigit) != true
        {
            return true
        }
        add(
            position, path,
            "\"\(excerpt(of: text))\" is no \(noun), expected letters, digits and _ only")
        return false
    }
}

extension StringProtocol {
    /// Letters, digits and these others alone, of ASCII.
    func holdsOnly(_ others: String) -> Bool {
        utf8.allSatisfy { isLowercase($0 | 0x20) || isDigit($0) || others.utf8.contains($0) }
    }
}

extension NodeReading {
    /// Reports placeholders that an address can't hold.
    func holdsOnlyAttributes(_ text: String, at node: Node) -> Bool {
        !text.contains("{") || template(node, []) != nil
    }
}

/// Says what makes a text no address, with or without placeholders; nil when it is one.
func problem(inAddress text: String) -> String? {
    text.contains("{") ? problem(inTemplate: text) : problem(inBase: text)
}

/// Says what makes a text no address; nil when it is one.
func problem(inBase text: String) -> String? {
    guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else {
        return "\"\(excerpt(of: text))\" is no http or https URL"
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    if rest.contains("{") { return "a base holds no braces" }
    if rest.contains("?") { return "a base has no query" }
    if rest.contains("#") { return "a base has no fragment" }
    if authority.contains("@") { return "a base holds no user or password" }
    if rest.hasSuffix("/") { return "a base has no trailing slash" }
    let isRight = rest.holdsOnly("-._~!$&'()*+,;=:@%/[]") && isAuthority(authority)
    return isRight ? nil : "\"\(excerpt(of: text))\" is no URL"
}

private func isAuthority(_ text: Substring) -> Bool {
    var host = text.prefix { $0 != ":" }
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
        host = text[...end]
    } else if !host.holdsOnly("-._") {
        return false
    }
    let port = text.dropFirst(host.count)
    return !host.isEmpty
        && (port.isEmpty
            || port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy(isDigit)
                && (1...65_535).contains(Int(port.dropFirst()) ?? 0))
}
