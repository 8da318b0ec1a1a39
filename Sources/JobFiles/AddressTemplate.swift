import Basics
import JSON

/// The address of a source or a token endpoint, with `{user.x}` in its host or its path.
///
/// It is cut before anything is filled in, so that no value can move a border: what stands for labels of the host never
/// reaches the path, the port or the scheme.
struct AddressTemplate {
    /// `https://` or `http://`.
    let scheme: String
    let host: Template
    /// `:8443`, or empty.
    let port: String
    /// Empty, or from the slash on.
    let path: Template

    /// Nil for an address without a placeholder, and for one that `problem(inTemplate:)` tells of.
    init?(_ text: String) {
        guard text.contains("{"), let parts = Self.split(text),
            let host = try? Template(parsing: parts.host),
            let path = try? Template(parsing: parts.path)
        else { return nil }
        scheme = parts.scheme
        port = parts.port
        self.host = host
        self.path = path
    }

    fileprivate static func split(
        _ text: String
    ) -> (scheme: String, host: String, port: String, path: String)? {
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else {
            return nil
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        var host = authority.prefix { $0 != ":" }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[...end]
        }
        return (
            scheme, String(host), String(authority.dropFirst(host.count)),
            String(rest.dropFirst(authority.count))
        )
    }

    /// The attributes that users choose the host by.
    var hostAttributes: [String] { host.placeholders.compactMap(\.attribute) }

    /// All attributes that stand in it.
    var attributes: [String] { hostAttributes + path.placeholders.compactMap(\.attribute) }

    /// Its host can only be this machine.
    func isOwn(_ hosts: [String]) -> Bool {
        if hostAttributes.isEmpty {
            let text = host.filled { (_: String) -> String? in nil }
            return text == "[::1]" || HostName(text)?.isOwn ?? false
        }
        return hosts.allSatisfy { entry in
            HostPattern(entry).map { !$0.isWild && $0.name?.isOwn ?? false } ?? false
        }
    }
}

extension Source {
    /// Whether a request may go to an address without placeholders: over https, to this machine, or where the file says
    /// that others may read it.
    public func maySend(to address: String) -> Bool {
        if address.hasPrefix("https://") { return true }
        guard let parts = AddressTemplate.split(address) else { return false }
        return isInsecure || parts.host == "[::1]"
            || HostName(parts.host)?.isOwn ?? false
    }
}

/// An address that has its values.
struct RenderedAddress {
    var text: String
    /// In lower case; nil where the file names it.
    var chosenHost: String?
    /// Nothing but a pattern allows the host, so that it must be public.
    var isPublicOnly = false
}

extension AddressTemplate {
    /// Fills in a user's attributes; the host must be one that `hosts` allow.
    func rendered(
        with attributes: JSONValue, hosts: [String]
    ) throws(InputProblem) -> RenderedAddress {
        let path = try renderedPath(with: attributes)
        let host = try renderedHost(with: attributes)
        var address = RenderedAddress(text: scheme + host + port + path)
        guard !hostAttributes.isEmpty else { return address }
        let name = HostName(host)
        let allowing = hosts.compactMap { HostPattern($0) }.filter { pattern in
            name.map(pattern.allows) ?? false
        }
        guard !allowing.isEmpty else {
            let names = hostAttributes.map { "'\($0)'" }.joined(separator: ", ")
            throw InputProblem(
                message:
                    "user attribute \(names) leads to host \"\(excerpt(of: host))\", which source.hosts does not allow"
            )
        }
        address.chosenHost = host.lowercased()
        address.isPublicOnly = allowing.allSatisfy(\.isWild)
        return address
    }

    /// Whole segments of printable ASCII alone: what would have to be encoded is refused, and never taken for a border.
    func renderedPath(with attributes: JSONValue) throws(InputProblem) -> String {
        try path.filled { (name: String) throws(InputProblem) -> String? in
            let text = try value(of: name, in: attributes)
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ isPathSegment($0) }) else {
                throw InputProblem(
                    message:
                        "user attribute '\(name)' is \"\(excerpt(of: text))\", which is no part of an address's path"
                )
            }
            return text
        }
    }

    private func renderedHost(with attributes: JSONValue) throws(InputProblem) -> String {
        try host.filled { (name: String) throws(InputProblem) -> String? in
            let text = try value(of: name, in: attributes)
            guard HostName(text) != nil else {
                throw InputProblem(
                    message:
                        "user attribute '\(name)' is \"\(excerpt(of: text))\", which is no part of a host's name"
                )
            }
            return text.lowercased()
        }
    }

    private func value(
        of name: String, in attributes: JSONValue
    ) throws(InputProblem) -> String {
        let found = attributes[name]
        guard let text = found?.string ?? found?.numberText, !text.isEmpty else {
            throw InputProblem(message: "user attribute '\(name)' is not set")
        }
        return text
    }
}

extension Template {
    /// Its text with a value for each attribute.
    fileprivate func filled<Failure: Error>(
        _ value: (String) throws(Failure) -> String?
    ) throws(Failure) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder):
                if let name = placeholder.attribute { text += try value(name) ?? "" }
            }
        }
        return text
    }
}

/// Says what makes a text with placeholders no address; nil when it is one.
///
/// Placeholders of the file's vocabulary are known to be `{user.x}` alone by then.
func problem(inTemplate text: String) -> String? {
    guard let template = try? Template(parsing: text) else { return "it is no template" }
    let plain = template.pieces.map { piece in
        if case .literal(let literal) = piece { literal } else { "x" }
    }
    if let problem = problem(inBase: plain.joined()) { return problem }
    guard let address = AddressTemplate(text) else {
        return "a placeholder stands in the host or the path"
    }
    if address.port.contains("{") { return "a port holds no placeholder" }
    if !address.host.placeholdersStandAlone(between: ".") {
        return "a placeholder of the host stands for whole labels, between dots"
    }
    if !address.path.placeholdersStandAlone(between: "/") {
        return "a placeholder of the path stands for whole segments, between slashes"
    }
    return nil
}

extension Template {
    fileprivate func placeholdersStandAlone(between border: Character) -> Bool {
        pieces.indices.allSatisfy { index in
            guard case .placeholder = pieces[index] else { return true }
            let before = index > 0 ? pieces[index - 1].literalText : String(border)
            let after =
                index + 1 < pieces.count ? pieces[index + 1].literalText : String(border)
            return before?.last == border && after?.first == border
        }
    }
}

extension Template.Piece {
    fileprivate var literalText: String? { if case .literal(let text) = self { text } else { nil } }
}
