public import JSON

extension JobFile {
    /// Something of it is not known before its user is.
    public var isPersonal: Bool { !inputs.isEmpty || source.isPersonal }

    /// The file as a run of one user has it, and the user's attributes as its inputs make them.
    ///
    /// Every place that asks for an attribute or an address sees these; a file that has neither inputs nor placeholders
    /// in its addresses is handed back as it is. Throws what makes an attribute of no use to it.
    public func resolved(
        for attributes: JSONValue
    ) throws(InputProblem) -> (file: JobFile, attributes: JSONValue) {
        guard isPersonal else { return (self, attributes) }
        let attributes = try withInputs(attributes)
        var file = self
        try file.source.fill(with: attributes)
        return (file, attributes)
    }

    /// The names under which budget and breaker of the user's source are asked for; none where a run would be skipped.
    public func budgetNames(for attributes: JSONValue) -> [String] {
        guard isPersonal else { return [source.id] }
        return (try? resolved(for: attributes))?.file.source.budgetNames ?? []
    }

    private func withInputs(_ attributes: JSONValue) throws(InputProblem) -> JSONValue {
        guard !inputs.isEmpty else { return attributes }
        var members = attributes.members ?? []
        for input in inputs {
            guard let value = try input.resolved(attributes[input.name]) else {
                throw InputProblem(message: "user attribute '\(input.name)' is not set")
            }
            members.removeAll { $0.name == input.name }
            members.append(JSONMember(input.name, value))
        }
        return .object(members)
    }
}

extension Source {
    /// An attribute of the user stands in an address of it.
    var isPersonal: Bool { base.contains("{") || tokenURL?.contains("{") ?? false }

    /// Where access tokens come from; nil where none are asked for, or at the source's own address.
    public var tokenURL: String? { auth.tokenAddress }

    /// The name that its budget and its breaker have: its own, and the host where users choose it.
    public var budgetName: String { chosenHost.map { "\(id)@\($0)" } ?? id }

    /// The same, and the one that they have where the tenant has an address of its own.
    public var budgetNames: [String] { chosenHost == nil ? [id] : [budgetName, id] }

    /// At the tenant's own address, which nobody chose but the operator.
    public func moved(to base: String) -> Source {
        var source = self
        source.base = base
        source.chosenHost = nil
        source.reachesPublicOnly = false
        return source
    }

    fileprivate mutating func fill(with attributes: JSONValue) throws(InputProblem) {
        let isPersonal = isPersonal
        if let template = AddressTemplate(base) {
            let address = try template.rendered(with: attributes, hosts: hosts)
            base = address.text
            chosenHost = address.chosenHost
            reachesPublicOnly = address.isPublicOnly
        }
        if let template = tokenURL.flatMap({ AddressTemplate($0) }) {
            let address = try template.rendered(with: attributes, hosts: hosts)
            auth.tokenAddress = address.text
            tokenReachesPublicOnly = address.isPublicOnly
        }
        isOfUser = isPersonal
    }
}

extension Authentication {
    /// How access tokens are asked for; nil where none are.
    fileprivate(set) var client: OAuth2? {
        get {
            switch self {
            case .oauth2Client(let client), .oauth2Refresh(let client, _),
                .oauth2Password(let client, _, _), .oauth2JWT(let client, _):
                client
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .oauth2Client: self = .oauth2Client(newValue)
            case .oauth2Refresh(_, let token): self = .oauth2Refresh(newValue, refreshToken: token)
            case .oauth2Password(_, let user, let password):
                self = .oauth2Password(newValue, user: user, password: password)
            case .oauth2JWT(_, let assertion): self = .oauth2JWT(newValue, assertion)
            default: break
            }
        }
    }
}

extension Authentication {
    /// The address that is asked for tokens, or that a login is below.
    fileprivate var tokenAddress: String? {
        get { if case .session(let session) = self { session.base } else { client?.tokenURL } }
        set {
            if case .session(var session) = self {
                session.base = newValue
                self = .session(session)
            } else if let newValue {
                client?.tokenURL = newValue
            }
        }
    }
}

extension OAuth2 {
    /// Whether a request goes to the token endpoint, whatever stands for its placeholders.
    public func isAsked(at url: String) -> Bool {
        guard let template = try? Template(parsing: tokenURL), !template.placeholders.isEmpty
        else { return url == tokenURL }
        var rest = url[...]
        for (number, piece) in template.pieces.enumerated() {
            guard case .literal(let text) = piece else { continue }
            let isLast = number == template.pieces.count - 1
            if number == 0, !rest.hasPrefix(text) || isLast && rest != text { return false }
            if isLast { return rest.hasSuffix(text) }
            guard let found = rest.firstRange(of: text) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
