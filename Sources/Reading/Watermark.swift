import Basics
public import JobFiles
import JSON

extension Incremental {
    /// `{since}` for a committed watermark: the overlap taken off, in the source's own form.
    public func since(_ watermark: String) -> String {
        written(watermark, less: overlap, or: overlapCount)
    }

    /// `{since}` of a first and a full pass; nil when it has none.
    public var first: String? { start.map { written($0, less: .zero, or: 0) } }

    private func written(_ watermark: String, less overlap: Duration, or count: Int64) -> String {
        let time = Timestamp.microseconds(watermark)
        let moved = time.map { $0 - overlap.wholeMicroseconds }
        switch (format, moved, Int64(watermark)) {
        case (.raw, .some(let time), _) where overlap > .zero: return Timestamp.iso8601(time)
        case (.raw, nil, .some(let number)): return String(number.subtracting(count))
        case (.raw, _, _): return watermark
        case (.iso8601, .some(let time), _): return Timestamp.iso8601(time)
        case (.epochSeconds, .some(let time), _): return String(time / 1_000_000)
        case (.epochMilliseconds, .some(let time), _): return String(time / 1000)
        case (.epochSeconds, nil, .some(let number)):
            return String(number.subtracting(overlap.wholeMicroseconds / 1_000_000))
        case (.epochMilliseconds, nil, .some(let number)):
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
