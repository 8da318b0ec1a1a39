import JSON

extension JobFile {
    /// The same with the names of its secrets, and where each is sent.
    ///
    /// They are looked for in the whole file as it is written out, so that no key which a template may stand under is left out.
    func withSecretNames() -> JobFile {
        let written = expandedValue
        var use = SecretUse()
        // What a sign-in sends to its own address comes back as a token that goes to the source.
        use.toSource = Set(written.secretNames)
        if source.tokenURL != nil {
            use.toTokenEndpoint = Set(written["source"]?["auth"]?.secretNames ?? [])
        }
        var names = use.toSource
        names.formUnion(entities.flatMap { $0.records.secrets.map(\.name) })
        for case .secret(let name) in schedule.requires { names.insert(name) }
        use.names = names.sorted()
        use.isSent = sendsSecrets
        var file = self
        file.secretUse = use
        return file
    }

    /// The names of its secrets, sorted.
    public var secretNames: [String] { secretUse.names }

    /// The addresses that a secret is sent to, by the file and a user's attributes; `base` in place of the source's own.
    ///
    /// The file must be the user's (`resolved(for:)`).
    public func addresses(ofSecret name: String, base: String? = nil) -> [String] {
        secretUse.addresses(of: name, source, at: base ?? source.base)
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
