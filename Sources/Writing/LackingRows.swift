public import JobFiles
public import Postgres
public import JobQueue

/// A row that the source is asked for by its key.
public struct LackingRow: Sendable {
    /// The hash of its key.
    public var hash: Int64
    /// The columns of its key as text.
    public var key: [String: String]
    /// The pass has shown it, so that the source has its record; the others are lacking.
    public var isShown: Bool
}

/// The statements by which rows that a full pass lacked are asked for one by one.
public struct LackingRows: Sendable {
    /// Of one pass; the others are asked for after the next.
    private static let most: Int32 = 100

    private let entity: Entity
    private let claim: Claim

    /// Of the rows of `entity`.
    public init(of entity: Entity, for claim: Claim) {
        self.entity = entity
        self.claim = claim
    }

    /// The rows to ask for; at most three that the pass has shown come first.
    public var statement: Statement {
        Statement(
            "select * from jobrunner.lacking_rows($1, $2, $3, $4, $5, $6)", .int8(claim.userID),
            .text(claim.name), .text(entity.name), .text(entity.write.table),
            .textArray(entity.records.key), .int4(Self.most))
    }

    /// Reads the answer of `statement`; throws `DatabaseError`.
    public func read(_ rows: Rows) throws -> [LackingRow] {
        try rows.map { row in
            LackingRow(
                hash: Int64(try row.int("hash")),
                key: Dictionary(
                    uniqueKeysWithValues: zip(
                        entity.records.key, try row.textArray("key").map { $0 ?? "" })),
                isShown: try row.bool("is_shown"))
        }
    }

    /// Deletes those that are gone.
    public func deletion(of hashes: [Int64]) -> Statement {
        Statement(
            "select jobrunner.delete_confirmed($1, $2, $3, $4, $5, $6, $7) as rows",
            .int8(claim.userID), .text(claim.name), .text(entity.name), .int8(claim.fence),
            .text(entity.write.table), .textArray(entity.records.key), .int8Array(hashes))
    }
}
