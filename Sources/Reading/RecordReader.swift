import Basics
import JSON
import JobFiles
import Postgres

/// Reads a page's records as one entity's job file declares them.
struct RecordReader: Sendable {
    /// A B-tree entry takes some 2,700 bytes, the user's number included.
    private static let keyBytesMax = 2000
    /// Clocks are rarely further apart, in microseconds.
    private static let skewMax: Int64 = 300_000_000

    private let entity: Entity
    private let finder: RecordFinder
    private let fields: [FieldReader]
    private let keyIndexes: [Int]
    /// The fields that say which record it is.
    private let identityIndexes: [Int]
    private let versionIndex: Int?
    /// The field whose greatest value is the next position.
    private let positionIndex: Int?
    /// Fields whose times decide how far was read.
    private let clockIndexes: [Int]
    private let tests: [(field: Int, test: KeepTest)]
    private let places: [KeepPlace]
    private let classifier: (any RecordClassifier)?
    private let tombstoneIndexes: [Int]
    /// Reads the mark of deleted records, where the file names one.
    private let flag: FieldReader?
    private let isTooOld: [AgeTest]
    private let secrets: BroughtSecretReader
    /// Records may be plain texts or numbers.
    private let takesPlainValues: Bool

    init(
        _ entity: Entity, _ classifier: (any RecordClassifier)? = nil, isTooOld: [AgeTest] = [],
        zone: TimeZone? = nil
    ) {
        self.entity = entity
        finder = RecordFinder(records: entity.records)
        self.classifier = classifier
        self.isTooOld = isTooOld
        let isNested = entity.records.at.steps.count { $0 == .each } > 1
        let deciding = entity.decidingFields.union(
            isTooOld.map { entity.records.fields[$0.field].name })
        fields = entity.records.fields.map {
            FieldReader(
                $0, isNested: isNested, zone: zone, decides: deciding.contains($0.name),
                isSoftMark: entity.write.deletes?.softField == $0.name,
                assetName: entity.assetName(of: $0))
        }
        takesPlainValues =
            fields.contains(where: \.isPlainRecord)
            || fields.contains(where: \.isWholeRecord)
                && fields.allSatisfy { $0.isWholeRecord || $0.isMade }
        let names = entity.records.fields.map(\.name)
        keyIndexes = entity.records.key.compactMap { names.firstIndex(of: $0) }
        identityIndexes = entity.identity.compactMap { names.firstIndex(of: $0) }
        versionIndex = entity.write.newerBy.flatMap { names.firstIndex(of: $0) }
        positionIndex = entity.page.keysetField.flatMap { names.firstIndex(of: $0) }
        clockIndexes = entity.clockFields.compactMap { names.firstIndex(of: $0) }
        tests = entity.records.keepIf.compactMap { rule in
            guard let index = names.firstIndex(of: rule.field),
                let test = KeepTest(rule, of: entity.records.fields[index])
            else { return nil }
            return (index, test)
        }
        places = entity.records.keepIf.compactMap {
            KeepPlace($0, isNested: isNested, zone: zone)
        }
        tombstoneIndexes = entity.tombstoneKey.compactMap { names.firstIndex(of: $0) }
        secrets = BroughtSecretReader(entity.records)
        flag = FieldReader(flagOf: entity)
    }

    /// Every text on a page that stands where a secret does; none where the page has no array.
    ///
    /// Throws `PageError` where more records bring one than a page's may.
    func secretValues(_ root: JSONNode) throws -> Set<[UInt8]> {
        try root.withTree { tree in
            let found = try? finder.find(in: root, tree)
            return try found.map { try secrets.values(of: $0.records, tree) } ?? []
        }
    }

    /// Reads, checks, filters and dedupes.
    ///
    /// `begun` is when the pass began, `now` when the page came, microseconds since 1970. `cut` are the inner lists
    /// that go on, where they were read on; with nil, what the page says of them counts.
    ///
    /// Throws `PageError.malformed` where the page has no array, or where a time that moves the watermark may be
    /// another.
    func read(
        _ root: JSONNode, begun: Int64 = .max, now: Int64 = .max, cut: CutLists? = nil
    ) throws -> RecordBatch {
        try root.withTree { tree in
            let found = try finder.find(in: root, tree)
            var page = BatchBuilder(
                self.entity, keyIndexes, tombstoneIndexes, rows: found.records.count)
            page.batch.begun = begun
            page.batch.now =
                now.addingReportingOverflow(Self.skewMax).overflow ? .max : now + Self.skewMax
            page.batch.listed = found.listed.count
            page.batch.cut = cut ?? found.cut
            for record in found.records {
                try checkZone(of: record, tree)
                read(record, tree, into: &page)
            }
            return page.finished()
        }
    }

