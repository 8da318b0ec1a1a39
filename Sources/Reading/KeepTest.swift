import Basics
import JSON
import JobFiles

/// One `keep_if` rule, whose values are typed like what they are compared with.
struct KeepTest: Sendable {
    private let comparison: KeepRule.Comparison
    private let values: [FieldValue]
    private let wantsPresent: Bool
    private let keepsMissing: Bool

    init?(_ rule: KeepRule, of field: Field) {
        guard rule.span == nil, let document = try? JSONDocument(parsing: rule.value.bytes) else {
            return nil
        }
        comparison = rule.comparison
        keepsMissing = rule.keepsMissing
        wantsPresent = rule.value == .bool(true)
        let nodes = rule.comparison == .in ? Array(document.root.elements) : [document.root]
        values = nodes.compactMap { FieldValue.read($0, as: field.plain) ?? nil }
    }

    /// A null is kept by `ne`, and where the rule says so.
    func keeps(_ candidate: FieldValue?) -> Bool {
        if comparison == .present { return (candidate != nil) == wantsPresent }
        guard let candidate else { return keepsMissing || comparison == .ne }
        if comparison == .in { return values.contains(candidate) }
        guard let value = values.first else { return comparison == .ne }
        let isLess = candidate.isLess(than: value) ?? false
        let isGreater = value.isLess(than: candidate) ?? false
        return switch comparison {
        case .eq: candidate == value
        case .ne: candidate != value
        case .lt: isLess
        case .lte: isLess || candidate == value
        case .gt: isGreater
        case .gte: isGreater || candidate == value
        // An age is no value: `AgeTest` knows what time it is.
        case .in, .present, .youngerThan: true
        }
    }
}

/// A rule about what no column holds.
struct KeepPlace: Sendable {
    private let field: Field
    private let zone: TimeZone?
    private let reader: FieldReader
    private let test: KeepTest

    /// `isNested` and `zone` are what the fields of the records are read by.
    init?(_ rule: KeepRule, isNested: Bool, zone: TimeZone?) {
        guard let field = rule.place, let test = KeepTest(rule, of: field) else { return nil }
        self.field = field
        self.zone = zone
        reader = FieldReader(field, isNested: isNested, zone: zone, decides: true)
        self.test = test
    }

    /// The place, for who says that its value can't be read.
    var name: String { field.name }

    /// Returns nil when the value is of another type or stands twice, so that nobody knows whether the record is kept.
    func keeps(_ record: FoundValue, _ tree: JSONTree) -> Bool? {
        var isTwice = false
        let index = reader.index(of: record, tree, isTwice: &isTwice)
        if isTwice { return nil }
        return FieldValue.read(index.map { tree.node(at: $0) }, as: field, in: zone)
            .map { test.keeps($0) }
    }
}

/// A record is not written that is older than `keep_if` says, or that a step after the entities would delete again.
public struct AgeTest: Sendable {
    /// Place of the timestamp among the fields.
    public var field: Int
    /// Older than this, microseconds since 1970, is too old.
    public var before: Int64

    /// Records whose `field` is earlier than `before` are too old.
    public init(field: Int, before: Int64) {
        self.field = field
        self.before = before
    }

    func applies(to value: FieldValue?) -> Bool {
        guard case .timestamp(let time)? = value else { return false }
        return time < before
    }
}
