extension Origin {
    /// Takes the origin of an absolute http(s) URL; nil for anything else, such as a URL with a
    /// user name, a blank, a control character or a letter beyond ASCII.
    public init?(url: String) {
        guard let parts = URLParts(absolute: url) else { return nil }
        self = parts.origin
    }

    /// Resolves a reference, as `Location` and next-page links hold it, to an absolute URL.
    ///
    /// Follows RFC 3986; nil when the result is not http(s). Blanks and letters beyond ASCII are
    /// percent-encoded, a fragment is dropped.
    public static func resolve(_ reference: String, against base: String) -> String? {
        guard var parts = URLParts(absolute: base) else { return nil }
        let text = percentEncode(reference) { (0x21...0x7e).contains($0) || isControl($0) }
        guard !text.utf8.contains(where: isControl) else { return nil }
        if hasScheme(text) {
            guard let absolute = URLParts(absolute: text) else { return nil }
            parts = absolute
        } else if text.hasPrefix("//") {
            guard let absolute = URLParts(absolute: parts.origin.scheme + ":" + text) else {
                return nil
            }
            parts = absolute
        } else {
            let (path, query) = URLParts.split(pathAndQuery: text[...])
            if !path.isEmpty {
                parts.path = path.hasPrefix("/") ? path : merge(path, into: parts.path)
                parts.query = query
            } else if query != nil {
                parts.query = query
            }
        }
        parts.path = removeDotSegments(parts.path)
        return parts.text
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let end = text.firstIndex(where: { ":/?#".contains($0) }), text[end] == ":" else {
            return false
        }
        return text.utf8.first.map(isLetter) ?? false
    }

    private static func merge(_ path: Substring, into base: Substring) -> Substring {
        guard let slash = base.lastIndex(of: "/") else { return "/" + path }
        return base[...slash] + path
    }

    private static func removeDotSegments(_ path: Substring) -> Substring {
        guard path.hasPrefix("/") else { return path }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }
