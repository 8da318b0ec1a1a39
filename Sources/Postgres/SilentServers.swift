import Synchronization

/// Servers that did not answer lately: all sessions of a process try them last, so that each of them waits for a silent
/// one at most once in a while.
final class SilentServers: Sendable {
    private static let remembered = Duration.seconds(60)

    private let silent = Mutex<[ServerAddress: ContinuousClock.Instant]>([:])

    func note(_ server: ServerAddress) {
        silent.withLock { silent in
            let now = ContinuousClock.now
            // Names may lead elsewhere each time.
            silent = silent.filter { now - $0.value < Self.remembered }
            silent[server] = now
        }
    }

    func forget(_ server: ServerAddress) { silent.withLock { $0[server] = nil } }

    func contains(_ server: ServerAddress) -> Bool {
        silent.withLock { silent in
            guard let since = silent[server] else { return false }
            if ContinuousClock.now - since < Self.remembered { return true }
            silent[server] = nil
            return false
        }
    }
}
