/// Which secrets a job file names, and to which of its addresses each is sent.
public struct SecretUse: Sendable, Equatable {
    /// All that it names, sorted.
    public internal(set) var names: [String] = []
    /// Those that go to the source itself.
    public internal(set) var toSource: Set<String> = []
    /// Those that go to its token endpoint, or to the login's own address.
    public internal(set) var toTokenEndpoint: Set<String> = []

    /// Names no secret.
    public init() {}
}
