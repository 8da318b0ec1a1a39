/// Which secrets a job file names, and to which of its addresses each is sent.
public struct SecretUse: Sendable, Equatable {
    /// All that it names, sorted.
    public internal(set) var names: [String] = []
    /// Those that go to the source itself, or that a token comes of which does.
    var toSource: Set<String> = []
    /// Those that go to its token endpoint, or to the login's own address.
    var toTokenEndpoint: Set<String> = []

    /// A request holds a secret, or what comes of one, so that a refusal may be of that.
    var isSent = false

    /// Names no secret.
    public init() {}

    /// The addresses that a secret, or a token that comes of it, is sent to; `base` is the source's as a run has it.
    public func addresses(of name: String, _ source: Source, at base: String) -> [String] {
        (toSource.contains(name) ? [base] : [])
            + (toTokenEndpoint.contains(name) ? [source.tokenURL].compactMap { $0 } : [])
    }
}
