/// Refuses what would reach the wire as something other than the caller meant.
func check(_ request: HTTPRequest) throws(HTTPError) {
    guard isToken(request.method) else { throw .invalidRequest("the method is not a word") }
    guard Origin(url: request.url) != nil else {
        throw .invalidRequest("the URL is not an absolute http or https URL in ASCII")
    }
    for header in request.headers {
        guard isToken(header.name) else {
            throw .invalidRequest("a header's name is not a word")
        }
        guard !framing.contains(header.name.lowercased()) else {
            throw .invalidRequest("the client sets header \(header.name) itself")
        }
        guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
            throw .invalidRequest("header \(header.name) has a control character in its value")
        }
    }
}

/// Headers that decide where a message goes, where it ends and how it is encoded.
private let framing: Set<String> = [
    "accept-encoding", "connection", "content-length", "expect", "host", "te", "trailer",
    "transfer-encoding", "upgrade",
]

private func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy {
            isLetter($0) || isDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
}
