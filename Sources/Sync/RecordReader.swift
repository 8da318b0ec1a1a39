import JSON
import JobFile
import Queue

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
    private let entity: Entity
    private let dialect: (any SourceDialect)?
    private let tombstoneIndexes: [Int]
    /// Records lie inside records, so that `parent.x` is a value of the outer one.
    private let isNested: Bool
    private let isTooOld: [AgeTest]

    init(
        _ entity: Entity, dialect: (any SourceDialect)? = nil, isTooOld: [AgeTest] = []
    ) {
        self.entity = entity
        self.dialect = dialect
        self.isTooOld = isTooOld
        records = entity.records
        isNested = entity.records.at.steps.count { $0 == .each } > 1
        mode = entity.write.mode
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
        versionIndex = entity.write.newerBy.flatMap { names.firstIndex(of: $0) }
        defaults = entity.records.fields.map(FieldValue.fallback)
        tests = entity.records.keepIf.compactMap { KeepTest($0, fields: entity.records.fields) }
        tombstoneIndexes = entity.tombstoneKey.compactMap { names.firstIndex(of: $0) }
    }

    /// Reads, checks, filters and dedupes.
    ///
    /// Throws `RunEnd` malformed where the page has no array.
    func read(_ root: JSONNode) throws -> RecordBatch {
        try read(found(in: root))
    }

    /// The same for records that stand on no page, such as looked-up ones.
    func read(_ nodes: [JSONNode]) -> RecordBatch {
        read(nodes.map { FoundNode(node: $0, owner: $0, parent: nil) })
    }

    private func read(_ nodes: [FoundNode]) -> RecordBatch {
        var batch = RecordBatch()
        var places: [[[UInt8]]: Int] = [:]
        for found in nodes {
            let node = found.node
            batch.counts.fetched += 1
            switch dialect?.kind(of: node, in: entity) ?? plainKind(of: node) {
            case .record: take(found, into: &batch, at: &places)
            case .tombstone(let name): bury(name, found, in: &batch, &places)
            case .foreign(let type):
                batch.foreignTypes.insert(type)
                batch.counts.filtered += 1
            case .failure(let failure):
                batch.failures.append(failure)
                batch.isWhole = false
                batch.counts.skippedIncompatible += 1
            }
        }
        batch.rows.removeAll(where: \.isEmpty)
        return batch
    }

    private func take(
        _ node: FoundNode, into batch: inout RecordBatch, at places: inout [[[UInt8]]: Int]
    ) {
        guard let row = row(of: node) else {
            batch.counts.skippedIncompatible += 1
            // One without a key is no stored row's record, so that a sweep need not know of it.
            if entity.sweeps, let key = row(of: node, only: keyIndexes) { batch.shown.append(key) }
            return
        }
        note(row, in: &batch)
        guard tests.allSatisfy({ $0.keeps(row[$0.field]) }),
            !isTooOld.contains(where: { $0.applies(to: row) })
        else {
            batch.counts.filtered += 1
            if entity.sweeps { batch.shown.append(row) }
            return
        }
        place(row, in: &batch, at: &places)
    }

    private func plainKind(of node: JSONNode) -> RecordKind {
        guard let flag = entity.write.deletes?.flagAt, flag.first(in: node)?.bool == true else {
            return .record
        }
        return .tombstone(name: "")
    }

    /// A tombstone undoes what the page said of its record before; the other way round `place` does.
    private func bury(
        _ name: String, _ node: FoundNode, in batch: inout RecordBatch,
        _ places: inout [[[UInt8]]: Int]
    ) {
        guard entity.write.deletes?.appliesTombstones == true else {
            batch.counts.filtered += 1
            return
        }
        var grave = [FieldValue?](repeating: nil, count: records.fields.count)
        if dialect != nil, let index = tombstoneIndexes.first {
            grave[index] = .text(name)
        } else if let key = row(of: node, only: tombstoneIndexes) {
            grave = key
        } else {
            batch.counts.skippedIncompatible += 1
            return
        }
        if let versionIndex, let buried = row(of: node, only: [versionIndex]) {
            note(buried, in: &batch)
        }
        let undone = batch.rows.indices.filter { isSame(batch.rows[$0], grave) }
        for index in undone { batch.rows[index] = [] }
        batch.counts.duplicate += undone.count
        if !undone.isEmpty { places = places.filter { !batch.rows[$0.value].isEmpty } }
        batch.counts.duplicate += batch.tombstones.count { $0 == grave }
        batch.tombstones.removeAll { $0 == grave }
        batch.tombstones.append(grave)
    }

    private func isSame(_ row: [FieldValue?], _ grave: [FieldValue?]) -> Bool {
        !row.isEmpty && !tombstoneIndexes.isEmpty
            && tombstoneIndexes.allSatisfy { row[$0] == grave[$0] }
    }

    /// The record nodes; a place that is no array is an error, never an empty page (U5).
    ///
    /// In a nested path a parent may have no children, and a page no parents.
    private func found(in root: JSONNode) throws -> [FoundNode] {
        var nodes = [FoundNode(node: root, owner: root, parent: nil)]
        for step in records.at.steps {
            switch step {
            case .member(let name):
                let found = nodes.compactMap { $0.member(name) }.filter { $0.node.kind != .null }
                guard nodes.isEmpty || !found.isEmpty else { throw noArray }
                nodes = found
            case .each:
                guard nodes.allSatisfy({ $0.node.kind == .array }) else { throw noArray }
                nodes = nodes.flatMap(\.elements)
            }
        }
        return nodes
    }

    private var noArray: RunEnd {
        .failed(.malformed, "the page has no array at \(records.at)")
    }

    /// The record's values; nil when it is incompatible (MH19, MS12, PO8).
    ///
    /// With `only` the other values are left null.
    private func row(of found: FoundNode, only: [Int]? = nil) -> [FieldValue?]? {
        let node = found.node
        guard node.kind == .object || records.fields.allSatisfy(\.at.steps.isEmpty) else {
            return nil
        }
        var row: [FieldValue?] = []
        row.reserveCapacity(records.fields.count)
        for (index, field) in records.fields.enumerated() {
            if let only, !only.contains(index) {
                row.append(nil)
                continue
            }
            let place = field.at.steps.isEmpty ? node : found.first(field.at, isNested: isNested)
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
        if !batch.tombstones.isEmpty {
            let graves = batch.tombstones.count
            batch.tombstones.removeAll { isSame(row, $0) }
            batch.counts.duplicate += graves - batch.tombstones.count
        }
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

/// A record on a page, and the record it lies in.
private struct FoundNode {
    var node: JSONNode
    /// The record that `node` is, or is a part of.
    var owner: JSONNode
    var parent: JSONNode?

    func member(_ name: String) -> FoundNode? {
        node[name].map { FoundNode(node: $0, owner: owner, parent: parent) }
    }

    var elements: [FoundNode] {
        node.elements.map { FoundNode(node: $0, owner: $0, parent: owner) }
    }

    /// What a field's path leads to: within the record, or by `parent.` within the outer one.
    func first(_ path: Path, isNested: Bool) -> JSONNode? {
        guard isNested, path.steps.first == .member("parent"), let parent else {
            return path.first(in: node)
        }
        return Path(steps: Array(path.steps.dropFirst())).first(in: parent)
    }
}
