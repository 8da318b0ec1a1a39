public import JSON
public import JobFiles

/// Tells what an element of a page is, where a source marks that in words of its own.
public protocol RecordClassifier: Sendable {
    /// What an element of a page is to an entity.
    func kind(of record: JSONNode, in entity: Entity) -> RecordKind
}

/// What an element of a page is.
public enum RecordKind: Sendable, Equatable {
    case record
    /// Deleted at the source; the name, as column `record_name` holds it.
    case tombstone(name: String)
    /// It could not be read at the source: counted incompatible, and the pass is not whole.
    case failure(RecordFailure)
    /// Its flag is neither true nor false, so that nobody knows whether it is deleted.
    case unclear(flag: String, value: String)
    /// Of a type the entity does not sync: counted filtered.
    case foreign(type: String)
}

extension RecordKind {
    /// What a record is by the flag with which its source marks what is deleted.
    ///
    /// `now`: microseconds since 1970; a deletion behind it is none yet.
    init(of record: JSONNode, by deletes: Deletes, now: Int64) {
        guard let flag = deletes.flagAt else {
            self = .record
            return
        }
        let node = flag.first(in: record)
        switch deletes.isDeleted(node, now: now) {
        case true?: self = .tombstone(name: "")
        case false?: self = .record
        case nil: self = .unclear(flag: "flag_at \(flag)", value: node?.excerpt ?? "")
        }
    }
}

/// Why a single record could not be read or written.
public struct RecordFailure: Sendable, Equatable {
    /// The code of a record whose time lies ahead of the pass.
    public static let ahead = "AHEAD"

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