    /// A time that decides how far was read, and names no offset, is hours away from what it seems (invariant 1).
    private func checkZone(of record: FoundValue, _ tree: JSONTree) throws {
        for index in clockIndexes {
            guard let text = fields[index].timeWithoutZone(record, tree) else { continue }
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
        page.batch.listed = nodes.count
        for node in nodes {
            node.withTree { read(FoundValue(node.treeIndex), $0, into: &page) }
        }
        return page.finished()
    }

    private func read(_ record: FoundValue, _ tree: JSONTree, into page: inout BatchBuilder) {
        page.batch.counts.fetched += 1
        if let flag, flag.standsTwice(record, tree) {
            page.batch.misfit = page.batch.misfit ?? "\(flag.name), which stands twice"
            return skip(record, tree, in: &page)
        }
        switch kind(of: record, tree, now: page.batch.now) {
        case .record: take(record, tree, into: &page)
        case .tombstone(let name): takeTombstone(name, record, tree, in: &page)
        case .foreign(let type):
            page.batch.foreignTypes.insert(type)
            page.batch.counts.filtered += 1
        case .unclear(let flag, let value):
            page.batch.addUnread(flag, value)
            page.batch.misfit = page.batch.misfit ?? flag
            page.batch.isWhole = false
            page.batch.counts.skippedIncompatible += 1
            readPosition(at: record, tree, in: &page.batch)
        case .failure(let failure):
            page.batch.failures.append(failure)
            page.batch.isWhole = false
            page.batch.counts.skippedIncompatible += 1
        }
    }

    private func kind(of record: FoundValue, _ tree: JSONTree, now: Int64) -> RecordKind {
        if let classifier { return classifier.kind(of: tree.node(at: record.index), in: entity) }
        guard let deletes = entity.write.deletes else { return .record }
        return RecordKind(of: tree.node(at: record.index), by: deletes, now: now)
    }

    private func take(_ record: FoundValue, _ tree: JSONTree, into page: inout BatchBuilder) {
        let unread = places.first { $0.keeps(record, tree) == nil }
        if let unread {
            page.batch.misfit = page.batch.misfit ?? unread.name
            page.batch.isWhole = false
        }
        guard unread == nil, append(record, tree, .write, to: &page.batch) else {
            return skip(record, tree, in: &page)
        }
        addVersion(of: page.last, in: &page.batch)
        readPosition(of: page.last, in: &page.batch)
        let standsWhereItMust = places.allSatisfy { $0.keeps(record, tree) == true }
        guard standsWhereItMust, isKept(page.last, of: page.batch) else {
            page.batch.counts.filtered += 1
            if entity.sweeps {
                page.batch.setAction(.shown, of: page.last)
            } else {
                page.batch.removeLast()
            }
            return
        }
        if !secrets.isEmpty { readSecrets(of: record, tree, into: &page) }
        page.keepLast(mode: entity.write.mode, version: versionIndex)
    }

    /// Counts an incompatible record, and notes that it is there.
    private func skip(_ record: FoundValue, _ tree: JSONTree, in page: inout BatchBuilder) {
        page.batch.counts.skippedIncompatible += 1
        readPosition(at: record, tree, in: &page.batch)
        // One without a name may be any row's record, which its absence must not delete.
        if entity.sweeps, !append(record, tree, .shown, to: &page.batch, only: identityIndexes) {
            page.batch.unnamed += 1
        }
    }

    private func readSecrets(
        of record: FoundValue, _ tree: JSONTree, into page: inout BatchBuilder
    ) {
        let changedAt = versionIndex.flatMap { page.batch.time(of: $0, in: page.last) }
        secrets.read(record, tree, changedAt: changedAt, into: &page.batch)
    }

    private func isKept(_ row: Int, of batch: RecordBatch) -> Bool {
        tests.allSatisfy { $0.test.keeps(batch.value(of: $0.field, in: row)) }
            && !isTooOld.contains { $0.applies(to: batch.value(of: $0.field, in: row)) }
    }

    /// A tombstone undoes what the page said of its record before; the other way round `keepLast`
    /// does.
    private func takeTombstone(
        _ name: String, _ record: FoundValue, _ tree: JSONTree, in page: inout BatchBuilder
    ) {
        readPosition(at: record, tree, in: &page.batch)
        guard entity.write.deletes?.appliesTombstones == true else {
            page.batch.counts.filtered += 1
            return
        }
        if classifier != nil, let index = tombstoneIndexes.first {
            var tombstone = [FieldValue?](repeating: nil, count: fields.count)
            tombstone[index] = .text(name)
            page.batch.append(tombstone, .tombstone)
        } else if !append(record, tree, .tombstone, to: &page.batch, only: tombstoneIndexes) {
            page.batch.counts.skippedIncompatible += 1
            return
        }
        if let versionIndex, append(record, tree, .shown, to: &page.batch, only: [versionIndex]) {
            addVersion(of: page.last, in: &page.batch)
            page.batch.removeLast()
        }
        page.applyLastTombstone()
    }

    /// A record that is not written still tells where the next page begins.
    private func readPosition(
        at record: FoundValue, _ tree: JSONTree, in batch: inout RecordBatch
    ) {
        guard let positionIndex,
            append(record, tree, .shown, to: &batch, only: [positionIndex])
        else { return }
        readPosition(of: batch.actions.count - 1, in: &batch)
        batch.removeLast()
    }

    private func readPosition(of row: Int, in batch: inout RecordBatch) {
        guard let positionIndex, let position = batch.value(of: positionIndex, in: row) else {
            return
        }
        batch.positions.add(position, isAhead: position.isAhead(of: batch.begun, as: nil))
    }

    private func addVersion(of row: Int, in batch: inout RecordBatch) {
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

    /// Adds the record's values; false, and nothing added, when it is incompatible.
    ///
    /// With `only` the other values are left null.
    private func append(
        _ record: FoundValue, _ tree: JSONTree, _ action: RowAction,
        to batch: inout RecordBatch,
        only: [Int]? = nil
    ) -> Bool {
        guard tree.kind(at: record.index) == .object || takesPlainValues else { return false }
        var misfit: String?
        var present = only == nil ? batch.takePresent() : []
        var unread: [Int] = []
        var fetched: [Int] = []
        var remarks: [(Int, FieldReader.Remark)] = []
        let isWhole = batch.appendRow(action) { index, column in
            guard only?.contains(index) ?? true else {
                column.appendNull()
                return true
            }
            let outcome = fields[index].read(record, tree, into: &column)
            if only == nil, outcome.isThere { present[index] = true }
            switch outcome {
            case .absent, .read: return true
            case .unread:
                unread.append(index)
                return true
            case .fetched:
                fetched.append(index)
                return true
            case .remarked(let remark):
                remarks.append((index, remark))
                return true
            case .misfit(let isUnread):
                misfit = entity.records.fields[index].name
                if isUnread { unread.append(index) }
                return false
            case .twice:
                misfit = "\(entity.records.fields[index].name), which stands twice"
                return false
            }
        }
        if only == nil {
            batch.put(present: present)
            for (index, remark) in remarks {
                batch.add(remark, on: entity.records.fields[index].name)
            }
        }
        if only == nil {
            addUnread(unread, of: record, tree, isWhole: isWhole, fetched: fetched, in: &batch)
        }
        guard isWhole else {
            if only == nil, batch.misfit == nil, let misfit {
                batch.misfit = misfit
            }
            return false
        }
        guard keyBytes(of: batch.actions.count - 1, in: batch) <= Self.keyBytesMax else {
            batch.removeLast()
            return false
        }
        return true
    }

    private func addUnread(
        _ unread: [Int], of record: FoundValue, _ tree: JSONTree, isWhole: Bool, fetched: [Int],
        in batch: inout RecordBatch
    ) {
        for index in unread {
            batch.addUnread(
                entity.records.fields[index].name, fields[index].excerpt(record, tree))
        }
        guard isWhole else { return }
        let marks = (unread + fetched).filter { fields[$0].isAsset(in: record, tree) }
        batch.markUnread(
            unread.map { entity.records.fields[$0].name } + marks.map { batch.assetMark(of: $0) })
    }

    private func keyBytes(of row: Int, in batch: RecordBatch) -> Int {
        keyIndexes.reduce(0) { sum, index in
            sum + batch.columns[index].withValue(at: row) { $0?.count ?? 8 }
        }
    }

    /// The last element of a page's outermost list; nil when there is none.
    func last(_ root: JSONNode) throws -> JSONNode? {
        try root.withTree { tree in
            try finder.find(in: root, tree).listed.last.map { tree.node(at: $0.index) }
        }
    }

    /// Stands for the keys of the records on a page, in whatever order; nil when there are none.
    ///
    /// A record without any stands for itself, and so do the elements of a list that hold no record.
    func keysHash(_ root: JSONNode) throws -> Int? {
        try root.withTree { tree in
            let page = try finder.find(in: root, tree)
            let found = page.records.isEmpty ? page.listed : page.records
            guard !found.isEmpty else { return nil }
            return found.reduce(found.count) { sum, record in
                var hasher = Hasher()
                let isMade = keyIndexes.contains { fields[$0].isMade }
                var keys =
                    page.records.isEmpty || isMade
                    ? [] : keyIndexes.compactMap { fields[$0].raw(record, tree) }
                if keys.isEmpty { keys = [tree.raw(at: record.index)] }
                for key in keys {
                    hasher.combine(key.count)
                    hasher.combine(bytes: UnsafeRawBufferPointer(key))
                }
                return sum &+ hasher.finalize()
            }
        }
    }
}
