/// `store_lists` and `raise_counts` of `after`: what becomes of lists at a source with the preset.
extension NodeReading {
    func storeLists(_ node: Node) -> AfterStep.Action? {
        guard hasPreset(node), let keys = Keys(node, self, of: StoreListsKey.self) else {
            return nil
        }
        let type = keys.value(.recordType).flatMap { recordType($0) }
        let name = keys.value(.recordName).flatMap { template($0, []) }
        let fields = keys.value(.lists).flatMap { storedFields($0) }
        guard let type, let name, let fields else { return nil }
        return .storeLists(StoredLists(recordType: type, recordName: name, fields: fields))
    }

    private func storedFields(_ node: Node) -> [StoredLists.Field]? {
        guard let entries = entries(node) else { return nil }
        if entries.isEmpty { add(node, "expected at least one field with its list") }
        return entries.compactMap { entry in
            let field = fieldOfRecord(entry.key, at: entry.position, entry.value.path)
            guard let list = listName(entry.value), let field else { return nil }
            return StoredLists.Field(name: field, list: list)
        }
    }

    func raiseCounts(_ node: Node) -> AfterStep.Action? {
        guard hasPreset(node), let keys = Keys(node, self, of: RaiseCountsKey.self) else {
            return nil
        }
        let list = keys.value(.list).flatMap { listName($0) }
        let type = keys.value(.recordType).flatMap { recordType($0) }
        let field = keys.value(.field).flatMap { sourceName($0, "field") }
        guard let list, let type, let field else { return nil }
        return .raiseCounts(RaisedCounts(list: list, recordType: type, field: field))
    }

    /// Only the preset knows what a record is.
    private func hasPreset(_ node: Node) -> Bool {
        if !scope.isCloudKit { add(node, "it needs source.preset: cloudkit") }
        return scope.isCloudKit
    }
}
