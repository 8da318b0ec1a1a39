public import HTTP
public import JSON
public import JobFiles
public import JobQueue
public import Reading

/// What a source that speaks more than plain REST does its own way: the one seam to
/// sources.
///
/// The page loop asks and decides; a dialect only translates, and keeps nothing between calls.
public protocol SourceDialect: RecordClassifier {
    /// Signs one attempt; called anew for each, since a signature holds for minutes.
    ///
    /// Throws `RunEnd.needsReauth` when a secret is missing or is no key.
    func signed(
        _ request: HTTPRequest, with secrets: SourceSecrets, unixSeconds: Int
    ) throws -> HTTPRequest

    /// What the answer as a whole failed with, whatever its status; nil when it did not.
    ///
    /// `document` is the body when that is JSON; `request` is what was asked, for the failure's words.
    func failure(
        in response: HTTPResponse, _ document: JSONDocument?, to request: HTTPRequest
    ) -> SourceFailure?

    /// Name of the secret that each answer replaces, so that only one run at a time can use it; nil when none is.
    var rotatingSecret: String? { get }

    /// A credential that the answer replaces the sent one with.
    func newCredential(in response: HTTPResponse) -> NewCredential?

    /// Ends of the names of hosts from which assets are taken beside the source itself, such as `.example.org`.
    var assetHosts: [String] { get }

    /// An asset's bytes may be those of which a record gives the checksum; false: they are others.
    func mayBe(_ bytes: [UInt8], of checksum: String) -> Bool

    /// Takes a step that the job file names; `send` makes a request and throws what it fails with.
    ///
    /// Returns what is to be remembered of the step; `remembered` is what it returned before.
    func take(
        _ step: PresetStep, remembered: String?,
        send: (DialectRequest) async throws -> JSONDocument
    ) async throws -> String?

    /// Why the source has no form for a value of the operation; nil when it has one for each.
    ///
    /// Such an operation is in no request.
    func obstacle(to operation: PushOperation) -> String?

    /// The request that brings local rows to the source.
    func pushRequest(_ operations: [PushOperation], to place: RecordPlace) -> DialectRequest

    /// What became of each operation, in order; throws `RunEnd` malformed when that can't be told.
    func pushResults(
        _ document: JSONDocument, of operations: [PushOperation]
    ) throws -> [PushResult]

    /// The request that reads records by name, at most as many as a push may hold.
    func lookupRequest(_ names: [String], in place: RecordPlace) -> DialectRequest

    /// The records a look-up found, by name; nil means gone. A record that failed is left out.
    func lookedUp(_ document: JSONDocument) -> [String: JSONNode?]

    /// The tag of a record that was looked up; nil when it has none.
    func changeTag(of record: JSONNode) -> String?

    /// A whole number in a record that was looked up, 0 where the field is not set, with the record's tag.
    ///
    /// Nil when the field holds something else, or the record has no tag.
    func number(_ field: String, of record: JSONNode) -> (number: Int64, tag: String)?
}

/// The opened secrets of one run, for signing.
public struct SourceSecrets: Sendable {
    private let values: Values

    init(_ values: Values) { self.values = values }

    /// Fills templates with them.
    var renderer: Renderer { Renderer(values: values) }

    /// The same with what a login was answered with.
    func with(sessionToken token: String) -> SourceSecrets {
        var filled = values
        filled.sessionToken = token
        return SourceSecrets(filled)
    }

    /// The text of a credential's template.
    ///
    /// Throws `RunEnd.needsReauth` when a secret it names is not set.
    public func text(_ template: Template) throws -> String {
        for case .secret(let name) in template.placeholders where values.secrets[name] == nil {
            throw RunEnd.secretMissing(name)
        }
        return try Renderer(values: values).requiredText(template)
    }

    /// The secret of a name; throws `RunEnd.needsReauth` when it is not set.
    public func text(ofSecret name: String) throws -> String {
        try text(Template(pieces: [.placeholder(.secret(name))]))
    }
}

/// A request in a dialect's own words: a POST of JSON to a path below the base, or a GET.
public struct DialectRequest: Sendable {
    /// Path below the source's base.
    public var path: String
    /// The body; nil means a GET.
    public var body: JSONValue?

    /// Describes a request.
    public init(path: String, body: JSONValue?) {
        self.path = path
        self.body = body
    }
}

/// A failure in the source's own words.
public struct SourceFailure: Sendable {
    /// The source's code, such as `ZONE_NOT_FOUND`.
    public var code: String?
    /// The source's reason.
    public var reason: String
    /// How long the source wants to be left alone; nil when it does not say.
    public var wait: Duration?
    /// It may pass within the run, so that the retry rule applies.
    public var mayPass: Bool
    /// The source understood the request and refuses what it holds, so that a part of it may go.
    public var refusesContent: Bool
    /// How the run ends when nothing cures it.
    public var end: RunEnd

    /// Describes a failure.
    public init(
        code: String?, reason: String, wait: Duration?, mayPass: Bool, refusesContent: Bool,
        end: RunEnd
    ) {
        self.code = code
        self.reason = reason
        self.wait = wait
        self.mayPass = mayPass
        self.refusesContent = refusesContent
        self.end = end
    }
}

/// A secret that the source replaced.
public struct NewCredential: Sendable {
    /// Name of the secret.
    public var name: String
    /// Its new value.
    public var value: String

    /// Describes a replaced secret.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
