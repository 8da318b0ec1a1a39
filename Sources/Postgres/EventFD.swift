import Basics
import CLinux
import Glibc

/// A wake-up for a thread that sleeps in `poll`; it may be signalled from any thread.
final class EventFD: Sendable {
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(descriptor >= 0, "no file descriptor left for an eventfd")
    }

    deinit { close(descriptor) }

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Forgets the signals so far; spurious ones are harmless, since sleepers look at their state.
    func drain() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    /// Sleeps until a signal or the instant, whichever is first; true when signalled.
    @discardableResult
    func sleep(until instant: ContinuousClock.Instant?) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, pollTimeout(until: instant))
        guard entry.revents != 0 else { return false }
        drain()
        return true
    }
}

/// Milliseconds for `poll`, rounded up; -1, for ever, without an instant.
func pollTimeout(until instant: ContinuousClock.Instant?) -> Int32 {
    guard let instant else { return -1 }
    return Int32(clamping: ContinuousClock.now.duration(to: instant).millisecondsRoundedUp)
}
