import Asking
import HTTP
import Postgres
import JobQueue
import Reading

/// Turns any error into the end of a run: the one place where a kind is decided.
func classified(_ error: any Error) -> RunEnd {
    switch error {
    case let end as RunEnd: end
    case let error as PageError: classified(error)
    case let error as QueueError: classified(error)
    case let error as DatabaseError: classified(error)
    case let error as TransactionError:
        error.databaseError.map { classified($0) } ?? .failed(.database, "\(error)")
    case let error as HTTPError: classified(error, of: "the request")
    case is CancellationError: .interrupted(.cancelled)
    default: .failed(.malformed, "\(error)")
    }
}

private func classified(_ error: DatabaseError) -> RunEnd {
    if error.code == .cancelled { return .interrupted(.cancelled) }
    if error.isServerTrouble { return .interrupted(.database) }
    return .failed(error.isDataError ? .malformed : .database, "\(error)")
}

private func classified(_ error: QueueError) -> RunEnd {
    switch error {
    case .lost: .lost
    case .superseded: .interrupted(.reset)
    case .workerEnded: .lost
    case .refused(let message, _): .failed(.database, message)
    // The next run seals with the tenant's present key.
    case .keyRetired(let message, _): .deferred(.credentialInUse, message: message, wait: .zero)
    }
}

private func classified(_ error: PageError) -> RunEnd {
    switch error {
    case .malformed(let message): .failed(.malformed, message)
    case .foreignOrigin(let message): .failed(.rejected, message)
    case .cursorLoop(let message): .failed(.cursorLoop, message)
    case .truncated(let message): .failed(.truncated, message)
    }
}
