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
        guard let colon = url.firstIndex(of: ":") else { return nil }
        let rest = url[url.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let tail = rest.dropFirst(2)
        let authorityEnd = tail.firstIndex { "/?#".contains($0) } ?? tail.endIndex
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
        let text = text.prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
        return (text[..<mark], text[text.index(after: mark)...])
    }
}
