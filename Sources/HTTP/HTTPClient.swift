/// Sends requests over one thread of its own; connections are kept and reused.
///
/// Every call ends exactly once: with a response, at its deadline, on cancellation, or with the
/// first limit it exceeds. Certificates are always verified, proxies in the environment ignored.
public final class HTTPClient: Sendable {
    /// Enough for a source that moves a page twice; more is a loop.
    static let redirectsMax = 3

    private let loop: TransferLoop

    /// Starts the client's thread.
    ///
    /// - Parameters:
    ///   - userAgent: What the client calls itself to sources.
    ///   - privateNetworks: Where it connects to beside addresses that anybody can reach.
    ///   - transfersMax: Exchanges at the same time; more wait in order of arrival.
    ///   - connectionsPerHostMax: Connections to one host and port at the same time.
    ///   - connectionsMax: Connections at the same time, those that are kept for later included.
    ///   - caFile: PEM certificates of a private CA that is trusted like the system's.
    public init(
        limits: HTTPLimits = .init(), userAgent: String, privateNetworks: Networks,
        transfersMax: Int = 512, connectionsPerHostMax: Int = 512, connectionsMax: Int = .max,
        caFile: String? = nil
    ) {
        loop = TransferLoop(
            settings: ClientSettings(
                limits: limits, userAgent: userAgent, transfersMax: max(1, transfersMax),
                connectionsPerHostMax: max(1, connectionsPerHostMax),
                connectionsMax: max(1, connectionsMax), caFile: caFile,
                privateNetworks: privateNetworks))
    }

    deinit { close() }

    /// Connections opened since the start; stays behind the requests when they are reused.
    public var connectsCount: Int { loop.connectsCount }

    /// Sends a request and reads its whole answer; redirects of a GET are followed within its origin.
    ///
    /// A request that a kept connection swallowed whole is sent again on a fresh one, so a source
    /// may see it twice.
    public func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let start = ContinuousClock.now
        var request = request
        var wireBytes = 0
        for _ in 0...Self.redirectsMax {
            try check(request)
            var response = try await exchange(request, deadline: deadline)
            wireBytes += response.wireBytes
            guard let next = try redirect(of: request, by: response) else {
                response.wireBytes = wireBytes
                response.elapsed = ContinuousClock.now - start
                return response
            }
            request.url = next
        }
        throw .tooManyRedirects
    }

    /// Ends every exchange with `cancelled`, closes all connections and ends the thread soon after.
    public func close() { loop.post(.close) }

    private func exchange(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let transfer = Transfer(request: request, deadline: deadline)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.post(.add(transfer, continuation))
            }
        } onCancel: {
            loop.post(.cancel(transfer))
        }
        return try result.get()
    }
}
