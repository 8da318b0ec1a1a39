public import HTTP

/// What sends a run's requests: a client, or what stands before one to test a job.
public protocol Sender: Sendable {
    /// Sends a request and reads its whole answer, at most until the deadline.
    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: Sender {}
