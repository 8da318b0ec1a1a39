import Basics
public import JobFiles
import JSON

extension Incremental {
    /// Where a pass begins that goes on from a committed watermark: the overlap taken off.
    ///
    /// Times are kept as ISO 8601 and written in the source's form when they are sent.
    public func since(_ watermark: String) -> String {
        begin(watermark, less: overlap, or: overlapCount)
    }

    /// Where a first and a full pass begin; nil when they begin at nothing, or the start is not resolved yet.
    public var first: String? {
        if case .fixed(let start)? = start { begin(start, less: .zero, or: 0) } else { nil }
    }

    /// That place in the form in which the source wants it; times that name no offset are of `zone`.
    func sent(_ since: String, in zone: TimeZone? = nil) -> JSONValue {
        guard case .time(let format) = format else { return .string(since) }
        if let time = Timestamp.microseconds(since) {
            return Timestamp.value(time, as: format, in: zone)
        }
        return switch format {
        case .epochSeconds, .epochMilliseconds: KeptPosition.number(since)
        case .iso8601, .pattern: .string(since)
        }
    }

    private func begin(_ watermark: String, less overlap: Duration, or count: Int64) -> String {
        let time = Timestamp.microseconds(watermark)
        switch (format, time, Int64(watermark)) {
        case (.raw, .some, _) where overlap == .zero: return watermark
        case (_, .some(let time), _):
            return Timestamp.iso8601(time - overlap.wholeMicroseconds)
        case (.raw, nil, .some(let number)): return String(number.subtracting(count))
        case (.time(.epochSeconds), nil, .some(let number)):
            return String(number.subtracting(overlap.wholeMicroseconds / 1_000_000))
        case (.time(.epochMilliseconds), nil, .some(let number)):
            return String(number.subtracting(overlap.wholeMicroseconds / 1000))
        default: return watermark
        }
    }
}

/// The greater of two watermarks, as times or as whole numbers (compared with `>=`, invariant 4).
public func greaterWatermark(_ left: String?, _ right: String?) -> String? {
    guard let left, let right else { return left ?? right }
    if let leftTime = Timestamp.microseconds(left), let rightTime = Timestamp.microseconds(right) {
        return leftTime >= rightTime ? left : right
    }
    if let leftNumber = Int64(left), let rightNumber = Int64(right) {
        return leftNumber >= rightNumber ? left : right
    }
    if let leftNumber = DecimalText(left), let rightNumber = DecimalText(right) {
        return leftNumber < rightNumber ? right : left
    }
    return left >= right ? left : right
}

extension Int64 {
    /// The difference, or the smallest number: a source may name any number it likes.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? .min : difference
    }
}
