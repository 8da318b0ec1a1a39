public import JSON

/// Where the passes of an entity stand, as its checkpoint keeps it from run to run.
///
/// What a run is given, the pass in memory and the commit of a page share this one value. A field that is to outlive
/// runs is a column of `jobrunner.checkpoints`, a member here and a line in each of `run_inputs` and `commit_page`.
public struct PassPosition: Sendable, Equatable {
    /// Generation of the checkpoint the pass is read under.
    public var generation: Int64 = 0
    /// Passes that were begun, the one in progress included; the first page of each takes the next number.
    public var passNumber = 0
    /// The pass in progress; nil means none.
    public var passKind: PassKind?
    /// When it began, microseconds since 1970: by the source's clock where that is behind ours.
    public var passStartedAt: Int64?
    /// The `{since}` it was begun with.
    public var passSince: String?
    /// Pages of the pass that are committed, this one included.
    public var pageNumber = 0
    /// Where the pass goes on; nil means nowhere.
    public var cursor: String?
    /// Position that outlives the pass.
    public var syncToken: String?
    /// Greatest server time seen by the pass in progress.
    public var partialWatermark: String?
    /// Greatest server time wholly seen, as `incremental` sends it.
    public var watermark: String?
    /// No record of the pass in progress was unreadable.
    public var isWhole = true
    /// All records of the pass in progress had names, and all lists in them were whole.
    public var provesAbsence = true
    /// Not one record of the pass in progress could be read.
    public var isUnreadable = false
    /// What the one answer that the last pass was is validated by, with its address; nil when it had several.
    public var validator: String?
    /// What the probe said when the last pass was read.
    public var probe: String?
    /// What the probe said before the pass in progress.
    public var passProbe: String?
    /// Number of the last request for a full pass that is known; a later one stays asked for.
    public var fullRequest = 0
    /// Stands for what was asked for its positions; nil when it has none yet.
    public var asked: Int64?
    /// The most records that a page has had which led on to another; 0: none has.
    public var fullPage = 0

    /// Nothing was ever read.
    public init() {}

    /// The columns that hold it, under the names that `run_inputs` gives and `commit_page` takes.
    static let columns: [PositionColumn] = [
        PositionColumn("generation", \.generation), PositionColumn("pass_number", \.passNumber),
        PositionColumn("pass_kind", \.passKind),
        PositionColumn("pass_started_us", \.passStartedAt),
        PositionColumn("pass_since", \.passSince), PositionColumn("page_number", \.pageNumber),
        PositionColumn("cursor", \.cursor), PositionColumn("sync_token", \.syncToken),
        PositionColumn("partial_watermark", \.partialWatermark),
        PositionColumn("watermark", \.watermark), PositionColumn("pass_is_whole", \.isWhole),
        PositionColumn("pass_proves_absence", \.provesAbsence),
        PositionColumn("pass_unreadable", \.isUnreadable),
        PositionColumn("validator", \.validator), PositionColumn("probe", \.probe),
        PositionColumn("pass_probe", \.passProbe), PositionColumn("full_asked", \.fullRequest),
        PositionColumn("asked", \.asked), PositionColumn("full_page", \.fullPage),
    ]

    /// Reads its columns of an object; throws the name of one that holds something else.
    init(_ object: JSONNode) throws(UnreadableColumn) {
        for column in Self.columns {
            guard let value = object[column.name], column.read(value, &self) else {
                throw UnreadableColumn(name: column.name)
            }
        }
    }

    /// The columns that have a value, by name.
    public var json: JSONValue { .object(Self.columns.compactMap { $0.member(of: self) }) }

    /// The same without a pass in progress.
    public var betweenPasses: PassPosition {
        var position = self
        position.passKind = nil
        position.passStartedAt = nil
        position.passSince = nil
        position.cursor = nil
        position.partialWatermark = nil
        position.passProbe = nil
        position.isWhole = true
        position.provesAbsence = true
        position.isUnreadable = false
        return position
    }
}

/// What a pass reads: everything, or what changed.
public enum PassKind: String, Sendable { case full, incremental }

/// What has a position, whose parts are its own.
@dynamicMemberLookup
public protocol Positioned {
    /// Where the passes of an entity stand.
    var position: PassPosition { get set }
}

extension Positioned {
    /// A part of the position.
    public subscript<Value>(
        dynamicMember path: WritableKeyPath<PassPosition, Value>
    ) -> Value {
        get { position[keyPath: path] }
        set { position[keyPath: path] = newValue }
    }
}

/// A column that does not hold what it should.
struct UnreadableColumn: Error { var name: String }

/// One column of a position, read and written by its name.
struct PositionColumn: Sendable {
    let name: String
    /// Takes the column's value into a position; false: it is none.
    let read: @Sendable (JSONNode, inout PassPosition) -> Bool
    private let value: @Sendable (PassPosition) -> JSONValue?

    init<V: PositionValue>(
        _ name: String, _ path: any WritableKeyPath<PassPosition, V> & Sendable
    ) {
        self.name = name
        value = { $0[keyPath: path].json }
        read = { node, position in
            guard let value = V(node) else { return false }
            position[keyPath: path] = value
            return true
        }
    }

    func member(of position: PassPosition) -> JSONMember? {
        value(position).map { JSONMember(name, $0) }
    }
}

/// What a column of a position may hold.
protocol PositionValue: SendableMetatype {
    init?(_ node: JSONNode)
    /// Nil for null.
    var json: JSONValue? { get }
}

extension FixedWidthInteger where Self: PositionValue {
    init?(_ node: JSONNode) {
        guard let number = node.int else { return nil }
        self.init(exactly: number)
    }

    var json: JSONValue? { .integer(self) }
}

extension Int: PositionValue {}
extension Int64: PositionValue {}

extension Bool: PositionValue {
    init?(_ node: JSONNode) {
        guard let value = node.bool else { return nil }
        self = value
    }

    var json: JSONValue? { .bool(self) }
}

extension String: PositionValue {
    init?(_ node: JSONNode) {
        guard let text = node.string else { return nil }
        self = text
    }

    var json: JSONValue? { .string(self) }
}

extension PassKind: PositionValue {
    init?(_ node: JSONNode) { self.init(rawValue: node.string ?? "") }

    var json: JSONValue? { .string(rawValue) }
}

extension Optional: PositionValue where Wrapped: PositionValue {
    init?(_ node: JSONNode) {
        guard node.kind != .null else {
            self = .none
            return
        }
        guard let value = Wrapped(node) else { return nil }
        self = value
    }

    var json: JSONValue? { flatMap(\.json) }
}
