import JSON
import JobFile
import Queue

/// What became of a page's records before they meet the database (AL1).
struct PageCounts: Sendable, Equatable {
    var fetched = 0
    var skippedIncompatible = 0
    var filtered = 0
    var duplicate = 0
}

/// The records of one page that are to be written, in page order.
struct RecordBatch: Sendable {
    /// One row per record: a value or null per field.
    var rows: [[FieldValue?]] = []
    var counts = PageCounts()
    /// Greatest value of the field that tells versions apart, over all readable records.
    var maxSeen: FieldValue?
}

/// Reads a page's records as one entity's job file declares them.
struct RecordReader: Sendable {
    /// A B-tree entry takes some 2,700 bytes, the user's number included.
    private static let keyBytesMax = 2000

    private let records: Records
    private let mode: Write.Mode
    private let keyIndexes: [Int]
    private let versionIndex: Int?
    private let defaults: [FieldValue?]
    private let tests: [KeepTest]

    init(_ entity: Entity) {
        records = entity.records
        mode = entity.write.mode
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
        versionIndex = entity.write.newerBy.flatMap { names.firstIndex(of: $0) }
        defaults = entity.records.fields.map(FieldValue.fallback)
        tests = entity.records.keepIf.compactMap { KeepTest($0, fields: entity.records.fields) }
    }

    /// Reads, checks, filters and dedupes.
    ///
    /// Throws `RunEnd` malformed where the page has no array.
    func read(_ root: JSONNode) throws -> RecordBatch {
        var batch = RecordBatch()
        var places: [[[UInt8]]: Int] = [:]
        for node in try recordNodes(root) {
            batch.counts.fetched += 1
            guard let row = row(of: node) else {
                batch.counts.skippedIncompatible += 1
                continue
            }
            note(row, in: &batch)
            guard tests.allSatisfy({ $0.keeps(row[$0.field]) }) else {
                batch.counts.filtered += 1
                continue
            }
            place(row, in: &batch, at: &places)
        }
        return batch
    }

    /// The record nodes; a place that is no array is an error, never an empty page (U5).
    ///
    /// In a nested path a parent may have no children, and a page no parents.
    private func recordNodes(_ root: JSONNode) throws -> [JSONNode] {
        var nodes = [root]
        for step in records.at.steps {
            switch step {
            case .member(let name):
                let found = nodes.compactMap { $0[name] }.filter { $0.kind != .null }
                guard nodes.isEmpty || !found.isEmpty else { throw noArray }
                nodes = found
            case .each:
                guard nodes.allSatisfy({ $0.kind == .array }) else { throw noArray }
                nodes = nodes.flatMap { Array($0.elements) }
            }
        }
        return nodes
    }

    private var noArray: RunEnd {
        .failed(.malformed, "the page has no array at \(records.at)")
    }

    /// The record's values; nil when it is incompatible (MH19, MS12, PO8).
    private func row(of node: JSONNode) -> [FieldValue?]? {
        guard node.kind == .object || records.fields.allSatisfy(\.at.steps.isEmpty) else {
            return nil
        }
        var row: [FieldValue?] = []
        row.reserveCapacity(records.fields.count)
        for (index, field) in records.fields.enumerated() {
            let place = field.at.steps.isEmpty ? node : field.at.first(in: node)
            guard let read = FieldValue.read(place, as: field) else { return nil }
            let value = read ?? defaults[index]
            if value == nil && field.required { return nil }
            if let allowed = field.oneOf, case .text(let text) = value, !allowed.contains(text) {
                return nil
            }
            row.append(value)
        }
        return keyBytes(row) <= Self.keyBytesMax ? row : nil
    }

    private func keyBytes(_ row: [FieldValue?]) -> Int {
        keyIndexes.reduce(0) { sum, index in
            switch row[index] {
            case .text(let text), .json(let text): sum + text.utf8.count
            default: sum + 8
            }
        }
    }

    private func note(_ row: [FieldValue?], in batch: inout RecordBatch) {
        guard let versionIndex, let version = row[versionIndex] else { return }
        if let seen = batch.maxSeen, version.isLess(than: seen) ?? true { return }
        batch.maxSeen = version
    }

    /// Keys must be unique in one statement.
    ///
    /// Which version stays is the mode's rule: the first (MH21), the last, or the newest.
    private func place(
        _ row: [FieldValue?], in batch: inout RecordBatch, at places: inout [[[UInt8]]: Int]
    ) {
        let key = keyIndexes.map { row[$0]?.keyBytes ?? [] }
        guard let place = places[key] else {
            places[key] = batch.rows.count
            batch.rows.append(row)
            return
        }
        batch.counts.duplicate += 1
        switch mode {
        case .insertNew: break
        case .overwrite, .replaceAll: batch.rows[place] = row
        case .newestWins:
            if let versionIndex, let version = row[versionIndex],
                batch.rows[place][versionIndex]?.isLess(than: version) ?? true
            {
                batch.rows[place] = row
            }
        }
    }
}
