import Postgres
import Queue

/// Waits between tries while the database is away: full jitter, at most 2 s.
struct DatabaseBackoff {
    private(set) var ceiling = 50

    /// False when the task was cancelled instead.
    mutating func pause() async -> Bool {
        let wait = Duration.milliseconds(Int.random(in: 1...ceiling))
        ceiling = min(2000, ceiling * 2)
        try? await Task.sleep(for: wait, clock: .continuous)
        return !Task.isCancelled
    }
}

/// The server answered, and what it was given is what it refuses: trying again changes nothing.
func isRefused(_ error: any Error) -> Bool {
    if error is QueueError { return true }
    guard let error = error as? DatabaseError else { return false }
    if case .server = error.code { return !error.isTransient }
    return false
}
