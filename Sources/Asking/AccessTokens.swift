import JobQueue
import Synchronization

/// Access tokens of OAuth 2.0 that this process knows, so that the database is not asked for each run's.
///
/// They are stored sealed in `jobrunner.renewals`, for all processes.
public final class AccessTokens: Sendable {
    /// Whose token it is, what for, and which secrets it came of: another secret may be another person's.
    struct Key: Hashable, Sendable {
        var credential: RenewedCredential
        var purpose: String
        var versions: [Int64]
    }

    struct Token: Sendable {
        var text: String
        /// As the database holds it.
        var sealed: [UInt8]
        /// No request is signed with it from then on.
        var until: ContinuousClock.Instant
    }

    private struct State {
        var tokens: [Key: Token] = [:]
        var renewing: Set<Key> = []
    }

    private let state = Mutex(State())

    /// Knows no token yet.
    public init() {}

    /// The token, while it is good; expired ones are forgotten on the way.
    func token(of key: Key) -> Token? {
        state.withLock { state in
            guard let token = state.tokens[key] else { return nil }
            if token.until > .now { return token }
            state.tokens[key] = nil
            return nil
        }
    }

    func keep(_ token: Token, of key: Key) {
        state.withLock { $0.tokens[key] = token }
    }

    /// Drops a token the source has refused, unless another has taken its place.
    func drop(_ token: Token, of key: Key) {
        state.withLock { state in
            if state.tokens[key]?.text == token.text { state.tokens[key] = nil }
        }
    }

    /// Whether the caller is the one of this process that looks for a token; it ends by `endRenewal`.
    func beginRenewal(of key: Key) -> Bool {
        state.withLock { $0.renewing.insert(key).inserted }
    }

    func endRenewal(of key: Key) {
        state.withLock { _ = $0.renewing.remove(key) }
    }
}
