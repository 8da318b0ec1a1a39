public import HTTP
public import JobQueue

/// A 429 without a word about patience waits so long.
public let unsaidWait = Duration.seconds(60)

/// How a run ends that a request fails.
public func classified(_ error: HTTPError, of request: String) -> RunEnd {
    let message = "\(request): \(error)"
    switch error {
    case .timedOut: return .failed(.timedOut, message)
    case .resolve, .connect, .sendOrReceive, .truncated: return .failed(.unavailable, message)
    case .badEncoding, .tooLarge: return .failed(.malformed, message)
    case .cancelled: return .interrupted(.cancelled)
    // Nobody's fault but that of all pages at the moment, or of this process.
    case .crowded, .lacking: return .deferred(.crowded, message: message, wait: .seconds(10))
    case .invalidRequest, .tls, .redirectRefused, .tooManyRedirects, .addressRefused,
        .addressNotPublic:
        return .failed(.rejected, message)
    }
}

/// What an unexpected status means.
///
/// `form` is what may be told of an answer that is not quoted. 401, 403 and 421 park the job only when there is a credential to renew.
public func classified(
    status: Int, of request: String, excerpt: String, form: String = "", hasCredential: Bool
) -> RunEnd {
    let message =
        "\(request) was answered with \(status)" + (form.isEmpty ? "" : " (\(form))")
        + (excerpt.isEmpty ? "" : ": \(excerpt)")
    switch status {
    case 401, 403, 421:
        return hasCredential ? .needsReauth(message: message) : .failed(.rejected, message)
    case 408: return .failed(.timedOut, message)
    case 429:
        return .deferred(.rateLimited, message: message, wait: unsaidWait)
    // A status that HTTP does not know counts as 5xx (RFC 9110, 15).
    case 500...: return .failed(.unavailable, message)
    case 200...299:
        return .failed(
            .unexpectedStatus, message + " (a status that request.expect does not name)")
    default: return .failed(.rejected, message)
    }
}
