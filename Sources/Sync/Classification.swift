import HTTP
import JobFile
import Postgres
import Queue

/// Turns any error into the end of a run: the one place where a kind is decided (DESIGN, section 4).
func classified(_ error: any Error) -> RunEnd {
    switch error {
    case let end as RunEnd: end
    case let refusal as SourceRefusal: refusal.failure.end
    case let error as QueueError: classified(error)
    case let error as DatabaseError: classified(error)
    case let error as TransactionError: .failed(.database, "\(error)")
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
    }
}

func classified(_ error: HTTPError, of request: String) -> RunEnd {
    let message = "\(request): \(error)"
    switch error {
    case .timedOut: return .failed(.timedOut, message)
    case .resolve, .connect, .sendOrReceive, .truncated: return .failed(.unavailable, message)
    case .badEncoding, .tooLarge: return .failed(.malformed, message)
    case .cancelled: return .interrupted(.cancelled)
    // Nobody's fault but that of all pages at the moment.
    case .crowded: return .deferred(.blocked, message: message, wait: .seconds(10))
    case .invalidRequest, .tls, .redirectRefused, .tooManyRedirects, .addressRefused:
        return .failed(.rejected, message)
    }
}

/// What an unexpected status means.
///
/// 401, 403 and 421 park the job only when there is a credential to renew.
func classified(
    status: Int, of request: String, excerpt: String, hasCredential: Bool
) -> RunEnd {
    let message = "\(request) was answered with \(status)" + (excerpt.isEmpty ? "" : ": \(excerpt)")
    switch status {
    case 401, 403, 421:
        return hasCredential ? .needsReauth(message: message) : .failed(.rejected, message)
    case 408: return .failed(.timedOut, message)
    case 429:
        return .deferred(.rateLimited, message: message, wait: RetryClock.unsaidWait)
    case 500...599: return .failed(.unavailable, message)
    default: return .failed(.rejected, message)
    }
}
