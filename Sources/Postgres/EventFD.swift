import Basics
import CLinux
import Glibc

/// A wake-up for a thread that sleeps in `poll`; it may be signalled from any thread.
///
/// Made while the process has no descriptor left it wakes nobody, and who sleeps by it looks ten times a second.
final class EventFD: Sendable {
    /// Between two looks without a descriptor.
    private static let lookMilliseconds: Int32 = 100

    /// For `poll`, which passes over a negative one.
    let descriptor: Int32

    init(_ open: () -> Int32 = { eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }) {
        descriptor = open()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

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
        _ = poll(&entry, 1, timeout(until: instant))
        guard entry.revents != 0 else { return false }
        drain()
        return true
    }

    /// Milliseconds for a `poll` that this wakes: until the instant, or to the next look.
    func timeout(until instant: ContinuousClock.Instant?) -> Int32 {
        let timeout = pollTimeout(until: instant)
        guard descriptor < 0 else { return timeout }
        return timeout < 0 ? Self.lookMilliseconds : min(timeout, Self.lookMilliseconds)
    }
}

/// Milliseconds for `poll`, rounded up; -1, for ever, without an instant.
func pollTimeout(until instant: ContinuousClock.Instant?) -> Int32 {
    guard let instant else { return -1 }
    return Int32(clamping: ContinuousClock.now.duration(to: instant).millisecondsRoundedUp)
}
