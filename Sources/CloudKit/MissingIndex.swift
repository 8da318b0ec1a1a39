import Basics
import HTTP
import JSON

/// An index that a query needs and the schema does not have: Apple makes none by itself.
struct MissingIndex {
    private let field: String
    private let kind: String

    /// Reads Apple's reason; nil when it is of something else.
    init?(reason: String) {
        guard
            let found = reason.firstMatch(of: /Field '([^']+)' is not marked (queryable|sortable)/)
        else { return nil }
        field = String(found.1)
        kind = found.2.uppercased()
    }

    /// What makes the query work, to stand behind Apple's reason.
    func cure(of request: HTTPRequest) -> String {
        let asked = request.body.flatMap { try? JSONDocument(parsing: $0) }?.root
        let type = asked?["query"]?["recordType"]?.string
        return
            ": add a \(kind) index for \(shownField) to \(type.map { "record type \($0.beginning(64))" } ?? "the record type")"
            + " in CloudKit's console"
    }

    /// The console knows system fields by their short names, and Apple may name them as schema files do.
    private var shownField: String { Self.systemFields[field] ?? "it" }

    private static let systemFields = [
        "___recordID": "recordName", "___recordId": "recordName",
        "___createdBy": "createdUserRecordName",
        "___createTime": "createdTimestamp", "___modTime": "modifiedTimestamp",
        "___modifiedBy": "modifiedUserRecordName",
    ]
}
