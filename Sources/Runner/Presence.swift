import Postgres
import Queue
import Synchronization
import Telemetry

/// This worker's place in `workers`: its number, its presence session, its heartbeat.
///
/// The listener's session stands for the worker, so that a dead process is seen at once; when the
/// session breaks, the listener makes another, which stands for it then. The heartbeat goes over a
/// session of its own, which nothing else can hold up.
final class Presence: Sendable {
    private let settings: WorkerSettings
    private let number = Mutex<Int?>(nil)
    private let session = Mutex(true)
    private let lastBeat = Mutex(ContinuousClock.now)

    init(_ settings: WorkerSettings) {
        self.settings = settings
    }

    /// The worker's number; nil: not registered, so nothing may be claimed.
    var worker: Int? { number.withLock { $0 } }

    /// On a new presence session: lets it stand for the worker, or registers anew when it was given up.
    func attend(_ session: Session) throws {
        if let worker {
            let row = try session.query(
                Statement("select jobrunner.attend_worker($1)", .int4(Int32(clamping: worker))))
            if try row.only().bool(0) { return }
            forget(worker)
        }
        let rows = try session.query(
            Statement(
                "select jobrunner.register_worker($1, $2, $3, $4)", .text(settings.host),
                .int4(settings.pid), .text(settings.version),
                .int4(Int32(clamping: settings.concurrency))))
        let registered = try rows.only().int(0)
        number.withLock { $0 = registered }
        lastBeat.withLock { $0 = .now }
    }

    /// The worker was given up: its number is no one's any more.
    ///
    /// False: it is known already, and a new number may stand in its place.
    @discardableResult
    func forget(_ worker: Int) -> Bool {
        number.withLock { number in
            guard number == worker else { return false }
            number = nil
            return true
        }
    }

    /// The session that stands for this worker is there, or was never known to be lost.
    var hasSession: Bool { session.withLock { $0 } }

    func noteSession(_ isThere: Bool) {
        session.withLock { $0 = isThere }
    }

    func noteBeat() {
        lastBeat.withLock { $0 = .now }
    }

    /// No heartbeat got through for as long as the lease: others may have taken the jobs.
    var isPastLease: Bool { lastBeat.withLock { ContinuousClock.now - $0 } > settings.lease }
}
