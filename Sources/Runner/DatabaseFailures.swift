import Basics
import JobQueue
import Postgres

extension Backoff {
    /// The waits between tries while the database is away.
    static var untilDatabaseAnswers: Backoff {
        Backoff(first: .milliseconds(50), most: .seconds(2))
    }

    /// Waits for the next try; false: the task was cancelled instead.
    mutating func pause() async -> Bool {
        try? await Task.sleep(for: next(), clock: .continuous)
        return !Task.isCancelled
    }
}

/// The server itself refused the statement, so that nothing of it was written.
func isAnswered(_ error: any Error) -> Bool {
    if error is QueueError { return true }
    if case .server = (error as? DatabaseError)?.code { return true }
    return false
}

/// The server refuses what it was given, for its content: trying again changes nothing.
///
/// A cardinality, a value, a constraint, a limit of its own, or a trigger of somebody's.
func isRefused(_ error: any Error) -> Bool {
    if error is QueueError { return true }
    guard let error = error as? DatabaseError, case .server(let state) = error.code,
        !error.isServerTrouble
    else { return false }
    return ["21", "22", "23", "54", "P0"].contains(state.prefix(2))
}

/// The server answered, and may have meant one outcome of several.
func mayConcernOne(_ error: any Error) -> Bool {
    isAnswered(error) && (error as? DatabaseError)?.isServerTrouble != true
}
