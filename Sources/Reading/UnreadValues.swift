public import JSON
public import JobFiles

/// Values of one field that could not be read as its type.
public struct UnreadValues: Sendable, Equatable {
    /// How many.
    public var count: Int
    /// The beginning of one of them, as the source wrote it.
    public var example: String
    /// Another value of the field was read in the same pass.
    public var isReadElsewhere: Bool

    /// Describes what could not be read.
    public init(count: Int, example: String, isReadElsewhere: Bool = false) {
        self.count = count
        self.example = example
        self.isReadElsewhere = isReadElsewhere
    }
}

extension UnreadValues {
    /// What a checkpoint says, by field or flag.
    public static func read(_ noted: JSONValue?) -> [String: UnreadValues] {
        guard case .object(let members)? = noted else { return [:] }
        return Dictionary(
            members.map { member in
                let count = member.value["count"]?.int ?? 0
                let example = member.value["example"]?.string ?? ""
                return (
                    member.name,
                    UnreadValues(
                        count: count, example: example,
                        isReadElsewhere: member.value["read_elsewhere"]?.bool ?? false)
                )
            }, uniquingKeysWith: { $1 })
    }

    /// The same as it is noted.
    public static func noted(_ all: [String: UnreadValues]) -> JSONValue {
        .object(
            all.sorted { $0.key < $1.key }.map { name, values in
                JSONMember(
                    name,
                    .object([
                        JSONMember("count", .integer(values.count)),
                        JSONMember("example", .string(values.example)),
                        JSONMember("read_elsewhere", .bool(values.isReadElsewhere)),
                    ]))
            })
    }
}

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
    public mutating func note(_ batch: RecordBatch) {
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
    public mutating func noteStored() { isChanged = false }

    /// The first field of which values came, and none could be read; nil: there is none.
    public var unreadable: String? {
        names.first { name in
            unread[name].map { $0.count > Self.straysMax && !$0.isReadElsewhere } ?? false
        }
    }
}

extension Entity {
    /// Fields whose values decide whether a record is kept, under which key, in which version and how it is found again.
    ///
    /// Such a value is never made null, because a wrong decision loses a row; its record is incompatible.
    var decidingFields: Set<String> {
        Set(
            records.key + records.keepIf.map(\.field) + tombstoneKey + (write.unique?.by ?? [])
                + records.fields.filter { $0.meta != nil }.map(\.name)
                + [
                    write.newerBy, page.keysetField, write.deletes?.softField, changeTagColumn,
                    recordNameColumn,
                ].compactMap(\.self))
    }
}
