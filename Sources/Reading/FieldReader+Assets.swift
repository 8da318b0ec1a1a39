import JSON

// Values that a source keeps as assets.
extension FieldReader {
    /// The beginning of the record's value.
    ///
    /// Of an asset nothing is shown: its address is open to whoever has it.
    func excerpt(_ record: FoundValue, _ tree: JSONTree) -> String {
        let index = index(of: record, tree)
        if isAsset(in: record, tree) {
            guard let index, tree.kind(at: index) == .array,
                let reason = tree.node(at: index).elements.first(where: { _ in true })?.string
            else { return "asset that was not asked for" }
            return reason
        }
        guard let index else { return "" }
        let node = tree.node(at: index)
        return node["downloadURL"] == nil ? node.excerpt : "asset"
    }

    /// The record has an asset for the field.
    func isAsset(in record: FoundValue, _ tree: JSONTree) -> Bool {
        guard let assetNames else { return false }
        var isTwice = false
        return lead(from: record.index, by: assetNames[...], tree, &isTwice)
            .map { tree.kind(at: $0) != .null } ?? false
    }

    /// No text stands there.
    func isBlank(_ index: Int?, _ tree: JSONTree) -> Bool {
        guard let index else { return true }
        return tree.kind(at: index) == .null
            || tree.kind(at: index) == .string && tree.raw(at: index).count == 2
    }
}
