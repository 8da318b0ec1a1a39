internal import CMicroHTTPD
internal import CMicroHTTPDShim
import Glibc

/// Resumes suspended connections when their delay is over, or when their peer has gone.
///
/// A suspended connection costs no thread and libmicrohttpd does not watch it, so its peer's leaving
/// is looked for here. One thread, one lock.
final class ConnectionTimer: @unchecked Sendable {  // all state is under the lock
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var thread = pthread_t()
    private var sleepers: [Int: Sleeper] = [:]
    private var ended: Set<Int> = []
    private var isStopping = false

    private struct Sleeper {
        let connection: OpaquePointer
        let socket: Int32
        let deadline: Milliseconds
    }

    /// How often the peers of sleepers are looked at.
    private static let watchEvery: Milliseconds = 200

    /// Linux's POLLRDHUP, which Glibc does not offer to Swift.
    private static let peerHungUp: Int16 = 0x2000

    init() {
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
        let clock = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ConnectionTimer>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, clock.toOpaque())
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Suspends the connection until the deadline, or for ever.
    func sleep(_ connection: OpaquePointer, number: Int, until deadline: Milliseconds?) {
        MHD_suspend_connection(connection)
        let sleeper = Sleeper(
            connection: connection, socket: mhd_shim_socket(connection),
            deadline: deadline ?? .max)
        locked {
            if isStopping {
                wake(number, sleeper, ended: true)
            } else {
                sleepers[number] = sleeper
                pthread_cond_signal(changed)
            }
        }
    }

    /// Whether the connection was woken to be ended rather than to go on.
    func hasEnded(_ number: Int) -> Bool { locked { ended.contains(number) } }

    func forget(_ number: Int) { _ = locked { ended.remove(number) } }

    /// Ends all delays and hangs, without an answer.
    func release() {
        locked {
            for (number, sleeper) in sleepers { wake(number, sleeper, ended: true) }
            sleepers = [:]
        }
    }

    /// Ends all delays with their answers; what hangs stays.
    func hurry() {
        locked {
            for (number, sleeper) in sleepers where sleeper.deadline != .max {
                sleepers[number] = nil
                wake(number, sleeper, ended: false)
            }
        }
    }

    /// Returns when the thread is gone; later sleepers end at once.
    func stop() {
        locked {
            isStopping = true
            pthread_cond_signal(changed)
        }
        pthread_join(thread, nil)
        release()
    }

    private func run() {
        var watchAt = monotonicClock()
        pthread_mutex_lock(lock)
        while !isStopping {
            let now = monotonicClock()
            if now >= watchAt {
                endWhosePeerIsGone()
                watchAt = now + ConnectionTimer.watchEvery
            }
            let next = wakeDue(now)
            wait(until: min(next, watchAt))
        }
        pthread_mutex_unlock(lock)
    }

    private func wakeDue(_ now: Milliseconds) -> Milliseconds {
        var next = Milliseconds.max
        var due: [Int] = []
        for (number, sleeper) in sleepers {
            if sleeper.deadline <= now {
                due.append(number)
            } else {
                next = min(next, sleeper.deadline)
            }
        }
        for number in due {
            guard let sleeper = sleepers.removeValue(forKey: number) else { continue }
            wake(number, sleeper, ended: false)
        }
        return next
    }

    private func endWhosePeerIsGone() {
        let asleep = Array(sleepers)
        var watched = asleep.map {
            pollfd(fd: $0.value.socket, events: ConnectionTimer.peerHungUp, revents: 0)
        }
        guard !watched.isEmpty, poll(&watched, nfds_t(watched.count), 0) > 0 else { return }
        for (place, entry) in asleep.enumerated() where watched[place].revents != 0 {
            sleepers[entry.key] = nil
            wake(entry.key, entry.value, ended: true)
        }
    }

    private func wake(_ number: Int, _ sleeper: Sleeper, ended isEnded: Bool) {
        if isEnded { ended.insert(number) }
        MHD_resume_connection(sleeper.connection)
    }

    private func wait(until time: Milliseconds) {
        if sleepers.isEmpty {
            pthread_cond_wait(changed, lock)
            return
        }
        var until = timespec(tv_sec: Int(time / 1000), tv_nsec: Int(time % 1000) * 1_000_000)
        pthread_cond_timedwait(changed, lock, &until)
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }
}
