import HTTP
import JobFiles
import JSON

/// Finds in exchanges what signs requests and was not known beforehand: the tokens that a source, its login or its token
/// server has given.
struct GainedSecrets: Sendable {
    /// Answers whose token takes the place of another, or is about to.
    private static let tokenHeaders = [
        "x-apple-cloudkit-web-auth-token", "x-apple-cloudkit-session",
    ]
    /// Of a token server's answer and of what it is asked with.
    private static let tokenFields = ["access_token", "refresh_token", "id_token", "assertion"]

    private let parameters: Set<String>
    private let session: SessionSignIn.Sent?

    /// `parameters`: names of those in queries that sign in.
    init(_ file: JobFile, parameters: Set<String>) {
        self.parameters = parameters
        if case .session(let session) = file.source.auth {
            self.session = session.sent
        } else {
            session = nil
        }
    }

    /// The secrets of an exchange; `isForToken`: with a token server.
    func secrets(of request: HTTPRequest, _ response: HTTPResponse, isForToken: Bool) -> [[UInt8]] {
        let given = response.headers.filter { Self.tokenHeaders.contains($0.name.lowercased()) }
            .map(\.value)
        let query = String(request.url.drop { $0 != "?" }.dropFirst())
        var found = given + Self.values(in: query, of: parameters) + sessionTokens(request, query)
        // Behind the name of the scheme.
        found += request.headers.filter { $0.name.lowercased() == "authorization" }
            .map { String($0.value.drop { $0 != " " }.dropFirst()) }
        if isForToken {
            let form = String(decoding: request.body ?? [], as: UTF8.self)
            found += Self.values(in: form, of: Set(Self.tokenFields))
            let root = (try? JSONDocument(parsing: response.body))?.root
            found += Self.tokenFields.compactMap { root?[$0]?.string }
        }
        return found.map { Array($0.utf8) }
    }

    /// What stands in the place of `{session.token}`.
    private func sessionTokens(_ request: HTTPRequest, _ query: String) -> [String] {
        switch session {
        case .header(let name, let template):
            request.headers.filter { $0.name.lowercased() == name.lowercased() }
                .compactMap { Self.filled($0.value, by: template) }
        case .query(let name, let template):
            Self.values(in: query, of: [name]).compactMap { Self.filled($0, by: template) }
        case nil: []
        }
    }

    private static func filled(_ value: String, by template: Template) -> String? {
        let ends = template.pieces.split(omittingEmptySubsequences: false) { piece in
            if case .literal = piece { false } else { true }
        }.map { pieces in
            pieces.map { if case .literal(let text) = $0 { text } else { "" } }.joined()
        }
        guard let first = ends.first, let last = ends.last, ends.count > 1,
            value.hasPrefix(first), value.hasSuffix(last),
            value.count >= first.count + last.count
        else { return nil }
        return String(value.dropFirst(first.count).dropLast(last.count))
    }

    private static func values(in pairs: String, of names: Set<String>) -> [String] {
        pairs.split(separator: "&").compactMap { (pair) -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, names.contains(String(parts[0])) else { return nil }
            return percentDecoded(String(parts[1]).replacing("+", with: " "))
        }
    }
}
