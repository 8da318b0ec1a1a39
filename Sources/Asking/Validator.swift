import Basics
import HTTP

// What a conditional request sends back.
extension Answer {
    /// `ETag`, `Last-Modified` and the address they belong to, one a line; nil when the answer has
    /// neither.
    public var validator: String? {
        let tag = sendable(response.header("ETag"))
        let date = sendable(response.header("Last-Modified"))
        guard !tag.isEmpty || !date.isEmpty else { return nil }
        return "\(tag)\n\(date)\n\(addressHash(url))"
    }

    /// Stands for the body, the address and the header field that says where the list goes on.
    ///
    /// By it an answer is known again whose source names no version of it; it is never sent. `positionHeader` nil means
    /// that no header field says where the list goes on.
    public func likeness(positionHeader: String?) -> String {
        let position = (positionHeader.map(response.allValues) ?? []).joined(separator: "\n")
        let parts = [Hex.encode(blake2b(response.body)), addressHash(url), stableHash(position)]
        return "like " + parts.joined(separator: " ")
    }
}

/// The header fields for a stored validator, if it belongs to this very address.
func conditions(_ validator: String?, url: String) -> [HTTPHeader] {
    let lines = (validator ?? "").unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    guard lines.count == 3, lines[2] == addressHash(url) else { return [] }
    return [("If-None-Match", lines[0]), ("If-Modified-Since", lines[1])].compactMap { name, line in
        let value = sendable(line)
        return value.isEmpty ? nil : HTTPHeader(name, value)
    }
}

/// A validator as it may be sent back; empty, as if there were none, where a control character or its
/// length would have the next request refused.
private func sendable(_ value: String?) -> String {
    guard let value, value.utf8.count <= 4 << 10,
        value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return "" }
    return value
}

/// Stands for an address, which may hold a sign-in and is not stored.
private func addressHash(_ url: String) -> String { stableHash(url) }
