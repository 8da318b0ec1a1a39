/// The server's time: the real one from the start on, moved by command, never back.
final class CloudClock {
    private var offset: Milliseconds = 0
    private let startWall = wallClock()
    private let startMonotonic = monotonicClock()
    /// Set while time stands still between commands and writes.
    private var frozenAt: Milliseconds?
    private var last: Milliseconds = 0

    /// The present; two questions may get the same answer.
    var now: Milliseconds {
        let running = startWall + (monotonicClock() - startMonotonic) + offset
        return max(last, frozenAt ?? running)
    }

    /// The time of a write: no two writes have the same.
    func tick() -> Milliseconds {
        last = max(now, last + 1)
        return last
    }

    /// False when that would be backwards.
    func set(_ time: Milliseconds) -> Bool {
        let present = now
        guard time >= present else { return false }
        advance(time - present)
        return true
    }

    func advance(_ span: Milliseconds) {
        let target = now + span
        if frozenAt == nil { offset += span } else { frozenAt = target }
        last = target
    }

    func freeze(_ isFrozen: Bool) {
        let present = now
        frozenAt = isFrozen ? present : nil
        last = max(last, present)
    }
}
