import Basics
public import JobFiles

// Long texts, which Core Data keeps in an asset beside their own field.
extension Entity {
    /// The record's field that holds the value of `field` as an asset where it is too long; nil when its source has
    /// none.
    ///
    /// Core Data has one for each text.
    public func assetName(of field: Field) -> String? {
        guard case .coreData? = cloudkit, field.kind == .text else { return nil }
        return field.sourceName.map { $0 + "_ckAsset" }
    }
}

/// Stands among a row's unread fields for a text that its source keeps as an asset.
///
/// While the column holds the same text, nobody has edited it. Nil when the text is not known.
public func assetMark(_ field: String, _ text: String?) -> String {
    "\(field)#\(text.map(stableHash) ?? "")"
}
