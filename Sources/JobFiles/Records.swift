public import JSON

/// Where the records are and what becomes of each.
public struct Records: Sendable, Equatable {
    /// Where in the page's body the records are.
    public var at: Path
    /// What tells records apart that have no key of their own.
    public enum Keyless: String, Sendable, CaseIterable {
        /// There is one record.
        case one
        /// Two records are the same one when all their mapped fields are.
        case content
    }
    /// Names of fields, all required.
    public var key: [String]
    /// What stands for a key that the records lack; nil when they have one.
    public var keyless: Keyless?
    /// The mapped fields in file order.
    public var fields: [Field]
    /// All must hold, else the record is counted `filtered`.
    public var keepIf: [KeepRule]
    /// One object where `at` has `[]` counts as a list of one.
    public var countsOneAsList = false
    /// An object where `at` first has `[]` counts as a list of its members.
    public var countsMapAsList = false
    /// Each line of the body is a JSON value of its own, and all of them are one list.
    public var areLines = false
    /// An object wherever `at` has `[]` counts as a list of what its members hold.
    public var countsValuesAsList = false
    /// A list that is not there, or null, is an empty one.
    public var absentIsEmpty = false
    /// How the rest of a list inside a record is read; nil when such a list is told.
    public var rest: Rest?
    /// The values of a record that are secrets of the user and no columns, in file order.
    public var secrets: [BroughtSecret] = []

    /// The column that holds what stands for a key.
    public static let rowKey = "row_key"

    /// The columns that say which item of `for_each` a row is of.
    var itemColumns: [String] { fields.filter(\.isOfItem).map(\.name) }

    /// The field of that name; nil without one.
    public func field(named name: String) -> Field? { fields.first { $0.name == name } }
}

/// How a list inside a record that shows a part of itself is read on.
public struct Rest: Sendable, Equatable {
    /// Where the next address of a list is, after the first one.
    public enum Next: Sendable, Equatable {
        /// At this path of each answer.
        case url(Path)
        /// It is the first one, with this query parameter: the value at the path in the list's last element.
        case after(query: String, Path)
    }
    /// Where the first address is, in the element of the outermost list.
    public var urlAt: Path
    /// Where in those answers the list is.
    public var at: Path
    /// Where the next address is; nil when one answer holds the whole rest.
    public var next: Next?
}

/// A value of a record that is a secret of the user: it is sealed and stored with the page, and stands nowhere else.
public struct BroughtSecret: Sendable, Equatable {
    /// The secret's name: the x of `{secret.x}`.
    public var name: String
    /// Where in the record.
    public var at: Path

    /// A field that would read it.
    public var field: Field {
        Field(
            name: name, at: at, kind: .text, required: false, defaultValue: nil, oneOf: nil,
            form: .plain)
    }
}

/// One value of a record and the column it goes to.
public struct Field: Sendable, Equatable {
    /// What a value must be.
    public enum Kind: String, Sendable, CaseIterable {
        case text, timestamp, duration, int, double, decimal, bool, json, url
    }
    /// The column's name.
    public var name: String
    /// Where in the record; empty: the whole record.
    public var at: Path
    /// Where else, in this order, when nothing is there or a null.
    public var others: [Path] = []
    /// How a value is made that stands at no one place; nil when it is read as it is.
    public var made: Made?
    /// What the value must be.
    public var kind: Kind
    /// Missing: the record is counted `skipped_incompatible`.
    public var required: Bool
    /// Stands in for a missing value; a duration's is in seconds.
    public var defaultValue: JSONValue?
    /// Permitted texts; another one makes the record incompatible.
    public var oneOf: [String]?
    /// How the value is written on the wire.
    public var form: Form
    /// Forms of a time, tried in their order; none: `form` says it.
    public var times: [TimeFormat] = []
    /// The record's own system value this is, such as `recordName`; nil means one of its fields.
    public var meta: String?

    /// How a value is made that stands at no one place of a record.
    public enum Made: Sendable, Equatable {
        /// It is the default, in every record.
        case constant
        /// The texts and numbers at these places, with this between them; null when one is missing.
        case joined([Path], with: String)
        /// SHA-256, in hexadecimal digits, of what stands at these places.
        case hashed([Path])
        /// That of the item of `for_each` which its pass is for.
        case item(String)

        /// The places whose values it is made of.
        public var paths: [Path] {
            switch self {
            case .constant, .item: []
            case .joined(let paths, _), .hashed(let paths): paths
            }
        }
    }

    /// It is of the item that its pass is for.
    public var isOfItem: Bool { if case .item? = made { true } else { false } }

    /// Every place of a record that it shows something of.
    var places: [Path] { made?.paths ?? [at] + others }

    /// How a value is written on the wire.
    public enum Form: String, Sendable, CaseIterable {
        /// As its type says: times as ISO 8601 texts, yes and no as JSON has them.
        case plain
        /// Times as numbers of seconds since 1970.
        case epochSeconds = "epoch_s"
        /// Times as numbers of milliseconds since 1970.
        case epochMilliseconds = "epoch_ms"
        /// Numbers as texts, as a source writes them whose readers would round them.
        case text
        /// Yes and no as 1 and 0.
        case number
        /// CloudKit's: times in milliseconds, yes and no as 1 and 0, whole numbers also as texts.
        case cloudkit
    }
}

