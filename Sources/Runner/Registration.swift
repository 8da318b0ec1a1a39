import JobFiles
import Postgres
import JobQueue
import Synchronization
import Telemetry

/// This worker's row in `workers`: its number, its presence session, its last heartbeat.
///
/// The listener's session stands for the worker, so that a dead process is seen at once; when the
/// session breaks, the listener makes another, which stands for it then. The heartbeat goes over the
/// same session, which no page holds up.
final class Registration: Sendable {
    private let settings: WorkerSettings
    /// The job files it has, by name.
    private let files: [JobFile]
    private let number = Mutex<Int?>(nil)
    private let session = Mutex(true)
    private let lastHeartbeat = Mutex(ContinuousClock.now)

    init(_ settings: WorkerSettings, files: [JobFile]) {
        self.settings = settings
        self.files = files
    }

    /// The worker's number; nil means not registered, so nothing may be claimed.
    var worker: Int? { number.withLock { $0 } }

    /// Lets a new presence session stand for the worker, or registers anew when the worker was given up.
    func register(on session: Session) throws {
        if let worker {
            let row = try session.query(
                Statement("select jobrunner.reattach_worker($1)", .int4(Int32(clamping: worker))))
            if try row.only().bool(0) { return }
            drop(worker)
        }
        let rows = try session.query(
            Statement(
                "select jobrunner.register_worker($1, $2, $3, $4, $5, $6)", .text(settings.host),
                .int4(settings.pid), .text(settings.version),
                .int4(Int32(clamping: settings.concurrency)), .textArray(files.map(\.name)),
                .textArray(files.map(\.expanded))))
        let registered = try rows.only().int(0)
        number.withLock { $0 = registered }
        lastHeartbeat.withLock { $0 = .now }
    }

    /// Forgets the number of a worker that was given up.
    ///
    /// False: it is known already, and a new number may stand in its place.
    @discardableResult
    func drop(_ worker: Int) -> Bool {
        number.withLock { number in
            guard number == worker else { return false }
            number = nil
            return true
        }
    }

    /// The session that stands for this worker is there, or was never known to be lost.
    var hasSession: Bool { session.withLock { $0 } }

    func setSession(_ isThere: Bool) {
        session.withLock { $0 = isThere }
    }

    func heartbeatSucceeded() {
        lastHeartbeat.withLock { $0 = .now }
    }

    /// A heartbeat is due that others have to see first: by it they know of an outage that kept it away.
    var isLate: Bool {
        lastHeartbeat.withLock { ContinuousClock.now - $0 > settings.heartbeat * 3 / 2 }
    }

    /// No heartbeat got through for as long as the lease: others may have taken the jobs.
    var isPastLease: Bool { lastHeartbeat.withLock { ContinuousClock.now - $0 } > settings.lease }
}
