import Basics
import JSON
import Postgres

/// An item that stored rows are, and what stands for its rows as they are.
public struct StoredItem: Sendable, Equatable {
    /// The texts of its columns.
    public var texts: [String]
    /// Another text as soon as a row of the item is; nil when it was not asked for.
    public var stamp: String?
    /// Each of its rows is one that the passes over them have just lacked.
    public var isLacking = false
}

/// The rows of an entity that are items of another one.
public struct StoredRows: Sendable {
    var table: String
    var identity: [String]
    var swept: [String]

    /// `identity`: the columns by which its pages note their records; `swept`: the checkpoints of its full passes of this
    /// run, of which nothing is left to be asked or decided.
    public init(table: String, identity: [String], swept: [String]) {
        self.table = table
        self.identity = identity
        self.swept = swept
    }
}

/// A checkpoint of one item, by its name, and when its turn is.
public struct KnownPart: Sendable, Equatable {
    /// Its name: the entity's, `#` and the item's.
    public var name: String
    /// What is read first has the least one; 1 is that of an item which has no checkpoint.
    public var rank: Int
}

extension Queue {
    /// The items that a user's live rows are, each once; `most` at most.
    ///
    /// `stamped`: the columns that a stamp stands for; none: there is no stamp.
    public func storedItems(
        of claim: Claim, _ rows: StoredRows, _ columns: [String], stamped: [String], most: Int
    ) async throws -> [StoredItem] {
        let statement = Statement(
            "select * from jobrunner.item_rows($1, $2, $3, $4, $5, $6, $7, $8)",
            .int8(claim.userID), .text(claim.name), .textArray(rows.swept), .text(rows.table),
            .textArray(rows.identity), .textArray(columns), .textArray(stamped),
            .int4(Int32(clamping: most)))
        return try await call(statement) { rows in
            try rows.map {
                StoredItem(
                    texts: try $0.textArray("item").compactMap(\.self),
                    stamp: try $0.optionalText("stamp"), isLacking: try $0.bool("is_lacking"))
            }
        }
    }

    /// The checkpoints of an entity's items, in the order of their turns.
    public func knownParts(of entity: String, for claim: Claim) async throws -> [KnownPart] {
        let statement = Statement(
            "select * from jobrunner.parts_of($1, $2, $3)", .int8(claim.userID),
            .text(claim.name), .text(entity))
        return try await call(statement) { rows in
            try rows.map { KnownPart(name: try $0.text("entity"), rank: try $0.int("rank")) }
        }
    }

    /// The checkpoints of these names, as a run of `job` is given them; none for those that are not there.
    ///
    /// Throws `RunEnd` malformed where one can't be read.
    public func checkpoints(named names: [String], of job: ClaimedJob) async throws -> [Checkpoint]
    {
        let statement = Statement(
            """
            select json_agg(k.inputs)::text
            from jobrunner.checkpoint_inputs as k
            where k.user_id = $1 and k.job_name = $2 and k.entity = any ($3)
            """,
            .int8(job.claim.userID), .text(job.claim.name), .textArray(names))
        let text = try await call(statement) { try $0.only().optionalText(0) }
        do {
            return try job.checkpoints(in: text)
        } catch let input as UnreadableInput {
            throw RunEnd.failed(.malformed, input.words)
        }
    }
}