/// A record is kept when its field compares so with the value.
public struct KeepRule: Sendable, Equatable {
    /// How the field is compared.
    public enum Comparison: String, Sendable, CaseIterable {
        case gte, gt, lte, lt, eq, ne
        /// The field is one of the values.
        case `in`
        /// There is a value, or there is none.
        case present
        /// The time lies ahead, or no longer ago than this, when the run is claimed.
        case youngerThan = "younger_than"
    }
    /// Name of a mapped field; empty where the value stands at a place that no field has.
    public var field: String
    /// Where in the record the value is that no column holds; nil for a mapped field.
    public var at: Path?
    /// What the value there must be.
    public var kind = Field.Kind.text
    /// How it is compared.
    public var comparison: Comparison
    /// Of the field's type, a list of them for `in`; a duration's is in seconds, and that of `younger_than` is the span as the file writes it.
    public var value: JSONValue
    /// Of `younger_than`: how old a record may be.
    public var span: Duration?
    /// A record without the value is kept too.
    public var keepsMissing = false

    /// What stands at the place that no column holds, as a field; nil where the rule is about a mapped one.
    public var place: Field? {
        at.map {
            Field(
                name: $0.description, at: $0, kind: kind, required: false, defaultValue: nil,
                oneOf: nil, form: .plain)
        }
    }
}

/// Where the records go and which version stays.
public struct Write: Sendable, Equatable {
    /// What happens to a record that is stored already.
    public enum Mode: String, Sendable, CaseIterable {
        case insertNew = "insert_new"
        case overwrite
        case newestWins = "newest_wins"
        /// Every pass is full, and what it did not show is deleted.
        case replaceAll = "replace_all"
    }
    /// Table in the schema `synced`.
    public var table: String
    /// What happens to a record that is stored already.
    public var mode: Mode
    /// Field that decides which version is newer; required by `newest_wins` and `max_seen`.
    public var newerBy: String?
    /// Rows that are one thing under several keys; nil when the key alone tells rows apart.
    public var unique: Unique?
    /// How a record's disappearance reaches its row; nil means never.
    public var deletes: Deletes?
    /// Columns that readers sort or search by, one index each over (user_id, columns…).
    public var indexes: [[String]]
    /// True: applications are told which rows changed.
    public var tellsChanges = false
}

/// A business key over many records of the source.
public struct Unique: Sendable, Equatable {
    /// Which row stays.
    public enum Keep: String, Sendable, CaseIterable { case oldest, newest }
    /// How a column of several rows becomes one value; all are associative and commutative.
    public enum Rule: String, Sendable, CaseIterable {
        /// True when any is, true when all are: for `bool`.
        case or, and
        /// For numbers.
        case max, min
        /// For times: the earliest, the latest.
        case oldest, newest
    }
    /// What becomes of the rows that do not stay.
    public enum Losers: String, Sendable, CaseIterable {
        /// Deleted here and, by a push, at the source.
        case delete
        /// Kept, and left out of the view of live rows.
        case keepHidden = "keep_hidden"
    }
    /// The columns that agree in rows which are one thing; a row where one is null is its own.
    public var by: [String]
    /// Which row stays; a tie is broken by the smallest key.
    public var keep: Keep
    /// The time that `keep` compares.
    public var keepField: String
    /// How the winner's columns are made of all rows' ones.
    public var merge: [Merge]
    /// What becomes of the others.
    public var losers: Losers

    /// How one column of several rows becomes one value.
    public struct Merge: Sendable, Equatable {
        /// The column.
        public var column: String
        /// How its values become one.
        public var rule: Rule
    }
}

/// How a record's disappearance reaches its row.
public struct Deletes: Sendable, Equatable {
    /// What a tombstone does to a row with an unsent local edit.
    public enum Unsent: String, Sendable, CaseIterable {
        case delete
        /// The row stays and is pushed as a new record.
        case localEditWins = "local_edit_wins"
    }
    /// What a flag is at the source.
    public enum Flag: Sendable, Equatable {
        /// True or false.
        case truth
        /// The time since when it is so.
        case time
        /// Whatever stands there, such as an object that says why.
        case present
        /// One of these words.
        case words([String])

        /// The words that a file has for the others.
        static let names: KeyValuePairs<String, Flag> = [
            "truth": .truth, "time": .time, "present": .present,
        ]
    }
    /// What a tombstone of the source does to its row.
    public enum Tombstones: String, Sendable, CaseIterable {
        case delete
        /// It is counted.
        case ignore
    }
    /// What a tombstone of the source does; nil where none can come.
    public var tombstones: Tombstones?
    /// What a tombstone does to a row with an unsent local edit.
    public var unsent: Unsent
    /// A record with true here is a tombstone.
    public var flagAt: Path?
    /// What stands there.
    public var flagIs: Flag
    /// The timestamp field whose value hides a row from the view of live rows.
    public var softField: String?
    /// Clean rows that two full, complete passes in a row did not show are deleted (invariant 6).
    public var sweeps: Bool
    /// A sweep that would delete more than this share of the user's rows deletes none; nil means no limit.
    public var maxFraction: Double?
    /// How the source is asked for a record that a full pass lacks; nil when the next full pass is the second look.
    public var confirmation: Confirmation?

    /// Tombstones of the source delete rows.
    public var appliesTombstones: Bool { tombstones == .delete }
}

/// How the source is asked for one record.
public struct Confirmation: Sendable, Equatable {
    /// Its path, with columns of the key.
    public var path: Template
    /// The columns that stand in it.
    public var columns: [String]
    /// Status codes that say that the record is gone.
    public var gone: [Int]
}
