public import JobFiles
public import Postgres

/// What became of a page's records before they meet the database.
public struct PageCounts: Sendable, Equatable {
    /// Records that the source sent.
    public var fetched = 0
    /// Records that do not have the fields and types of the job file, or that the database refuses.
    public var skippedIncompatible = 0
    /// Records that a rule of the job file leaves out.
    public var filtered = 0
    /// Records whose key another record of the page has.
    public var duplicate = 0

    /// Counts, nothing if none are given.
    public init(
        fetched: Int = 0, skippedIncompatible: Int = 0, filtered: Int = 0, duplicate: Int = 0
    ) {
        self.fetched = fetched
        self.skippedIncompatible = skippedIncompatible
        self.filtered = filtered
        self.duplicate = duplicate
    }

    /// Adds the counts of another page.
    public static func += (left: inout PageCounts, right: PageCounts) {
        left.fetched += right.fetched
        left.skippedIncompatible += right.skippedIncompatible
        left.filtered += right.filtered
        left.duplicate += right.duplicate
    }
}

/// What becomes of one row that a page sends to the server.
public enum RowAction: Int32, Sendable {
    /// Inserted, or updated where the write mode lets it.
    case write = 0
    /// Only noted as shown: filtered or unreadable here, but there at the source.
    case shown = 1
    /// Deleted.
    case tombstone = 2
}

/// The records of one page that are to be written, in page order.
///
/// Held as they are sent: a column for each field, and in it a value or null for each row.
public struct RecordBatch: Sendable {
    private let fields: [Field]
    /// Each as long as `actions`.
    public private(set) var columns: [BinaryArray]
    /// What becomes of each row.
    ///
    /// `shown` only for entities that sweep; of tombstones only the columns by which they find their
    /// row are set.
    public private(set) var actions: [RowAction] = []
    /// What became of the page's records.
    public var counts = PageCounts()
    /// Greatest value of the field that tells versions apart, over all readable records but those that lie ahead.
    public var maxSeen: FieldValue?
    /// When the pass began, microseconds since 1970: times behind it lie ahead.
    var begun = Int64.max
    /// When the page came, as far as clocks agree: a deletion behind it is none yet.
    var now = Int64.max
    /// Fields of which a record had the member, also a null one.
    private(set) var present: [Bool]
    /// Positions over all records of a keyset, the incompatible and the filtered included.
    var positions = SeenPositions()
    /// The first field that did not fit a record.
    public var misfit: String?
    /// Records the source could not give.
    public var failures: [RecordFailure] = []
    /// By field or flag, values that could not be read.
    public var unread: [String: UnreadValues] = [:]
    /// For each row the fields that could not be read, as an array's text; nil where nothing is sent back to the
    /// source.
    public private(set) var unreadFields: BinaryArray?
    /// Secrets that records bring, of each name the newest.
    public private(set) var secrets: [BroughtValue] = []
    /// What is told of records that are stored all the same.
    public var remarks: [RecordFailure] = []
    /// Records of types the entity does not sync, counted filtered.
    public var foreignTypes: Set<String> = []
    /// False: what the page does not show may still be there.
    public var isWhole = true
    /// Elements of the page's outermost list, by which the source counts its pages.
    public var listed = 0
    /// Records that nobody can name, as a part of their key is missing or can't be read; each may be a stored row's.
    public var unnamed = 0
    /// Inner lists that show a part of their records.
    public var cut = CutLists()

    /// An empty batch of an entity's records.
    public init(_ entity: Entity) {
        self.init(entity.records.fields, isSentBack: entity.push != nil)
    }

    init(_ fields: [Field], isSentBack: Bool = false) {
        self.fields = fields
        present = Array(repeating: false, count: fields.count)
        columns = fields.map { BinaryArray($0.element) }
        unreadFields = isSentBack ? BinaryArray(.text) : nil
    }

    /// What the page does not show is not there: all its records have names, and all its lists are whole.
    ///
    /// Positions move all the same: what it shows has been read.
    public var provesAbsence: Bool { unnamed == 0 && cut.count == 0 }

    /// How many records are to be written.
    public var writtenCount: Int { actions.count { $0 == .write } }

    /// How many say something of a stored row: those to write, and tombstones.
    public var sentCount: Int { actions.count { $0 != .shown } }

    /// The rows to write, each a value or null per field.
    public var rows: [[FieldValue?]] { rows(.write) }

    /// The rows of one action.
    func rows(_ action: RowAction) -> [[FieldValue?]] {
        indexes(of: action).map { row in fields.indices.map { value(of: $0, in: row) } }
    }

    /// Indexes of the rows of one action.
    public func indexes(of action: RowAction) -> [Int] {
        actions.indices.filter { actions[$0] == action }
    }

    /// A row's time in a column of timestamps, microseconds since 1970.
    func time(of column: Int, in row: Int) -> Int64? {
        if case .timestamp(let time)? = value(of: column, in: row) { time } else { nil }
    }

    /// One column of the rows to write.
    public func written(_ column: Int) -> BinaryArray {
        columns[column].keeping(indexes(of: .write))
    }

