public import Basics
public import JSON
public import JobFiles

// What the source gave goes back as it came: a text as a text, a number with its digits, a time as its field has it.
extension Entity {
    /// What `{page.token}` stands for at a position.
    public func pageToken(at position: String) -> JSONValue {
        switch page.style {
        case .offset, .number: .number(page.sent(position))
        case .keyset(.field(let name), _):
            records.field(named: name)?.written(position) ?? .string(position)
        case .single, .token, .nextURL, .linkHeader, .keyset, .syncToken:
            KeptPosition.value(position)
        }
    }

    /// What `{since}` stands for where an incremental pass begins; times that name no offset are of `zone`.
    public func sinceValue(_ since: String, in zone: TimeZone? = nil) -> JSONValue {
        guard let incremental else {
            return page.resumesBySince ? KeptPosition.value(since) : .string(since)
        }
        guard incremental.format == .raw, let name = write.newerBy else {
            return incremental.sent(since, in: zone)
        }
        return records.field(named: name)?.written(since) ?? .string(since)
    }

    /// What `{until}` stands for; microseconds since 1970.
    public func untilValue(_ until: Int64, in zone: TimeZone? = nil) -> JSONValue {
        sinceValue(Timestamp.iso8601(until), in: zone)
    }

    /// A column of the key as the source writes it.
    public func keyText(_ column: String, _ text: String) -> String {
        let value = records.field(named: column)?.written(text)
        return value?.string ?? value?.numberText ?? text
    }
}

extension Field {
    /// A value of the column as its source writes it; `text` is what a checkpoint or the database has of it.
    fileprivate func written(_ text: String) -> JSONValue {
        switch kind {
        case .timestamp: Timestamp.microseconds(text).map(written) ?? KeptPosition.number(text)
        case .int, .double, .decimal, .duration:
            form == .text ? .string(text) : KeptPosition.number(text)
        case .text, .url, .bool, .json: .string(text)
        }
    }

    /// In the first of the field's forms; what it has by a pattern goes as ISO 8601, which names its offset.
    private func written(_ microseconds: Int64) -> JSONValue {
        switch (form, times.first) {
        case (.epochSeconds, _), (_, .epochSeconds):
            .number(fraction(microseconds, of: 1_000_000))
        case (.epochMilliseconds, _), (.cloudkit, _), (_, .epochMilliseconds):
            .number(fraction(microseconds, of: 1000))
        case (.plain, _), (.text, _), (.number, _): .string(Timestamp.iso8601(microseconds))
        }
    }

    /// So many of a unit, with the digits behind the point that there are.
    private func fraction(_ microseconds: Int64, of unit: Int64) -> String {
        let (whole, rest) = microseconds.magnitude.quotientAndRemainder(
            dividingBy: unit.magnitude)
        let sign = microseconds < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(String(unit.magnitude + rest).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
