import Basics
import JSON
import JobFiles
import Postgres

/// Reads a page's records as one entity's job file declares them.
struct RecordReader: Sendable {
    /// A B-tree entry takes some 2,700 bytes, the user's number included.
    private static let keyBytesMax = 2000
    /// Ten times the largest `size`; each takes a place in every column.
    private static let recordsMax = 100_000
    /// Clocks are rarely further apart, in microseconds.
    private static let skewMax: Int64 = 300_000_000

    private let entity: Entity
    private let fields: [FieldReader]
    private let keyIndexes: [Int]
    private let versionIndex: Int?
    /// The field whose greatest value is the next position.
    private let positionIndex: Int?
    /// Fields whose times decide how far was read.
    private let clockIndexes: [Int]
    private let tests: [KeepTest]
    private let classifier: (any RecordClassifier)?
    private let tombstoneIndexes: [Int]
    private let isTooOld: [AgeTest]

    init(
        _ entity: Entity, _ classifier: (any RecordClassifier)? = nil, isTooOld: [AgeTest] = [],
        zone: TimeZone? = nil
    ) {
        self.entity = entity
        self.classifier = classifier
        self.isTooOld = isTooOld
        let isNested = entity.records.at.steps.count { $0 == .each } > 1
        let deciding = entity.decidingFields.union(
            isTooOld.map { entity.records.fields[$0.field].name })
        fields = entity.records.fields.map {
            FieldReader($0, isNested: isNested, zone: zone, decides: deciding.contains($0.name))
        }
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
        versionIndex = entity.write.newerBy.flatMap { names.firstIndex(of: $0) }
        positionIndex = entity.page.keysetField.flatMap { names.firstIndex(of: $0) }
        clockIndexes = Self.clocks(of: entity).compactMap { names.firstIndex(of: $0) }
        tests = entity.records.keepIf.compactMap { KeepTest($0, fields: entity.records.fields) }
        tombstoneIndexes = entity.tombstoneKey.compactMap { names.firstIndex(of: $0) }
    }

    private static func clocks(of entity: Entity) -> [String] {
        func kind(_ name: String) -> Field.Kind? {
            entity.records.fields.first { $0.name == name }?.kind
        }
        var names: [String] = []
        if let position = entity.page.keysetField, kind(position) == .timestamp {
            names.append(position)
        }
        // A text is a time only where the file says how times are written.
        if let incremental = entity.incremental, incremental.watermark == .maxSeen,
            let version = entity.write.newerBy,
            kind(version) == .timestamp
                || kind(version) == .text && incremental.format == .iso8601
        {
            names.append(version)
        }
        return names
    }

    /// Reads, checks, filters and dedupes; `begun` is when the pass began, microseconds since 1970.
    ///
    /// Throws `PageError.malformed` where the page has no array, or where a time that moves the watermark may be another.
    func read(_ root: JSONNode, begun: Int64 = .max) throws -> RecordBatch {
        try root.withPlaces { places in
            let found = try found(from: root.place, places)
            var page = BatchBuilder(self.entity, keyIndexes, tombstoneIndexes, rows: found.count)
            page.batch.begun = begun
            for record in found {
                try checkZone(of: record, places)
                read(record, places, into: &page)
            }
            return page.finished()
        }
    }

    /// A time that decides how far was read, and names no offset, is hours away from what it seems (invariant 1).
    private func checkZone(of record: FoundPlace, _ places: JSONPlaces) throws {
        for index in clockIndexes {
            guard let text = fields[index].timeWithoutZone(record, places) else { continue }
            let name = entity.records.fields[index].name
            throw PageError.malformed(
                "\(name) \"\(text)\" names no offset, and it decides how far was read: "
                    + (entity.records.fields[index].kind == .text
                        ? "make it a timestamp and name its time zone in source.zone"
                        : "name its time zone in source.zone"))
        }
    }

    /// The same for records that stand on no page, such as looked-up ones.
    func read(_ nodes: [JSONNode]) -> RecordBatch {
        var page = BatchBuilder(entity, keyIndexes, tombstoneIndexes, rows: nodes.count)
        for node in nodes {
            node.withPlaces { read(FoundPlace(node.place), $0, into: &page) }
        }
        return page.finished()
    }

