public import JSON

/// Where the records are and what becomes of each.
public struct Records: Sendable, Equatable {
    /// Where in the page's body the records are.
    public var at: Path
    /// Names of fields, all required.
    public var key: [String]
    /// The mapped fields in file order.
    public var fields: [Field]
    /// All must hold, else the record is counted `filtered`.
    public var keepIf: [KeepRule]

    /// The field of that name; nil without one.
    public func field(named name: String) -> Field? { fields.first { $0.name == name } }
}

/// One value of a record and the column it goes to.
public struct Field: Sendable, Equatable {
    /// What a value must be.
    public enum Kind: String, Sendable, CaseIterable {
        case text, timestamp, duration, int, double, bool, json, url
    }
    /// The column's name.
    public var name: String
    /// Where in the record; empty: the whole record.
    public var at: Path
    /// What the value must be.
    public var kind: Kind
    /// Missing: the record is counted `skipped_incompatible` (MH19).
    public var required: Bool
    /// Stands in for a missing value; a duration's is in seconds.
    public var defaultValue: JSONValue?
    /// Permitted texts; another one makes the record incompatible.
    public var oneOf: [String]?
}

/// A record is kept when its field compares so with the value.
public struct KeepRule: Sendable, Equatable {
    /// How the field is compared.
    public enum Comparison: String, Sendable, CaseIterable { case gte, gt, lte, lt, eq, ne }
    /// Name of a mapped field.
    public var field: String
    /// How it is compared.
    public var comparison: Comparison
    /// Of the field's type; a duration's is in seconds.
    public var value: JSONValue
}

/// Where the records go and which version stays.
public struct Write: Sendable, Equatable {
    /// What happens to a record that is stored already.
    public enum Mode: String, Sendable, CaseIterable {
        case insertNew = "insert_new"
        case overwrite
        case newestWins = "newest_wins"
    }
    /// Table in the schema `synced`.
    public var table: String
    /// What happens to a record that is stored already.
    public var mode: Mode
    /// Field that decides which version is newer; required by `newest_wins` and `max_seen`.
    public var newerBy: String?
}
