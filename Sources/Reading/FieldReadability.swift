public import JobFiles

/// Which fields of a pass can be read at all.
///
/// One or two odd values are slips of the source. A field of which no value can be read is another field than the job
/// file says, and a pass with it has not read what it should.
public struct FieldReadability: Sendable {
    private static let straysMax = 2

    /// Of fewer records nobody can tell whether a member is never there.
    private static let recordsMin = 10

    private let names: [String]
    /// Fields that a record had, and how many records there were.
    private var present: [Bool]
    private var records = 0
    private var readable: Set<Int> = []
    /// What the pass could not read, by field or flag.
    public private(set) var unread: [String: UnreadValues]
    /// The checkpoint does not know of a field in `unread`, or that it is read elsewhere.
    public private(set) var isChanged = false

    /// `noted`: what the checkpoint says of a pass that is resumed.
    public init(_ entity: Entity, noted: [String: UnreadValues] = [:]) {
        names = entity.records.fields.map(\.name)
        present = names.map { _ in false }
        unread = noted
        for (index, name) in names.enumerated() where noted[name]?.isReadElsewhere == true {
            readable.insert(index)
        }
    }

    /// Takes in a page.
    public mutating func add(_ batch: RecordBatch) {
        records += batch.counts.fetched - batch.counts.skippedIncompatible
        for (index, isThere) in batch.present.enumerated() where isThere { present[index] = true }
        for index in names.indices where !readable.contains(index) && batch.hasValue(of: index) {
            readable.insert(index)
            if unread[names[index]] != nil { isChanged = true }
        }
        // How many there are is noted at the end: a statement for each page would be dear.
        for (name, values) in batch.unread {
            isChanged = isChanged || unread[name] == nil
            let none = UnreadValues(
                count: 0, example: values.example, isReadElsewhere: values.isReadElsewhere,
                kind: values.kind)
            unread[name, default: none].count += values.count
        }
        guard !unread.isEmpty else { return }
        for index in readable { unread[names[index]]?.isReadElsewhere = true }
    }

    /// Notes the fields that no record of a full pass had; a path that leads nowhere makes such a column.
    public mutating func noteAbsent() {
        guard records >= Self.recordsMin else { return }
        for (index, name) in names.enumerated() where !present[index] && unread[name] == nil {
            unread[name] = UnreadValues(
                count: records, example: "no record has it", isReadElsewhere: true, kind: .absent)
        }
    }

    /// The checkpoint knows them now.
    public mutating func markStored() { isChanged = false }

    /// The first field of which values came, and none could be read; nil when there is none.
    public var unreadable: String? {
        names.first { name in
            unread[name].map { $0.count > Self.straysMax && !$0.isReadElsewhere } ?? false
        }
    }
}
