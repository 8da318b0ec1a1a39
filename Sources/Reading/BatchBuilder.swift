import JobFiles

/// A page's batch while it is built: which rows are one record, and which a later one undoes.
struct BatchBuilder {
    var batch: RecordBatch
    private var keys: KeyIndex
    /// By the columns of a tombstone: the last row that bears them, or the tombstone itself.
    private var tombstones: KeyIndex?
    /// For each row the one before it that a tombstone would find too.
    private var before: [Int: Int] = [:]
    private var gone: Set<Int> = []
    /// A sweep knows records by a name, so that one whose key another has is noted as shown all the same.
    private let notesNames: Bool

    init(_ entity: Entity, _ keyIndexes: [Int], _ tombstoneIndexes: [Int], rows: Int) {
        batch = RecordBatch(entity)
        batch.reserve(rows: rows)
        keys = KeyIndex(keyIndexes, rows: rows)
        notesNames = entity.sweeps && entity.nameBesideKey != nil
        if entity.write.deletes?.appliesTombstones == true, !tombstoneIndexes.isEmpty {
            tombstones = KeyIndex(tombstoneIndexes, rows: rows)
        }
    }

    /// The row that was added last.
    var last: Int { batch.actions.count - 1 }

    /// Keys must be unique in one statement.
    ///
    /// Which version stays is the mode's rule: the first, the last, or the newest.
    mutating func keepLast(mode: Write.Mode, version: Int?) {
        let row = last
        undoTombstone(before: row)
        let slot = keys.slot(of: row, in: batch)
        guard let present = keys[slot], !gone.contains(present) else {
            keys[slot] = row
            return link(row)
        }
        batch.counts.duplicate += 1
        guard replaces(row, present, mode, version) else {
            guard notesNames else { return batch.removeLast() }
            batch.setAction(.shown, of: row)
            return link(row)
        }
        if notesNames {
            batch.setAction(.shown, of: present)
        } else {
            gone.insert(present)
        }
        keys[slot] = row
        link(row)
    }

    /// The last row is a tombstone: undoes what it finds.
    mutating func applyLastTombstone() {
        let tombstone = last
        guard var tombstones else { return }
        let slot = tombstones.slot(of: tombstone, in: batch)
        var found = tombstones[slot]
        while let row = found {
            if gone.insert(row).inserted { batch.counts.duplicate += 1 }
            found = before[row]
        }
        tombstones[slot] = tombstone
        self.tombstones = tombstones
    }

    /// What is left of the page.
    consuming func finished() -> RecordBatch {
        batch.remove(gone)
        return batch
    }

    private func replaces(_ row: Int, _ present: Int, _ mode: Write.Mode, _ version: Int?) -> Bool {
        switch mode {
        case .insertNew: false
        case .overwrite, .replaceAll: true
        case .newestWins:
            // Of two equal versions the later place wins; a null one is equal to null and loses to all others.
            version.map { version in
                guard let before = batch.value(of: version, in: present) else { return true }
                guard let value = batch.value(of: version, in: row) else { return false }
                return !(value.isLess(than: before) ?? false)
            } ?? false
        }
    }

    /// A record that comes after its tombstone is there again.
    private mutating func undoTombstone(before row: Int) {
        guard let tombstones, let tombstone = tombstones[tombstones.slot(of: row, in: batch)],
            batch.actions[tombstone] == .tombstone
        else { return }
        if gone.insert(tombstone).inserted { batch.counts.duplicate += 1 }
    }

    private mutating func link(_ row: Int) {
        guard tombstones != nil, let slot = tombstones?.slot(of: row, in: batch) else { return }
        if let present = tombstones?[slot], batch.actions[present] == .write {
            before[row] = present
        }
        tombstones?[slot] = row
    }
}
