import Synchronization

/// Who has signed in with a token in a browser.
///
/// He is known by a cookie until he signs out, is away for an hour, or half a day is over. Sessions are in memory alone,
/// so that a restart ends them all.
final class ServeSessions: Sendable {
    private struct Session {
        var name: String
        var began: ContinuousClock.Instant
        var seen: ContinuousClock.Instant
    }

    static let cookie = "jobrunner"
    private static let idleMax = Duration.seconds(3600)
    private static let lastingMax = Duration.seconds(12 * 3600)
    /// The one that was seen the longest ago ends where there would be more.
    private static let most = 1000
    private let sessions = Mutex<[String: Session]>([:])

    /// Begins a session; returns what the cookie says.
    func begin(_ name: String, now: ContinuousClock.Instant = .now) -> String {
        var generator = SystemRandomNumberGenerator()
        let key = (0..<4).map { _ in
            let word = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - word.count) + word
        }.joined()
        sessions.withLock { sessions in
            sessions = sessions.filter { Self.lasts($0.value, at: now) }
            if sessions.count >= Self.most,
                let oldest = sessions.min(by: { $0.value.seen < $1.value.seen })
            {
                sessions[oldest.key] = nil
            }
            sessions[key] = Session(name: name, began: now, seen: now)
        }
        return key
    }

    /// Whose session a cookie tells of; nil when there is none, or it is over.
    ///
    /// A question that nobody has asked by hand does not keep it: `isByHand`.
    func name(
        of key: String, isByHand: Bool = true, now: ContinuousClock.Instant = .now
    ) -> String? {
        sessions.withLock { sessions in
            guard let session = sessions[key], Self.lasts(session, at: now) else {
                sessions[key] = nil
                return nil
            }
            if isByHand { sessions[key]?.seen = now }
            return session.name
        }
    }

    /// Ends a session.
    func end(_ key: String) { sessions.withLock { $0[key] = nil } }

    private static func lasts(_ session: Session, at now: ContinuousClock.Instant) -> Bool {
        now - session.seen < idleMax && now - session.began < lastingMax
    }
}