    /// A row's value of a column; nil for null.
    public func value(of column: Int, in row: Int) -> FieldValue? {
        let array = columns[column]
        return switch fields[column].kind {
        case .text, .url: array.text(at: row).map { .text($0) }
        case .timestamp: array.timestamptz(at: row).map { .timestamp($0) }
        case .int: array.int8(at: row).map { .int($0) }
        case .duration, .double: array.double(at: row).map { .double($0) }
        case .decimal: array.text(at: row).map { .decimal($0) }
        case .bool: array.bool(at: row).map { .bool($0) }
        case .json: array.text(at: row).map { .json($0) }
        }
    }
}

// Building a batch.
extension RecordBatch {
    /// Room for so many rows.
    mutating func reserve(rows: Int) {
        actions.reserveCapacity(rows)
        for index in columns.indices {
            // What texts take is not known before.
            let bytes = columns[index].element == .text ? 0 : 8 * rows
            columns[index].reserve(count: rows, bytes: bytes)
        }
    }

    /// Adds a row value by value: `append` is called for each column and adds one value, or nothing
    /// and returns false, which undoes the row.
    mutating func appendRow(
        _ action: RowAction, _ append: (Int, inout BinaryArray) -> Bool
    ) -> Bool {
        let row = actions.count
        for index in columns.indices where !append(index, &columns[index]) {
            for written in 0...index { columns[written].removeLast(downTo: row) }
            return false
        }
        actions.append(action)
        unreadFields?.appendNull()
        return true
    }

    /// Takes in a secret that a record brings, unless the page has a newer one.
    mutating func bring(_ value: BroughtValue) {
        if let index = secrets.firstIndex(where: { $0.name == value.name }) {
            if secrets[index].gives(wayTo: value) { secrets[index] = value }
        } else {
            secrets.append(value)
        }
    }

    /// Lends what is known of the fields' presence to who reads a record, so that it is not copied for each.
    mutating func takePresent() -> [Bool] {
        defer { present = [] }
        return present
    }

    /// Takes it back.
    mutating func put(present: [Bool]) { self.present = present }

    /// Counts a value that could not be read; the first one is the example.
    mutating func addUnread(_ name: String, _ example: String) {
        unread[name, default: UnreadValues(count: 0, example: example)].count += 1
    }

    /// Counts a value of a field that stands in its column and is not all that the source has.
    mutating func add(_ remark: FieldReader.Remark, on field: String) {
        let none = UnreadValues(
            count: 0, example: remark.example, isReadElsewhere: true, kind: remark.kind)
        let words = remark.kind == .cut ? "goes on" : "is rounded"
        unread["\(field) \(words)", default: none].count += 1
    }

    /// Marks fields of the last row as unread, so that their nulls are not sent back.
    mutating func markUnread(_ names: [String]) {
        guard unreadFields != nil, !names.isEmpty else { return }
        unreadFields?.removeLast(downTo: actions.count - 1)
        unreadFields?.append("{\(names.joined(separator: ","))}")
    }

    /// Tells that the source keeps the last row's text of the field as an asset, and which text that is.
    func assetMark(of field: Int) -> String {
        columns[field].withValue(at: actions.count - 1) { bytes in
            Reading.assetMark(
                fields[field].name, bytes.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// The page has a value of the field that could be read.
    func hasValue(of field: Int) -> Bool {
        let unread = unread[fields[field].name]?.count ?? 0
        // An unread value of a field with a default stands in the column as that.
        var rest = fields[field].defaultValue == nil ? 0 : unread
        for row in actions.indices where columns[field].withValue(at: row, { $0 != nil }) {
            if rest == 0 { return true }
            rest -= 1
        }
        return false
    }

    /// Adds a row of values.
    mutating func append(_ values: [FieldValue?], _ action: RowAction = .write) {
        _ = appendRow(action) { index, column in
            column.append(values[index])
            return true
        }
    }

    /// Undoes the last row.
    mutating func removeLast() {
        actions.removeLast()
        for index in columns.indices { columns[index].removeLast(downTo: actions.count) }
        unreadFields?.removeLast(downTo: actions.count)
    }

    mutating func setAction(_ action: RowAction, of row: Int) { actions[row] = action }

    /// Leaves out rows by their places.
    public mutating func remove(_ gone: Set<Int>) {
        guard !gone.isEmpty else { return }
        let kept = actions.indices.filter { !gone.contains($0) }
        actions = kept.map { actions[$0] }
        columns = columns.map { $0.keeping(kept) }
        unreadFields = unreadFields?.keeping(kept)
    }
}

extension BinaryArray {
    /// Adds a value of the array's own type, or a null.
    mutating func append(_ value: FieldValue?) {
        switch value {
        case nil: appendNull()
        case .text(let text), .json(let text), .decimal(let text): append(text)
        case .timestamp(let time): append(timestamptz: time)
        case .int(let number): append(int8: number)
        case .double(let number): append(double: number)
        case .bool(let flag): append(bool: flag)
        }
    }
}

extension Field {
    /// What its values are on the wire; JSON and numbers of many digits travel as text and are cast there.
    public var element: BinaryArray.Element {
        switch kind {
        case .text, .url, .json, .decimal: .text
        case .timestamp: .timestamptz
        case .int: .int8
        case .duration, .double: .double
        case .bool: .bool
        }
    }
}
