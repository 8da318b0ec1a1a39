import JSON
public import JobFiles
import Postgres
import JobQueue

/// Deletes what two full passes in a row, read to their ends, did not show (invariant 6): a call of `sweep_table`.
public struct Sweep: Sendable {
    private let entity: Entity
    private let isRepair: Bool
    /// The values of the item whose rows are judged, by their columns; none: all rows of the user are.
    private let item: [(column: String, text: String)]
    /// Why all rows of the item are lacking for a good reason; nil where they are not.
    private let gone: GoneItem?

    /// An item that is none any more.
    public enum GoneItem: Sendable {
        /// Its rows have two looks, as any.
        case looked
        /// They go at once.
        case proven
    }

    /// Sweeps the entity's table; a repair has the rows sent anew instead of deleting them.
    ///
    /// Of an entity that has a pass for each item only the rows of this one are looked at: a record that has moved to
    /// another item is not lacking here.
    public init(_ entity: Entity, isRepair: Bool, gone: GoneItem? = nil) {
        self.entity = entity
        self.isRepair = isRepair
        self.gone = gone
        item = entity.forEach == nil ? [] : entity.itemColumns
    }

    func statement(_ commit: PageCommit, for claim: Claim) -> Statement {
        Statement(
            "select * from jobrunner.sweep_table($1, $2, $3, $4, $5)", .int8(claim.userID),
            .text(claim.name), .text(entity.name), .int4(Int32(clamping: commit.passNumber)),
            .json(rules.text))
    }

    private var maxFraction: JSONValue {
        entity.write.deletes?.maxFraction.map { .number("\($0)") } ?? .null
    }

    /// What the entity's declaration says of its sweep.
    private var rules: JSONValue {
        let deletes = entity.write.deletes
        return .object([
            JSONMember("table", .string(entity.write.table)),
            JSONMember("key", .array(entity.records.key.map(JSONValue.string))),
            JSONMember("identity", .array(entity.identity.map(JSONValue.string))),
            JSONMember(
                "item",
                item.isEmpty
                    ? .null : .object(item.map { JSONMember($0.column, .string($0.text)) })),
            JSONMember("change_tag", entity.changeTagColumn.map(JSONValue.string) ?? .null),
            JSONMember("is_pushed", .bool(entity.push != nil)),
            JSONMember("is_repair", .bool(isRepair)),
            JSONMember("max_fraction", gone == nil ? maxFraction : .null),
            JSONMember("may_lack_all", .bool(gone != nil)),
            JSONMember("at_once", .bool(gone == .proven)),
            JSONMember(
                "asks_again", .bool(entity.page.isFeed && entity.incremental?.fullEvery == nil)),
            JSONMember("confirms", .bool(deletes?.confirmation != nil && !isRepair)),
            JSONMember("declaration", .integer(entity.declaration)),
        ])
    }
}
