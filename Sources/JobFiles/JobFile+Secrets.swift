import JSON

extension JobFile {
    /// The same with the names of its secrets.
    ///
    /// They are looked for in the whole file as it is written out, so that no key which a template may stand under is left out.
    func withSecretNames() -> JobFile {
        var names = Set(entities.flatMap { $0.records.secrets.map(\.name) })
        for case .secret(let name) in schedule.requires { names.insert(name) }
        names.formUnion(expandedValue.secretNames)
        var file = self
        file.secretNames = names.sorted()
        return file
    }
}

extension JSONValue {
    /// Names that stand as `{secret.name}` in a text of it.
    fileprivate var secretNames: [String] {
        switch self {
        // Most texts hold no placeholder, and a search for one costs more than a look at their bytes.
        case .string(let text) where text.utf8.contains(UInt8(ascii: "{")):
            text.split(separator: "{secret.").dropFirst(text.hasPrefix("{secret.") ? 0 : 1)
                .compactMap { $0.split(separator: "}", omittingEmptySubsequences: false).first }
                .map(String.init)
        case .array(let elements): elements.flatMap(\.secretNames)
        case .object(let members): members.flatMap(\.value.secretNames)
        default: []
        }
    }
}
