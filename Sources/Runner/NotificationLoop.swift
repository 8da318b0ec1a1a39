import Claiming
import JobQueue
import Postgres
import Telemetry

/// Listens for due jobs and for stop requests, on the session that stands for the worker's presence.
///
/// When the worker is given up its listener is closed, and the next one registers a new worker.
struct NotificationLoop: Sendable {
    let context: WorkerContext

    func run() async {
        while !Task.isCancelled {
            let listener = Listener(
                context.configuration, channels: ["jobrunner_due", "jobrunner_stop"],
                onConnect: { [registration = context.registration] in
                    try registration.register(on: $0)
                })
            context.listener = listener
            var isFirst = true
            for await event in listener.events {
                if event == .listening, isFirst { announceStarted() }
                isFirst = false
                handle(event)
            }
            listener.close()
        }
    }

    /// What arrived while the session was lost is not told again, so a reconnect makes the loops look
    /// for themselves.
    private func handle(_ event: Listener.Event) {
        switch event {
        case .notification("jobrunner_due", let payload): return handleDue(payload)
        case .failed(let error): return handlePresenceLost(error)
        case .listening:
            context.registration.setSession(true)
            context.heartbeatWakeUp.wake()
            context.stopWakeUp.wake()
        case .notification: context.stopWakeUp.wake()
        }
        context.dueWakeUp.wake()
    }

    /// Others see that the session is gone, and only heartbeats keep them from giving this worker up.
    private func handlePresenceLost(_ error: DatabaseError) {
        context.registration.setSession(false)
        context.heartbeatWakeUp.wake()
        if context.registration.worker == nil { context.databaseFailed(error) }
    }

    /// A notification says from when on how many jobs are due, `TIME:JOBS:USER`, each of them empty for what is not said
    /// (`wake_workers`); without a time there is something among the announcements.
    ///
    /// Any login may send one, so it only makes a worker look where it would look anyway. A time that no server has is
    /// dropped: a look from there would fail, and be tried again for ever.
    private func handleDue(_ payload: String) {
        let parts = payload.split(separator: ":", omittingEmptySubsequences: false).map {
            Int64($0)
        }
        if let time = parts.first ?? nil, Self.times.contains(time) {
            context.claimer.notified(dueFrom: time)
        } else {
            context.stopWakeUp.wake()
        }
        let jobs = parts.count > 1 ? parts[1].map(Int.init) : nil
        if context.rotation.answers(jobs) { context.dueWakeUp.wake() }
    }

    /// From 1970 to 2200, in microseconds.
    private static let times: ClosedRange<Int64> = 0...7_258_118_400_000_000

    private func announceStarted() {
        let settings = context.settings
        context.log.emit(
            .workerStarted(
                context.subject, host: settings.host, pid: settings.pid, version: settings.version,
                capacity: settings.concurrency))
    }
}
