public import Basics
public import JSON
public import JobFiles

/// One value of a record, typed as its column.
public enum FieldValue: Sendable, Equatable {
    case text(String)
    /// Microseconds since 1970 UTC.
    case timestamp(Int64)
    case int(Int64)
    case double(Double)
    /// A number with all its digits, as `DecimalText` writes it.
    case decimal(String)
    case bool(Bool)
    /// JSON text.
    case json(String)

    /// Reads a value; `.some(nil)` is a null, nil a value of another type.
    ///
    /// A time that names no offset is of `zone`, of UTC when that is nil.
    public static func read(
        _ node: JSONNode?, as field: Field, in zone: TimeZone? = nil
    ) -> FieldValue?? {
        guard let node, node.kind != .null else { return .some(nil) }
        switch field.kind {
        case .text: return node.string.map { .some(.text($0)) }
        case .url: return node.string.flatMap(address)
        case .timestamp: return time(node, field, zone).map { .some(.timestamp($0)) }
        case .duration: return duration(node).map { .some($0) }
        case .int:
            let mayBeText = field.form == .cloudkit || field.form == .text
            let text = mayBeText ? node.numberText ?? node.string : node.numberText
            return text.flatMap(wholeNumber).map { .some(.int($0)) }
        case .decimal:
            let text = field.form == .text ? node.numberText ?? node.string : node.numberText
            return text.flatMap { DecimalText($0) }.map { .some(.decimal($0.text)) }
        case .double:
            let text = field.form == .text ? node.numberText ?? node.string : node.numberText
            return text.flatMap { Double($0) }.flatMap { number in
                number.isFinite ? .some(.double(number)) : nil
            }
        case .bool:
            if field.form == .cloudkit, let text = node.numberText {
                return ["0": .some(.bool(false)), "1": .some(.bool(true))][text]
            }
            if field.form == .number, let number = node.numberText.flatMap(wholeNumber) {
                return [0: .some(.bool(false)), 1: .some(.bool(true))][number]
            }
            return node.bool.map { .some(.bool($0)) }
        case .json: return node.isStorable ? .some(.json(node.rawText)) : nil
        }
    }

    /// An empty text is no address; what is no address either is of another type.
    private static func address(_ text: String) -> FieldValue?? {
        var text = text
        if text.isEmpty { return .some(nil) }
        return text.withUTF8(isWebAddress) ? .some(.text(text)) : nil
    }

    /// Microseconds since 1970, by the first of the field's forms that fits.
    private static func time(_ node: JSONNode, _ field: Field, _ zone: TimeZone?) -> Int64? {
        if field.times.isEmpty { return time(node, field.form, zone) }
        for format in field.times {
            let found: Int64? =
                switch format {
                case .iso8601: time(node, .plain, zone)
                case .epochSeconds: time(node, .epochSeconds, zone)
                case .epochMilliseconds: time(node, .epochMilliseconds, zone)
                case .pattern(let pattern):
                    node.string.flatMap { Timestamp.microseconds($0, pattern, in: zone) }
                }
            if let found { return found }
        }
        return nil
    }

    /// Microseconds since 1970; nil for another type, or a time PostgreSQL can't hold.
    private static func time(
        _ node: JSONNode, _ form: Field.Form, _ zone: TimeZone?
    ) -> Int64? {
        let unit: Double
        switch form {
        case .plain, .text, .number:
            return node.string.flatMap { Timestamp.microseconds($0, in: zone) }
        case .epochSeconds: unit = 1_000_000
        case .epochMilliseconds, .cloudkit: unit = 1000
        }
        guard let text = node.numberText ?? node.string else { return nil }
        if let whole = Int64(text) {
            let (time, isOver) = whole.multipliedReportingOverflow(by: Int64(unit))
            return !isOver && Timestamp.isStorable(time) ? time : nil
        }
        // Exact to the microsecond for some 140 years around 1970, as far as a double goes.
        guard let number = Double(text), number.isFinite, abs(number * unit) < 9e18 else {
            return nil
        }
        let time = Int64((number * unit).rounded())
        return Timestamp.isStorable(time) ? time : nil
    }

    /// Nil where it is malformed.
    private static func duration(_ node: JSONNode) -> FieldValue? {
        if let number = node.numberText.flatMap({ Double($0) }) {
            return number.isFinite && number >= 0 ? .double(number) : nil
        }
        return node.string.flatMap(ClockText.seconds).map { .double($0) }
    }

    /// It is what a column holds in place of a value that is missing or could not be read.
    public func standsIn(for field: Field) -> Bool {
        switch (self, Self.fallback(of: field)) {
        case (.json(let text), .json(let fallback)?):
            (try? JSONDocument(parsing: Array(text.utf8)))?.root.value
                == (try? JSONDocument(parsing: Array(fallback.utf8)))?.root.value
        case (let value, let fallback?): value == fallback
        case (_, nil): false
        }
    }

    /// The declared default of a field, which the job file's check has fitted to its type.
    static func fallback(of field: Field) -> FieldValue? {
        guard let value = field.defaultValue else { return nil }
        guard let document = try? JSONDocument(parsing: value.bytes) else { return nil }
        return read(document.root, as: field.plain) ?? nil
    }

    /// The value as a watermark keeps it: ISO 8601 for times, digits for numbers.
    public var watermarkText: String? {
        switch self {
        case .timestamp(let time): Timestamp.iso8601(time)
        case .int(let number): String(number)
        case .text(let text), .decimal(let text): text
        case .double, .bool, .json: nil
        }
    }

    /// Order among values of one field; nil when they can't be compared.
    public func isLess(than other: FieldValue) -> Bool? {
        switch (self, other) {
        case (.text(let left), .text(let right)): left < right
        case (.timestamp(let left), .timestamp(let right)): left < right
        case (.int(let left), .int(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.decimal(let left), .decimal(let right)): isSmaller(left, right)
        default: nil
        }
    }
}

/// A whole number, also one that is written `3.0` or `1e3`; nil when it is none, or too large.
func wholeNumber(_ text: String) -> Int64? { Int64(text) ?? DecimalText(text)?.whole }

private func isSmaller(_ left: String, _ right: String) -> Bool? {
    guard let left = DecimalText(left), let right = DecimalText(right) else { return nil }
    return left < right
}

/// Whether bytes may be followed as a link: http or https, a host, no blank and no control character.
func isWebAddress(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = ["http://", "https://"].first { scheme in
        text.count > scheme.utf8.count
            && zip(text, scheme.utf8).allSatisfy { byte, wanted in
                byte == wanted || (byte | 0x20 == wanted && wanted >= UInt8(ascii: "a"))
            }
    }
    guard let start, !"/?#".utf8.contains(text[start.utf8.count]) else { return false }
    return text.allSatisfy { $0 > 0x20 && $0 != 0x7F }
}

extension Field {
    /// The same as a file writes its own values: plainly, whatever form the source has.
    var plain: Field {
        var plain = self
        plain.form = .plain
        plain.times = []
        return plain
    }
}
