import JobFile
import Postgres

/// What became of a page's records before they meet the database (AL1).
struct PageCounts: Sendable, Equatable {
    var fetched = 0
    var skippedIncompatible = 0
    var filtered = 0
    var duplicate = 0
}

/// What becomes of one row that a page sends to the server.
enum Fate: Int32, Sendable {
    case write = 0
    /// Only noted as shown: filtered or unreadable here, but there at the source.
    case shown = 1
    case tombstone = 2
}

/// The records of one page that are to be written, in page order.
///
/// Held as they are sent: a column for each field, and in it a value or null for each row.
struct RecordBatch: Sendable {
    private let fields: [Field]
    /// Each as long as `fates`.
    private(set) var columns: [BinaryArray]
    /// What becomes of each row.
    ///
    /// `shown` only for entities that sweep; of tombstones only the columns by which they find their
    /// row are set.
    private(set) var fates: [Fate] = []
    var counts = PageCounts()
    /// Records of earlier pages that this one's commit covers, which changed nothing, and of them
    /// those that were older than their rows.
    var sentBefore = 0
    var olderBefore = 0
    /// Hardly any of its rows is stored already, so that looking them up first is not worth it.
    var isProbablyNew = false
    /// Greatest value of the field that tells versions apart, over all readable records.
    var maxSeen: FieldValue?
    /// Greatest position over all records of a keyset, the incompatible and the filtered included.
    var greatestPosition: FieldValue?
    /// The first field that did not fit a record.
    var misfit: String?
    /// Records the source could not give.
    var failures: [RecordFailure] = []
    /// Records of types the entity does not sync, counted filtered.
    var foreignTypes: Set<String> = []
    /// False: what the page does not show may still be there (ST16).
    var isWhole = true

    /// An empty batch of an entity's records.
    init(_ entity: Entity) { self.init(entity.records.fields) }

    init(_ fields: [Field]) {
        self.fields = fields
        columns = fields.map { BinaryArray($0.element) }
    }

    /// How many records are to be written.
    var writtenCount: Int { fates.count { $0 == .write } }

    /// How many say something of a stored row: those to write, and tombstones.
    var sentCount: Int { fates.count { $0 != .shown } }

    /// The rows to write, each a value or null per field.
    var rows: [[FieldValue?]] { rows(.write) }

    /// The rows of one fate.
    func rows(_ fate: Fate) -> [[FieldValue?]] {
        places(of: fate).map { row in fields.indices.map { value(of: $0, in: row) } }
    }

    /// Places of the rows of one fate.
    func places(of fate: Fate) -> [Int] { fates.indices.filter { fates[$0] == fate } }

    /// One column of the rows to write.
    func written(_ column: Int) -> BinaryArray { columns[column].keeping(places(of: .write)) }

    /// A row's value of a column; nil: null.
    func value(of column: Int, in row: Int) -> FieldValue? {
        let array = columns[column]
        return switch fields[column].kind {
        case .text, .url: array.text(at: row).map { .text($0) }
        case .timestamp: array.timestamptz(at: row).map { .timestamp($0) }
        case .int: array.int8(at: row).map { .int($0) }
        case .duration, .double: array.double(at: row).map { .double($0) }
        case .bool: array.bool(at: row).map { .bool($0) }
        case .json: array.text(at: row).map { .json($0) }
        }
    }
}

// Building a batch.
extension RecordBatch {
    /// Room for so many rows.
    mutating func reserve(rows: Int) {
        fates.reserveCapacity(rows)
        for index in columns.indices {
            // What texts take is not known before.
            let bytes = columns[index].element == .text ? 0 : 8 * rows
            columns[index].reserve(count: rows, bytes: bytes)
        }
    }

    /// Adds a row value by value: `append` is called for each column and adds one value, or nothing
    /// and returns false, which undoes the row.
    mutating func appendRow(
        _ fate: Fate, _ append: (Int, inout BinaryArray) -> Bool
    ) -> Bool {
        let row = fates.count
        for index in columns.indices where !append(index, &columns[index]) {
            for written in 0...index { columns[written].removeLast(downTo: row) }
            return false
        }
        fates.append(fate)
        return true
    }

    /// Adds a row of values.
    mutating func append(_ values: [FieldValue?], _ fate: Fate = .write) {
        _ = appendRow(fate) { index, column in
            column.append(values[index])
            return true
        }
    }

    /// Undoes the last row.
    mutating func removeLast() {
        fates.removeLast()
        for index in columns.indices { columns[index].removeLast(downTo: fates.count) }
    }

    mutating func setFate(_ fate: Fate, of row: Int) { fates[row] = fate }

    /// Leaves out rows by their places.
    mutating func remove(_ gone: Set<Int>) {
        guard !gone.isEmpty else { return }
        let kept = fates.indices.filter { !gone.contains($0) }
        fates = kept.map { fates[$0] }
        columns = columns.map { $0.keeping(kept) }
    }
}

/// A record that a step after the entities would delete again is not written (ST23).
struct AgeTest: Sendable {
    /// Place of the timestamp among the fields.
    var field: Int
    /// Older than this, microseconds since 1970, is too old.
    var before: Int64

    func applies(to value: FieldValue?) -> Bool {
        guard case .timestamp(let time)? = value else { return false }
        return time < before
    }
}

extension BinaryArray {
    /// Adds a value of the array's own type, or a null.
    mutating func append(_ value: FieldValue?) {
        switch value {
        case nil: appendNull()
        case .text(let text), .json(let text): append(text)
        case .timestamp(let time): append(timestamptz: time)
        case .int(let number): append(int8: number)
        case .double(let number): append(double: number)
        case .bool(let flag): append(bool: flag)
        }
    }
}

extension Field {
    /// What its values are on the wire; JSON travels as text and is cast last.
    var element: BinaryArray.Element {
        switch kind {
        case .text, .url, .json: .text
        case .timestamp: .timestamptz
        case .int: .int8
        case .duration, .double: .double
        case .bool: .bool
        }
    }
}
