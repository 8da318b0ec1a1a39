public import HTTP
public import JSON
public import JobFile

/// What a source that speaks more than plain REST does its own way (DESIGN, section 5: the one seam
/// to sources).
///
/// The page loop asks and decides; a dialect only translates, and keeps nothing between calls.
public protocol SourceDialect: Sendable {
    /// Signs one attempt; called anew for each, since a signature holds for minutes.
    ///
    /// Throws `RunEnd.needsReauth` when a secret is missing or is no key.
    func signed(
        _ request: HTTPRequest, with secrets: SourceSecrets, unixSeconds: Int
    ) throws -> HTTPRequest

    /// What the answer as a whole failed with, whatever its status; nil: it did not.
    ///
    /// `document` is the body when that is JSON.
    func failure(in response: HTTPResponse, _ document: JSONDocument?) -> SourceFailure?

    /// A credential that the answer replaces the sent one with (MS27).
    func newCredential(in response: HTTPResponse) -> NewCredential?

    /// What an element of a page is to an entity.
    func kind(of record: JSONNode, in entity: Entity) -> RecordKind

    /// Takes a step that the job file names; `send` makes a request and throws what it fails with.
    ///
    /// Returns what is to be remembered of the step; `remembered` is what it returned before.
    func take(
        _ step: PresetStep, remembered: String?,
        send: (DialectRequest) async throws -> JSONDocument
    ) async throws -> String?

    /// The request that brings local rows to the source.
    func pushRequest(_ operations: [PushOperation], of entity: Entity) -> DialectRequest

    /// What became of each operation, in order; throws `RunEnd` malformed when that can't be told.
    func pushResults(
        _ document: JSONDocument, of operations: [PushOperation]
    ) throws -> [PushResult]

    /// The request that reads records by name, at most as many as a push may hold.
    func lookupRequest(_ names: [String], of entity: Entity) -> DialectRequest

    /// The records a look-up found, by name; nil: gone. A record that failed is left out.
    func lookedUp(_ document: JSONDocument) -> [String: JSONNode?]
}

/// The opened secrets of one run, for signing.
public struct SourceSecrets: Sendable {
    private let values: Values

    init(_ values: Values) { self.values = values }

    /// The text of a credential's template.
    ///
    /// Throws `RunEnd.needsReauth` when a secret it names is not set.
    public func text(_ template: Template) throws -> String {
        for case .secret(let name) in template.placeholders where values.secrets[name] == nil {
            throw RunEnd.needsReauth(message: "secret '\(name)' is not set")
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
    /// The body; nil: a GET.
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
    /// How long the source wants to be left alone; nil: it does not say.
    public var wait: Duration?
    /// It may pass within the run, so that the retry rule applies.
    public var mayPass: Bool
    /// How the run ends when nothing cures it.
    public var end: RunEnd

    /// Describes a failure.
    public init(code: String?, reason: String, wait: Duration?, mayPass: Bool, end: RunEnd) {
        self.code = code
        self.reason = reason
        self.wait = wait
        self.mayPass = mayPass
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

/// What an element of a page is.
public enum RecordKind: Sendable, Equatable {
    case record
    /// Deleted at the source; the name, as column `record_name` holds it (MS16).
    case tombstone(name: String)
    /// It could not be read at the source: counted incompatible, and the pass is not whole (ST16).
    case failure(RecordFailure)
    /// Of a type the entity does not sync: counted filtered (PO7).
    case foreign(type: String)
}

/// Why a single record could not be read or written (LU26).
public struct RecordFailure: Sendable, Equatable {
    /// The source's code.
    public var code: String
    /// The source's reason.
    public var reason: String
    /// Name of the record.
    public var record: String
    /// How long the source wants to be left alone with it.
    public var wait: Duration?

    /// Describes a failed record.
    public init(code: String, reason: String, record: String, wait: Duration?) {
        self.code = code
        self.reason = reason
        self.record = record
        self.wait = wait
    }
}

/// One row on its way to the source.
public struct PushOperation: Sendable, Equatable {
    /// What is to happen.
    public enum Action: Sendable, Equatable {
        /// There is no such record yet, as far as we know.
        case create
        /// The record with this change tag is replaced in the fields that are named.
        case update(changeTag: String)
        /// Whatever is there is overwritten in the fields that are named.
        case force
        /// The record is deleted, whatever it holds; one that is gone already counts as deleted.
        case delete
    }
    /// What is to happen.
    public var action: Action
    /// Name of the record.
    public var recordName: String
    /// Its fields; none for a deletion.
    public var fields: [PushField]
}

/// One field of a row on its way to the source.
public struct PushField: Sendable, Equatable {
    /// The field's name at the source.
    public var name: String
    /// Its type.
    public var kind: Field.Kind
    /// Its value; nil clears it.
    public var value: FieldValue?
}

/// What became of one operation.
public enum PushResult: Sendable, Equatable {
    /// The record now has this tag; `modifiedAt` in microseconds since 1970 when the source tells it.
    case saved(changeTag: String, modifiedAt: Int64?)
    case deleted
    /// Another version, or a record where none was expected (MS20).
    case conflict
    /// No such record: deleted elsewhere (LU19).
    case gone
    case failed(RecordFailure)
}
