import Glibc
import Synchronization

/// Holds a database lane's own thread until a test lets it go.
final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() {
        while !isOpen.withLock({ $0 }) { usleep(1000) }
    }
}
