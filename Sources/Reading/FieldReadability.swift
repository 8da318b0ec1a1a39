public import JobFiles

/// Which fields of a pass can be read at all.
///
/// One or two odd values are slips of the source. A field of which no value can be read is another field than the job file
/// says, and a pass with it has not read what it should.
public struct FieldReadability: Sendable {
    private static let straysMax = 2

    private let names: [String]
    private var readable: Set<Int> = []
    /// What the pass could not read, by field or flag.
    public private(set) var unread: [String: UnreadValues]
    /// The checkpoint does not know of a field in `unread`, or that it is read elsewhere.
    public private(set) var isChanged = false

    /// `noted`: what the checkpoint says of a pass that is resumed.
    public init(_ entity: Entity, noted: [String: UnreadValues] = [:]) {
        names = entity.records.fields.map(\.name)
        unread = noted
        for (index, name) in names.enumerated() where noted[name]?.isReadElsewhere == true {
            readable.insert(index)
        }
    }

    /// Takes in a page.
    public mutating func add(_ batch: RecordBatch) {
        for index in names.indices where !readable.contains(index) && batch.hasValue(of: index) {
            readable.insert(index)
            if unread[names[index]] != nil { isChanged = true }
        }
        // How many there are is noted at the end: a statement for each page would be dear.
        for (name, values) in batch.unread {
            isChanged = isChanged || unread[name] == nil
            unread[name, default: UnreadValues(count: 0, example: values.example)].count +=
                values.count
        }
        guard !unread.isEmpty else { return }
        for index in readable { unread[names[index]]?.isReadElsewhere = true }
    }

    /// The checkpoint knows them now.
    public mutating func markStored() { isChanged = false }

    /// The first field of which values came, and none could be read; nil: there is none.
    public var unreadable: String? {
        names.first { name in
            unread[name].map { $0.count > Self.straysMax && !$0.isReadElsewhere } ?? false
        }
    }
}
