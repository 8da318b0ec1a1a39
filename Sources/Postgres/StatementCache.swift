/// Which statements a connection has prepared.
///
/// The least recently used makes room for a new one.
///
/// An entry is found by SQL text and types; a null fits any type, so one entry serves most calls.
final class StatementCache {
    private struct Entry {
        let name: String
        let sql: String
        let oids: [UInt32]
        var lastUsed: Int
    }

    private let capacity: Int
    private var entries: [String: [Entry]] = [:]
    private var clock = 0
    private(set) var count = 0
    /// Names to deallocate at the next chance.
    private(set) var retired: [String] = []

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The name under which the statement is prepared for these types.
    func find(_ sql: String, _ oids: [UInt32]) -> String? {
        guard let index = entries[sql]?.firstIndex(where: { fits($0.oids, oids) }) else {
            return nil
        }
        clock += 1
        entries[sql]?[index].lastUsed = clock
        return entries[sql]?[index].name
    }

    /// A name for a statement that is about to be prepared.
    func newName() -> String {
        clock += 1
        return "s\(clock)"
    }

    /// Remembers a statement that the server has prepared.
    func insert(_ sql: String, _ oids: [UInt32], name: String) {
        if count >= capacity { retireOldest() }
        clock += 1
        entries[sql, default: []].append(
            Entry(name: name, sql: sql, oids: oids, lastUsed: clock))
        count += 1
    }

    /// Forgets every statement with this text, as when its plan's result type has changed.
    func forget(_ sql: String) {
        let gone = entries.removeValue(forKey: sql) ?? []
        count -= gone.count
        retired += gone.map(\.name)
    }

    /// Forgets everything, as when the server has dropped what it had prepared.
    func forgetAll() {
        entries = [:]
        count = 0
        retired = []
    }

    /// The names were deallocated.
    func clearRetired() { retired = [] }

    private func retireOldest() {
        guard let oldest = entries.values.joined().min(by: { $0.lastUsed < $1.lastUsed }) else {
            return
        }
        entries[oldest.sql]?.removeAll { $0.name == oldest.name }
        if entries[oldest.sql]?.isEmpty == true { entries[oldest.sql] = nil }
        count -= 1
        retired.append(oldest.name)
    }

    private func fits(_ known: [UInt32], _ wanted: [UInt32]) -> Bool {
        known.count == wanted.count && zip(known, wanted).allSatisfy { $0 == $1 || $1 == 0 }
    }
}
