import Basics
public import JSON
public import JobFiles

/// What an answer says of the one record that its source was asked for.
public enum RecordVerdict: Sendable, Equatable {
    case isThere
    /// It is deleted, or another record has taken its place.
    case isGone
    /// The answer shows no record.
    case isUnclear
}

/// Reads answers that show one record of an entity, however they are wrapped.
public struct AskedRecord: Sendable {
    /// Members by which sources say that a record is deleted where the file names none.
    private static let marks = ["deleted", "is_deleted", "isDeleted"]

    /// Members in which sources wrap a record, and null in them is none.
    private static let wrappers: Set = ["data", "result", "record", "item", "object"]

    private let entity: Entity
    private let keyFields: [Field]

    /// Of the records of `entity`.
    public init(of entity: Entity) {
        self.entity = entity
        keyFields = entity.records.key.compactMap { entity.records.field(named: $0) }
    }

    /// What the answer says of the record with that key, whose columns are written as the database writes them.
    ///
    /// `now`: microseconds since 1970.
    public func verdict(_ root: JSONNode, key: [String: String], now: Int64) -> RecordVerdict {
        if root.kind == .null { return .isGone }
        let candidates = candidates(in: root)
        // An envelope may have an `id` of its own: the record itself counts wherever it stands.
        let known = candidates.compactMap { candidate in
            isSame(candidate, key).map { (record: candidate, isSame: $0) }
        }
        if let own = known.first(where: \.isSame) {
            return isDeleted(own.record, now) ? .isGone : .isThere
        }
        if !known.isEmpty { return .isGone }
        if candidates.contains(where: { isDeleted($0, now) }) { return .isGone }
        let members = Array(root.members)
        guard members.count == 1, members[0].value.kind == .null,
            members[0].name.string.map(Self.wrappers.contains) ?? false
        else { return .isUnclear }
        return .isGone
    }

    /// The answer itself, what it wraps, and the only element of a list.
    private func candidates(in root: JSONNode) -> [JSONNode] {
        var found: [JSONNode] = []
        for node in [root] + root.members.map(\.value) {
            if node.kind == .object { found.append(node) }
            if node.kind == .array, node.count == 1 { found += node.elements }
        }
        return found.filter { $0.kind == .object }
    }

    /// Whether it bears the key, as far as it shows it; nil when it shows nothing of it.
    private func isSame(_ record: JSONNode, _ key: [String: String]) -> Bool? {
        let shown = keyFields.compactMap { field -> Bool? in
            guard let node = field.at.first(in: record), let text = key[field.name],
                let value = FieldValue.read(node, as: field) ?? nil
            else { return nil }
            return value.isStored(as: text)
        }
        return shown.isEmpty ? nil : shown.allSatisfy(\.self)
    }

    private func isDeleted(_ record: JSONNode, _ now: Int64) -> Bool {
        guard let deletes = entity.write.deletes, let flag = deletes.flagAt else {
            return Self.marks.contains { Truth.value(of: record[$0]) == true }
        }
        return deletes.isDeleted(flag.first(in: record), now: now) == true
    }
}

extension FieldValue {
    /// The database writes the value so; what can't be compared is taken for the same.
    fileprivate func isStored(as text: String) -> Bool {
        switch self {
        case .text(let own): own == text
        case .int(let number): wholeNumber(text).map { $0 == number } ?? true
        case .decimal(let own): DecimalText(text).map { $0.text == own } ?? true
        case .double(let number): Double(text).map { $0 == number } ?? true
        case .bool(let flag): flag == text.hasPrefix("t")
        case .timestamp(let time):
            Timestamp.microseconds(text.replacing(" ", with: "T")).map { $0 == time } ?? true
        case .json: true
        }
    }
}
