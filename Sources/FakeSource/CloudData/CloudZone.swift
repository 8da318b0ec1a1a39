/// The records of one zone, and the order of their last changes.
final class CloudZone {
    let name: String
    /// No two zones have the same, not even before and after a deletion.
    let incarnation: String
    private(set) var records: [String: CloudRecord] = [:]
    /// In the order of creation.
    private(set) var ordered: [CloudRecord] = []
    /// Every write; only a record's last one counts.
    private(set) var feed: [(sequence: Int, record: CloudRecord)] = []

    init(name: String, incarnation: String) {
        self.name = name
        self.incarnation = incarnation
    }

    var isDefault: Bool { name == CloudZoneID.defaultName }

    func live(_ name: String) -> CloudRecord.Version? { records[name]?.live }

    /// The record of this name, made when there never was one.
    func record(_ name: String, serial: Int) -> CloudRecord {
        if let known = records[name] { return known }
        let record = CloudRecord(name: name, serial: serial)
        records[name] = record
        ordered.append(record)
        return record
    }

    func wrote(_ record: CloudRecord, sequence: Int) { feed.append((sequence, record)) }

    /// The record is gone, and no feed tells of it.
    func forget(_ name: String) {
        guard let record = records.removeValue(forKey: name) else { return }
        ordered.removeAll { $0 === record }
        feed.removeAll { $0.record === record }
    }

    /// The last changes after a position, oldest first, and whether more follow.
    func changes(
        after position: Int, limit: Int, types: Set<String>?
    ) -> (changes: [(sequence: Int, record: CloudRecord)], hasMore: Bool) {
        var found: [(sequence: Int, record: CloudRecord)] = []
        let first = partition(feed.count) { feed[$0].sequence > position }
        for change in feed[first...] where change.record.last?.sequence == change.sequence {
            if let types, let last = change.record.last, !last.isDeleted,
                !types.contains(last.type)
            {
                continue
            }
            if found.count == limit { return (found, true) }
            found.append(change)
        }
        return (found, false)
    }

    /// The position that leaves nothing to come.
    var end: Int { feed.last?.sequence ?? 0 }
}
