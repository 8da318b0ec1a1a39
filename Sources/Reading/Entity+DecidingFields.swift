import JobFiles

extension Entity {
    /// Fields whose values decide whether a record is kept, under which key, in which version and how it is found again.
    ///
    /// Such a value is never made null, because a wrong decision loses a row; its record is incompatible.
    var decidingFields: Set<String> {
        Set(
            records.key + records.keepIf.map(\.field) + tombstoneKey + (write.unique?.by ?? [])
                + records.fields.filter { $0.meta != nil }.map(\.name)
                + [
                    write.newerBy, page.keysetField, write.deletes?.softField, changeTagColumn,
                    recordNameColumn,
                ].compactMap(\.self))
    }

    /// Fields whose times decide how far was read.
    var clockFields: [String] {
        func kind(_ name: String) -> Field.Kind? {
            records.fields.first { $0.name == name }?.kind
        }
        var names: [String] = []
        if let position = page.keysetField, kind(position) == .timestamp {
            names.append(position)
        }
        // A text is a time only where the file says how times are written.
        if let incremental, incremental.watermark == .maxSeen, let version = write.newerBy,
            kind(version) == .timestamp
                || kind(version) == .text && incremental.format == .time(.iso8601)
        {
            names.append(version)
        }
        return names
    }
}
