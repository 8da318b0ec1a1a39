import Basics

/// A host by its name: labels of letters, digits and `-` in lower case, with dots between (RFC 1123).
///
/// Nothing else is one: no port, no user, no dot at an end, no escape, no letter beyond ASCII.
struct HostName: Equatable {
    let labels: [Substring]

    init?(_ text: String) {
        guard text.utf8.count <= 253 else { return nil }
        labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isHostLabel) else { return nil }
    }

    var text: String { labels.joined(separator: ".") }

    /// Readers of URLs take a host for an IPv4 address, in whatever notation, where its last label begins with a digit.
    var isAddress: Bool { labels.last?.utf8.first.map(isDigit) ?? false }

    /// The name can lead to no other machine.
    var isOwn: Bool {
        labels.last == "localhost"
            || labels.count == 4 && labels.first == "127"
                && labels.allSatisfy { $0.utf8.allSatisfy(isDigit) }
    }
}

/// What users may choose of a host: a name, or `*` in front of one for any labels.
struct HostPattern {
    /// `*` stands in front.
    let isWild: Bool
    /// What stands by itself or after the star; nil for `*` alone.
    let name: HostName?

    init?(_ text: String) {
        isWild = text == "*" || text.hasPrefix("*.")
        let rest = isWild ? String(text.dropFirst(2)) : text
        name = rest.isEmpty ? nil : HostName(rest)
        guard rest == rest.lowercased(), name != nil || text == "*" else { return nil }
        guard !isWild || name?.isAddress != true else { return nil }
    }

    /// A star never stands for an address, nor for a name without a dot, which is of somebody's own network.
    func allows(_ host: HostName) -> Bool {
        guard isWild else { return host == name }
        guard !host.isAddress, host.labels.count > 1 else { return false }
        guard let name else { return true }
        return host.labels.count > name.labels.count
            && host.labels.suffix(name.labels.count) == name.labels[...]
    }
}

/// Letters, digits and `-` within, 63 at most; the letters in lower case.
func isHostLabel(_ text: some StringProtocol) -> Bool {
    (1...63).contains(text.utf8.count)
        && text.utf8.allSatisfy { isLowercase($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        && !text.hasPrefix("-") && !text.hasSuffix("-")
}

/// What may stand between two slashes and mean nothing else: printable ASCII that no reader of URLs takes for more.
func isPathSegment(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text != "." && text != ".." && text.holdsOnly("-._~!$&'()*+,;=:@")
}
