import Asking
import Glibc
import HTTP
import Runner
import Synchronization
import Telemetry

/// How many files this process may have open.
struct OpenFiles {
    /// Descriptors beside those of the slots: sessions and their wake-ups, whoever asks for metrics, the resolver, files.
    private static let besideSlots = 48

    let limit: Int

    /// The hard limit, which holds for this process from now on.
    static func raised() -> OpenFiles {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return OpenFiles(limit: .max) }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(files, &raised) == 0 { limit = raised }
        }
        return OpenFiles(limit: Int(clamping: limit.rlim_cur))
    }

    /// Connections to sources, of which each run has one at most.
    var connectionsMax: Int { max(1, limit - Self.besideSlots) }
}

extension WorkerSettings {
    /// Has no more slots than fit.
    mutating func fit(into files: OpenFiles, _ log: Log) {
        let fitting = files.connectionsMax
        guard fitting < concurrency else { return }
        log.emit(
            .slotsLowered(Subject(), asked: concurrency, capacity: fitting, openFiles: files.limit))
        concurrency = fitting
        reserved = min(reserved, fitting / 8)
    }
}

/// Tells, once a minute, that this process lacks what an exchange needs; its run is put off for that.
final class OwnLimitWatch: Sender {
    private static let repeated = Duration.seconds(60)

    private let client: HTTPClient
    private let log: Log
    private let toldAt = Mutex<ContinuousClock.Instant?>(nil)

    init(_ client: HTTPClient, _ log: Log) {
        self.client = client
        self.log = log
    }

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        do { return try await client.send(request, deadline: deadline) } catch {
            if case .lacking = error { tell(error) }
            throw error
        }
    }

    private func tell(_ error: HTTPError) {
        let isDue = toldAt.withLock { toldAt in
            let now = ContinuousClock.now
            if let last = toldAt, now - last < Self.repeated { return false }
            toldAt = now
            return true
        }
        if isDue { log.emit(.ownLimitReached(Subject(), error: error.description)) }
    }
}
