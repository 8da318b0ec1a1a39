import Synchronization

/// Which servers will do.
public enum ServersWanted: Sendable {
    case any
    /// Only one that takes writes: neither a standby nor one that is read-only by default.
    case writable
    /// One that takes writes, or if there is none, any.
    case writableFirst
}

/// A connection string that may change while the process runs.
final class ConnectionStringReader: Sendable {
    private let read: @Sendable () throws -> [String: String]
    private let last: Mutex<[String: String]>

    init(_ settings: [String: String], _ read: @escaping @Sendable () throws -> [String: String]) {
        self.read = read
        last = Mutex(settings)
    }

    /// What it says, and why it is not what it says at this moment.
    func now() -> (settings: [String: String], trouble: String?) {
        do {
            let settings = try read()
            last.withLock { $0 = settings }
            return (settings, nil)
        } catch {
            let words = (error as? DatabaseError)?.message ?? "\(error)"
            return (last.withLock { $0 }, words)
        }
    }
}
