public import Postgres

/// A number as a record at a source holds it.
public struct SeenNumber: Sendable, Equatable {
    /// Name of the record.
    public var record: String
    /// Tag of the record's version.
    public var tag: String
    /// The number.
    public var number: Int64

    /// Describes what was seen.
    public init(record: String, tag: String, number: Int64) {
        self.record = record
        self.tag = tag
        self.number = number
    }
}

// Numbers at a source that each user raises by one: verbs of runs.
extension Claim {
    /// Notes that the user counts, and answers what the numbers must be; rows `record`, `number`, `is_there`.
    ///
    /// For a transaction that begins with the claim's proof. `refused`: the records that have refused this run's number.
    public func raise(
        _ seen: [SeenNumber], refused: [String], _ field: String, in source: String
    ) -> Statement {
        Statement(
            "select * from jobrunner.raise_counts($1, $2, $3, $4, $5, $6, $7)", .int8(userID),
            .text(source), .text(field), .textArray(seen.map(\.record)),
            .int8Array(seen.map(\.number)), .textArray(seen.map(\.tag)), .textArray(refused))
    }

    /// Notes in which records the user's one has arrived; for a transaction that begins with the claim's proof.
    public func markRaised(
        _ records: [String], _ field: String, in source: String
    ) -> Statement {
        Statement(
            "select jobrunner.mark_counts_raised($1, $2, $3, $4)", .int8(userID), .text(source),
            .text(field), .textArray(records))
    }
}

extension Queue {
    /// Those of some records in which a user's one is not known to have arrived, in order.
    public func unraised(
        _ records: [String], _ field: String, in source: String, by user: Int64
    ) async throws -> [String] {
        let statement = Statement(
            "select jobrunner.unraised_counts($1, $2, $3, $4) as record", .int8(user),
            .text(source), .text(field), .textArray(records))
        return try await call(statement) { rows in try rows.map { try $0.text("record") } }
    }
}
