// The columns of a synced table that mean something to the engine.
extension Entity {
    /// The column that holds the record's name at the source; nil: none is mapped from it.
    public var recordNameColumn: String? { column(ofMeta: "recordName") }

    /// The column that holds the record's change tag; nil: none is mapped from it.
    public var changeTagColumn: String? { column(ofMeta: "recordChangeTag") }

    /// The fields that a push sends: those of the record itself, not what the source says of it.
    public var pushedFields: [Field] {
        records.fields.filter { $0.meta == nil && !$0.at.steps.isEmpty }
    }

    private func column(ofMeta name: String) -> String? {
        records.fields.first { $0.meta == name }?.name
    }
}
