import JobFiles

extension Template {
    /// The address has this path, whatever stands for its placeholders, behind the prefix of `source.base`.
    ///
    /// What stands for a placeholder has no `/` of its own, since the values of a path are escaped.
    func isAsked(by url: String) -> Bool {
        let place = url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.prefix { $0 != "?" }
        let wanted = segments.dropFirst()
        let found = place.split(separator: "/", omittingEmptySubsequences: false)
        return found.count > wanted.count
            && zip(wanted, found.suffix(wanted.count)).allSatisfy { fits($0, $1) }
    }

    /// The segments of the path, each as the literals around its placeholders.
    private var segments: [[Substring]] {
        let mark: Character = "\u{0}"
        let text = pieces.map { piece in
            if case .literal(let text) = piece { text } else { String(mark) }
        }.joined()
        return text.split(separator: "/", omittingEmptySubsequences: false).map {
            $0.split(separator: mark, omittingEmptySubsequences: false)
        }
    }

    private func fits(_ literals: [Substring], _ segment: Substring) -> Bool {
        guard literals.count > 1 else { return literals.first ?? "" == segment }
        return segment.hasPrefix(literals[0]) && segment.hasSuffix(literals[literals.count - 1])
    }
}
