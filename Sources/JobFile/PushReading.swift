/// `push`: how local edits reach the source.
extension Reading {
    private static let pushKeys = [
        "after", "select", "batch", "record_type", "record_name", "operation", "on_conflict",
        "mark_clean_if_unchanged_since_read", "debounce",
    ]

    func push(_ node: Node) -> Push? {
        guard let keys = Keys(node, self, known: Self.pushKeys) else { return nil }
        if let after = keys["after"] { _ = isWord("pull", after) }
        if let mark = keys["mark_clean_if_unchanged_since_read"] {
            isTrue(mark, otherwise: "a row edited while it is sent stays unsent")
        }
        let sendsDeletes = keys.required("select").flatMap { selection($0) }
        let batch = keys["batch"].map { int($0, 1...CloudKitPlace.batchMax) }
        let type = keys.required("record_type").flatMap { recordType($0) }
        let name = keys.required("record_name").flatMap { recordName($0) }
        let operation = keys["operation"].flatMap { word($0, "operation", as: Push.Operation.self) }
        let conflict = keys["on_conflict"].flatMap { self.conflict($0) }
        let debounce = keys["debounce"].flatMap { duration($0, .zero ... .hours(1)) }
        guard let sendsDeletes, let type, let name else { return nil }
        return Push(
            batch: (batch ?? nil) ?? CloudKitPlace.batchMax, recordType: type, recordName: name,
            operation: operation ?? .createOrUpdateWithTag,
            resolution: conflict?.resolution ?? .newestWins, conflictRounds: conflict?.rounds ?? 2,
            sendsDeletes: sendsDeletes, debounce: debounce)
    }

    /// What is sent is not the file's to choose; the words say it to whoever reads the file.
    ///
    /// Returns whether deletions are sent.
    private func selection(_ node: Node) -> Bool? {
        guard let keys = Keys(node, self, known: ["dirty", "deleted"]),
            let dirty = keys.required("dirty"), isWord("synced = false", dirty)
        else { return nil }
        guard let deleted = keys["deleted"] else { return false }
        return isWord("pending_delete", deleted) ? true : nil
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
        guard let keys = Keys(node, self, known: ["lookup", "resolve", "times"]) else { return nil }
        if let lookup = keys["lookup"] {
            isTrue(lookup, otherwise: "a conflict can't be resolved unseen")
        }
        let resolution = keys.required("resolve")
            .flatMap { word($0, "resolution", as: Push.Resolution.self) }
        let rounds = keys.required("times").flatMap { int($0, 0...10) }
        guard let resolution, let rounds else { return nil }
        return (resolution, rounds)
    }
}