    private func read(_ record: FoundPlace, _ places: JSONPlaces, into page: inout BatchBuilder) {
        page.batch.counts.fetched += 1
        switch kind(of: record, places) {
        case .record: take(record, places, into: &page)
        case .tombstone(let name): takeTombstone(name, record, places, in: &page)
        case .foreign(let type):
            page.batch.foreignTypes.insert(type)
            page.batch.counts.filtered += 1
        case .unclear(let flag, let value):
            page.batch.noteUnread(flag, value)
            page.batch.misfit = page.batch.misfit ?? flag
            page.batch.isWhole = false
            page.batch.counts.skippedIncompatible += 1
            notePosition(at: record, places, in: &page.batch)
        case .failure(let failure):
            page.batch.failures.append(failure)
            page.batch.isWhole = false
            page.batch.counts.skippedIncompatible += 1
        }
    }

    private func kind(of record: FoundPlace, _ places: JSONPlaces) -> RecordKind {
        if let classifier { return classifier.kind(of: places.node(at: record.place), in: entity) }
        guard let deletes = entity.write.deletes, let flag = deletes.flagAt else { return .record }
        let node = flag.first(in: places.node(at: record.place))
        let isDeleted = deletes.flagIs == .time ? Truth.value(ofTime: node) : Truth.value(of: node)
        switch isDeleted {
        case true?: return .tombstone(name: "")
        case false?: return .record
        case nil: return .unclear(flag: "flag_at \(flag)", value: node?.excerpt ?? "")
        }
    }

    private func take(_ record: FoundPlace, _ places: JSONPlaces, into page: inout BatchBuilder) {
        guard append(record, places, .write, to: &page.batch) else {
            page.batch.counts.skippedIncompatible += 1
            notePosition(at: record, places, in: &page.batch)
            // One without a key is no stored row's record, so that a sweep need not know of it.
            if entity.sweeps {
                _ = append(record, places, .shown, to: &page.batch, only: keyIndexes)
            }
            return
        }
        note(page.last, in: &page.batch)
        notePosition(of: page.last, in: &page.batch)
        guard isKept(page.last, of: page.batch) else {
            page.batch.counts.filtered += 1
            if entity.sweeps {
                page.batch.setAction(.shown, of: page.last)
            } else {
                page.batch.removeLast()
            }
            return
        }
        page.placeLast(mode: entity.write.mode, version: versionIndex)
    }

    private func isKept(_ row: Int, of batch: RecordBatch) -> Bool {
        tests.allSatisfy { $0.keeps(batch.value(of: $0.field, in: row)) }
            && !isTooOld.contains { $0.applies(to: batch.value(of: $0.field, in: row)) }
    }

    /// A tombstone undoes what the page said of its record before; the other way round `placeLast`
    /// does.
    private func takeTombstone(
        _ name: String, _ record: FoundPlace, _ places: JSONPlaces, in page: inout BatchBuilder
    ) {
        notePosition(at: record, places, in: &page.batch)
        guard entity.write.deletes?.appliesTombstones == true else {
            page.batch.counts.filtered += 1
            return
        }
        if classifier != nil, let index = tombstoneIndexes.first {
            var tombstone = [FieldValue?](repeating: nil, count: fields.count)
            tombstone[index] = .text(name)
            page.batch.append(tombstone, .tombstone)
        } else if !append(record, places, .tombstone, to: &page.batch, only: tombstoneIndexes) {
            page.batch.counts.skippedIncompatible += 1
            return
        }
        if let versionIndex, append(record, places, .shown, to: &page.batch, only: [versionIndex]) {
            note(page.last, in: &page.batch)
            page.batch.removeLast()
        }
        page.applyLastTombstone()
    }

    /// A record that is not written still tells where the next page begins.
    private func notePosition(
        at record: FoundPlace, _ places: JSONPlaces, in batch: inout RecordBatch
    ) {
        guard let positionIndex,
            append(record, places, .shown, to: &batch, only: [positionIndex])
        else { return }
        notePosition(of: batch.actions.count - 1, in: &batch)
        batch.removeLast()
    }

    private func notePosition(of row: Int, in batch: inout RecordBatch) {
        guard let positionIndex, let position = batch.value(of: positionIndex, in: row) else {
            return
        }
        batch.positions.note(position, isAhead: position.isAhead(of: batch.begun, as: nil))
    }

    private func note(_ row: Int, in batch: inout RecordBatch) {
        guard let versionIndex, let version = batch.value(of: versionIndex, in: row) else { return }
        guard !version.isAhead(of: batch.begun, as: entity.incremental?.format) else {
            return remark(on: version, of: row, in: &batch)
        }
        if let seen = batch.maxSeen, version.isLess(than: seen) ?? true { return }
        batch.maxSeen = version
    }

