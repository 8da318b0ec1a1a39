import JSON
import JobFiles

/// One `keep_if` rule that compares with a value, which is typed like its field.
struct KeepTest: Sendable {
    let field: Int
    private let comparison: KeepRule.Comparison
    private let value: FieldValue?
    private let keepsMissing: Bool

    init?(_ rule: KeepRule, fields: [Field]) {
        guard rule.span == nil, let index = fields.firstIndex(where: { $0.name == rule.field }),
            let document = try? JSONDocument(parsing: rule.value.bytes)
        else { return nil }
        field = index
        comparison = rule.comparison
        keepsMissing = rule.keepsMissing
        value = FieldValue.read(document.root, as: fields[index]) ?? nil
    }

    /// A null is kept by `ne`, and where the rule says so.
    func keeps(_ candidate: FieldValue?) -> Bool {
        guard let candidate, let value else {
            return keepsMissing && candidate == nil
                || (comparison == .ne) == (candidate != value)
        }
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
        case .youngerThan: true
        }
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
