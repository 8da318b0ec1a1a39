public import JSON
public import JobFiles
import Reading
import Secrets

/// What placeholders stand for that belong to one request of a pass, and not to the whole run.
public struct PassValues: Sendable {
    /// Where an incremental pass begins; nil when a full one has no such place.
    public var since: JSONValue?
    /// Up to when it asks; nil outside of such a pass.
    public var until: JSONValue?
    /// The position of the page; nil when the pass begins.
    public var pageToken: JSONValue?
    /// How many records a page is asked for.
    public var pageSize: Int?
    /// The items of a `for_each` that the pass is for.
    public var chunk: [String]?
    /// The values of the item that the pass is for.
    public var each: [String: JSONValue] = [:]
    /// The row that the request is about, by its columns.
    public var row: [String: String] = [:]

    /// Values of no pass.
    public init() {}
}

/// The values placeholders stand for.
///
/// A missing one is nil, never an empty text.
public struct Values: Sendable {
    /// The user's own, a JSON object.
    public var attributes: JSONValue
    /// The opened secrets.
    var secrets: [String: SecretValue] = [:]
    /// Loaded when a call that sends them is made.
    public var lists: [String: [String]] = [:]
    /// Bodies of earlier calls of this run.
    public var answers: [String: JSONDocument] = [:]
    /// What the login of a session was answered with; nil where nothing is signed with it.
    var sessionToken: String?
    /// Those of one request.
    var pass = PassValues()

    /// When the run began, microseconds since 1970.
    let now: Int64

    init(attributes: JSONValue, now: Int64) {
        self.attributes = attributes
        self.now = now
    }

    /// The value of a placeholder; nil when there is none.
    public subscript(placeholder: Placeholder) -> JSONValue? {
        switch placeholder {
        case .user(let name): attributes[name]
        case .secret(let name):
            secrets[name].map { secret in
                .string(secret.withBytes { String(decoding: $0, as: UTF8.self) })
            }
        case .list(let name): lists[name].map { .array($0.map(JSONValue.string)) }
        case .since: pass.since
        case .until: pass.until
        case .now(let moment):
            Timestamp.value(now + moment.shift * 1_000, as: moment.format)
        case .pageToken: pass.pageToken
        case .pageSize: pass.pageSize.map(JSONValue.integer)
        case .call(let name, let path):
            answers[name].flatMap { path.first(in: $0.root) }?.value
        case .chunk: pass.chunk.map { .array($0.map(JSONValue.string)) }
        case .each(let name): pass.each[name]
        case .row(let name): pass.row[name].map(JSONValue.string)
        case .sessionToken: sessionToken.map(JSONValue.string)
        }
    }
}