    /// A record that lies far ahead is told; a clock that is a little off, or a change during the pass, is not.
    private func remark(on version: FieldValue, of row: Int, in batch: inout RecordBatch) {
        guard entity.incremental?.watermark == .maxSeen, batch.remarks.isEmpty,
            version.isAhead(
                of: batch.begun.addingReportingOverflow(Self.skewMax).partialValue,
                as: entity.incremental?.format)
        else { return }
        let keys = keyIndexes.compactMap { batch.value(of: $0, in: row)?.watermarkText }
        batch.remarks = [
            RecordFailure(
                code: RecordFailure.ahead,
                reason:
                    "\(entity.write.newerBy ?? "") \(version.watermarkText ?? "") lies ahead; the record is stored and moves no watermark",
                record: keys.joined(separator: " "), wait: nil)
        ]
    }

    /// Adds the record's values; false, and nothing added, when it is incompatible (MH19, MS12, PO8).
    ///
    /// With `only` the other values are left null.
    private func append(
        _ record: FoundPlace, _ places: JSONPlaces, _ action: RowAction,
        to batch: inout RecordBatch,
        only: [Int]? = nil
    ) -> Bool {
        guard places.kind(at: record.place) == .object || fields.allSatisfy(\.isWholeRecord) else {
            return false
        }
        var misfit: Int?
        var unread: [Int] = []
        let isWhole = batch.appendRow(action) { index, column in
            guard only?.contains(index) ?? true else {
                column.appendNull()
                return true
            }
            switch fields[index].read(record, places, into: &column) {
            case .read: return true
            case .unread:
                unread.append(index)
                return true
            case .misfit(let isUnread):
                misfit = index
                if isUnread { unread.append(index) }
                return false
            }
        }
        if only == nil { note(unread, of: record, places, isWhole: isWhole, in: &batch) }
        guard isWhole else {
            if only == nil, batch.misfit == nil, let misfit {
                batch.misfit = entity.records.fields[misfit].name
            }
            return false
        }
        guard keyBytes(of: batch.actions.count - 1, in: batch) <= Self.keyBytesMax else {
            batch.removeLast()
            return false
        }
        return true
    }

    private func note(
        _ unread: [Int], of record: FoundPlace, _ places: JSONPlaces, isWhole: Bool,
        in batch: inout RecordBatch
    ) {
        for index in unread {
            batch.noteUnread(
                entity.records.fields[index].name, fields[index].excerpt(record, places))
        }
        guard isWhole else { return }
        batch.markUnread(unread.map { entity.records.fields[$0].name })
    }

    private func keyBytes(of row: Int, in batch: RecordBatch) -> Int {
        keyIndexes.reduce(0) { sum, index in
            sum + batch.columns[index].withValue(at: row) { $0?.count ?? 8 }
        }
    }

    /// Where the records are; a place that is no array is an error: taken for an empty page it
    /// would end the pass.
    ///
    /// In a nested path a parent may have no children, and a page no parents.
    private func found(from root: Int, _ places: JSONPlaces) throws -> [FoundPlace] {
        var found = [FoundPlace(root)]
        for step in entity.records.at.steps {
            switch step {
            case .member(let name):
                let name = Array(name.utf8)
                let members = found.compactMap { $0.member(name, places) }
                guard found.isEmpty || !members.isEmpty else { throw noArray }
                found = members
            case .each:
                guard found.allSatisfy({ isList($0, places) }) else { throw noArray }
                found = found.flatMap { $0.elements(places) }
                guard found.count <= Self.recordsMax else {
                    throw PageError.malformed("the page has more than \(Self.recordsMax) records")
                }
            }
        }
        return found
    }

    private func isList(_ found: FoundPlace, _ places: JSONPlaces) -> Bool {
        let kind = places.kind(at: found.place)
        return kind == .array || kind == .object && entity.records.countsOneAsList
    }

    /// The last record of a page; nil: there is none.
    func last(_ root: JSONNode) throws -> JSONNode? {
        try root.withPlaces { places in
            try found(from: root.place, places).last.map { places.node(at: $0.place) }
        }
    }

    /// Stands for the keys of the records on a page, in whatever order; nil: there are none.
    ///
    /// A record without any stands for itself.
    func keysHash(_ root: JSONNode) throws -> Int? {
        try root.withPlaces { places in
            let found = try found(from: root.place, places)
            guard !found.isEmpty else { return nil }
            return found.reduce(found.count) { sum, record in
                var hasher = Hasher()
                var keys = keyIndexes.compactMap { fields[$0].raw(record, places) }
                if keys.isEmpty { keys = [places.raw(at: record.place)] }
                for key in keys {
                    hasher.combine(key.count)
                    hasher.combine(bytes: UnsafeRawBufferPointer(key))
                }
                return sum &+ hasher.finalize()
            }
        }
    }

    private var noArray: PageError {
        .malformed("the page has no array at \(entity.records.at)")
    }
}
