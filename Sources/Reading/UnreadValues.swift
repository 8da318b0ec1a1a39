public import JSON

/// Values of one field that could not be read as its type, or are not what its column should hold.
public struct UnreadValues: Sendable, Equatable {
    /// What is the matter with them.
    public enum Kind: String, Sendable {
        /// They are of another type.
        case unread
        /// They hold a list that says that it goes on.
        case cut
        /// They have more digits than their column keeps.
        case rounded
        /// There are none: no record has the member.
        case absent
    }
    /// How many.
    public var count: Int
    /// The beginning of one of them, as the source wrote it.
    public var example: String
    /// Another value of the field was read in the same pass.
    public var isReadElsewhere: Bool
    /// What is the matter with them.
    public var kind = Kind.unread

    /// Describes what could not be read.
    public init(
        count: Int, example: String, isReadElsewhere: Bool = false, kind: Kind = .unread
    ) {
        self.kind = kind
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
                        isReadElsewhere: member.value["read_elsewhere"]?.bool ?? false,
                        kind: member.value["kind"]?.string.flatMap { Kind(rawValue: $0) } ?? .unread
                    )
                )
            }, uniquingKeysWith: { $1 })
    }

    /// The same as it is noted.
    public static func noted(_ all: [String: UnreadValues]) -> JSONValue {
        .object(
            all.sorted { $0.key < $1.key }.map { name, values in
                JSONMember(
                    name,
                    .object(
                        [
                            JSONMember("count", .integer(values.count)),
                            JSONMember("example", .string(values.example)),
                            JSONMember("read_elsewhere", .bool(values.isReadElsewhere)),
                        ]
                            + (values.kind == .unread
                                ? [] : [JSONMember("kind", .string(values.kind.rawValue))])))
            })
    }
}
