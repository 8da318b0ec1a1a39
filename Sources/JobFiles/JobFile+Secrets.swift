import JSON

extension JobFile {
    /// The same with the names of its secrets, and where each is sent.
    ///
    /// They are looked for in the whole file as it is written out, so that no key which a template may stand under is left out.
    func withSecretNames() -> JobFile {
        var use = SecretUse()
        let written = expandedValue
        let auth = Set(written["source"]?["auth"]?.secretNames ?? [])
        use.toSource = Set(written.without("source", "auth").secretNames)
        // A login is of the source, whatever its address; what the token endpoint is sent goes nowhere else.
        if source.tokenURL == nil || source.auth.isSession { use.toSource.formUnion(auth) }
        if source.tokenURL != nil { use.toTokenEndpoint = auth }
        var names = use.toSource.union(use.toTokenEndpoint)
        names.formUnion(entities.flatMap { $0.records.secrets.map(\.name) })
        for case .secret(let name) in schedule.requires { names.insert(name) }
        use.names = names.sorted()
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
        (secretUse.toSource.contains(name) ? [base ?? source.base] : [])
            + (secretUse.toTokenEndpoint.contains(name) ? [source.tokenURL].compactMap { $0 } : [])
    }
}

extension Authentication {
    fileprivate var isSession: Bool { if case .session = self { true } else { false } }
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

    /// The same object where the member of that name, itself an object, lacks a member.
    fileprivate func without(_ name: String, _ inner: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                guard member.name == name, case .object(let own) = member.value else {
                    return member
                }
                return JSONMember(name, .object(own.filter { $0.name != inner }))
            })
    }
}
