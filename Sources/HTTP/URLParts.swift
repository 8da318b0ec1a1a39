/// A URL cut into what requests and references need; the fragment is dropped.
struct URLParts {
    var origin: Origin
    /// Empty or starting with `/`.
    var path: Substring
    /// Without its `?`; nil when there is none.
    var query: Substring?

    /// Cuts an absolute URL; nil when it is not plain ASCII http(s) without a user name.
    init?(absolute url: String) {
        guard url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        // By bytes, for characters of ASCII are bytes.
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = url[url.utf8.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let tail = rest.dropFirst(2)
        let authorityEnd = tail.utf8.firstIndex { "/?#".utf8.contains($0) } ?? tail.endIndex
        guard let origin = Origin(scheme: url[..<colon], authority: tail[..<authorityEnd]) else {
            return nil
        }
        self.origin = origin
        (path, query) = Self.split(pathAndQuery: tail[authorityEnd...])
    }

    /// The URL's text; an empty path becomes `/`.
    var text: String {
        let start = "\(origin)\(path.isEmpty ? "/" : path)"
        return query.map { "\(start)?\($0)" } ?? start
    }

    static func split(pathAndQuery text: Substring) -> (path: Substring, query: Substring?) {
        let text = Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (text, nil) }
        return (text[..<mark], text[text.utf8.index(after: mark)...])
    }
}
