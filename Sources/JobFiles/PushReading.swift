/// `push`: how local edits reach the source.
extension NodeReading {
    /// `prefix`: what stands before the record type at the source, and not in the file.
    func push(_ node: Node, prefix: String) -> Push? {
        guard let keys = Keys(node, self, of: PushKey.self) else { return nil }
        let sendsDeletes = keys.bool(.deletes)
        let batch = keys.int(.batch)
        let type = keys.value(.recordType).flatMap { recordType($0) }
        let name = keys.value(.recordName).flatMap { recordName($0) }
        let operation = keys.word(.operation, as: Push.Operation.self)
        let conflict = keys[.onConflict].flatMap { self.conflict($0) }
        let debounce = keys.duration(.debounce)
        guard let sendsDeletes, let batch, let type, let name, let operation else { return nil }
        return Push(
            batch: batch, recordType: prefix + type, recordName: name,
            operation: operation,
            resolution: conflict?.resolution ?? .newestWins, conflictRounds: conflict?.rounds ?? 2,
            sendsDeletes: sendsDeletes, debounce: debounce)
    }

    private func recordName(_ node: Node) -> Template? {
        guard let template = template(node, .row) else { return nil }
        let hasRow = template.placeholders.contains {
            if case .row = $0 { true } else { false }
        }
        if !hasRow { add(node, "expected a placeholder {row.column}, so that names differ") }
        return hasRow ? template : nil
    }

    private func conflict(_ node: Node) -> (resolution: Push.Resolution, rounds: Int)? {
        guard let keys = Keys(node, self, of: ConflictKey.self) else { return nil }
        let resolution = keys.word(.resolve, as: Push.Resolution.self)
        let rounds = keys.int(.times)
        guard let resolution, let rounds else { return nil }
        return (resolution, rounds)
    }
}
