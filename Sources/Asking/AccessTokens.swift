import Synchronization

/// Access tokens of OAuth 2.0, in this process's memory until shortly before they expire.
public final class AccessTokens: Sendable {
    /// A token is not used in its last minute: a request may be under way when it ends.
    private static let margin = Duration.seconds(60)

    /// Whose token it is: the tenant's own for client credentials, else a user's.
    struct Key: Hashable, Sendable {
        var tenantID: Int64
        var userID: Int64
        var source: String
    }

    private struct Token {
        var text: String
        var until: ContinuousClock.Instant
    }

    private let tokens = Mutex<[Key: Token]>([:])

    /// Knows no token yet.
    public init() {}

    /// The token, while it is good; expired ones are forgotten on the way.
    func token(of key: Key) -> String? {
        tokens.withLock { tokens in
            guard let token = tokens[key] else { return nil }
            if token.until > .now { return token.text }
            tokens[key] = nil
            return nil
        }
    }

    func keep(_ text: String, of key: Key, for span: Duration) {
        tokens.withLock { $0[key] = Token(text: text, until: .now + span - Self.margin) }
    }

    /// Drops a token the source has refused, unless another has taken its place.
    func drop(_ text: String, of key: Key) {
        tokens.withLock { tokens in
            if tokens[key]?.text == text { tokens[key] = nil }
        }
    }
}
