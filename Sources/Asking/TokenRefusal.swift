import JobQueue

/// Who can mend what a token server answers with instead of a token (RFC 6749, 5.2).
///
/// The word decides before the status: some servers answer an error with 200.
struct TokenRefusal {
    /// The grant is void: its user signs in again.
    ///
    /// Beside RFC 6749's word those of OpenID Connect and of servers with words of their own.
    private static let grantWords: Set<String> = [
        "invalid_grant", "access_denied", "bad_refresh_token", "invalid_refresh_token",
        "token_expired", "token_revoked", "interaction_required", "login_required",
        "consent_required",
    ]
    /// The client, or what the job file asks for, is wrong, whoever the user is.
    private static let clientWords: Set<String> = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "invalid_request", "invalid_target", "incorrect_client_credentials", "bad_client_secret",
        "invalid_client_id",
    ]
    /// The server can't at present.
    private static let passingWords: Set<String> = [
        "temporarily_unavailable", "server_error", "internal_error",
    ]
    private static let waitingWords: Set<String> = ["slow_down", "ratelimited", "rate_limited"]
    /// A word is a word; a longer one is some other text.
    private static let wordBytesMax = 100

    let status: Int
    /// The answer's `error`; empty: it has none.
    let word: String
    /// The client is the user's own: its id or secret is a secret of the user.
    let clientIsUsers: Bool
    /// The request holds a refresh token.
    let hasGrant: Bool
    /// The client proves itself by a secret.
    let hasClientSecret: Bool

    /// How the run ends.
    var end: RunEnd {
        let shown = word.utf8.count > Self.wordBytesMax ? "" : word
        let message = "the token endpoint answered \(status)" + (shown.isEmpty ? "" : " \(shown)")
        if Self.grantWords.contains(word) {
            return hasGrant || clientIsUsers
                ? .needsReauth(message: message) : clientRefused(message)
        }
        if Self.clientWords.contains(word) { return clientRefused(message) }
        if Self.passingWords.contains(word) { return .failed(.unavailable, message) }
        if Self.waitingWords.contains(word) {
            return classified(
                status: 429, of: "the token endpoint", excerpt: shown, hasCredential: false)
        }
        switch status {
        // By RFC 6749 it means the client, where that has anything to prove.
        case 401: return hasClientSecret ? clientRefused(message) : .needsReauth(message: message)
        case 200..<300 where word.isEmpty:
            return .failed(.malformed, message + " without an access token")
        case 200..<300: return .failed(.rejected, message)
        default:
            return classified(
                status: status, of: "the token endpoint", excerpt: shown, hasCredential: false)
        }
    }

    private func clientRefused(_ message: String) -> RunEnd {
        guard !clientIsUsers else { return .needsReauth(message: message) }
        return .failed(
            .clientRefused,
            message + ": it refuses the client, not the user; mend client_id, client_secret or the"
                + " job file's auth")
    }
}
