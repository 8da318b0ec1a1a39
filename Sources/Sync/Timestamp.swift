/// Times as sources write them, in microseconds since 1970-01-01 UTC.
public enum Timestamp {
    /// Reads ISO 8601 as web services write it: date, optional time, optional fraction, `Z` or offset.
    ///
    /// Without an offset it is UTC. Words such as `now`, years outside 1–9999 and impossible dates
    /// give nil: a cast in the server would take some of them.
    static func microseconds(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { microseconds(utf8: $0) }
    }

    /// The same of a text's bytes.
    static func microseconds(utf8 text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var scanner = DigitScanner(text)
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2),
            scanner.take("-"), let day = scanner.digits(2), year >= 1, (1...12).contains(month),
            (1...daysIn(month: month, year: year)).contains(day)
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        if scanner.isAtEnd { return days * 86_400_000_000 }
        guard scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let time = timeOfDay(&scanner), let offset = offsetSeconds(&scanner), scanner.isAtEnd
        else { return nil }
        let instant = days * 86_400_000_000 + time - offset * 1_000_000
        // An offset may carry the first and the last day out of the years that can be written.
        return instants.contains(instant) ? instant : nil
    }

    /// 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z.
    private static let instants: ClosedRange<Int64> =
        -62_135_596_800_000_000...253_402_300_799_999_999

    /// Whether a time can be written and stored; absurd ones exist at sources.
    static func isStorable(_ microseconds: Int64) -> Bool { instants.contains(microseconds) }

    /// `2026-11-21T08:00:00Z`, with six digits of fraction when there is one.
    public static func iso8601(_ microseconds: Int64) -> String {
        let (days, time) = floorDivision(microseconds, 86_400_000_000)
        let date = civil(daysSince1970: days)
        let seconds = time / 1_000_000
        let fraction = time % 1_000_000
        let clock =
            "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        let tail = fraction == 0 ? "Z" : ".\(padded(fraction, 6))Z"
        return
            "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T\(clock)\(tail)"
    }

    private static func timeOfDay(_ scanner: inout DigitScanner) -> Int64? {
        guard let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2),
            hour < 24, minute < 60
        else { return nil }
        var micros = (hour * 3600 + minute * 60) * 1_000_000
        guard scanner.take(":") else { return micros }
        // A leap second counts as the next minute's first, as the server has it.
        guard let second = scanner.digits(2), second <= 60 else { return nil }
        micros += second * 1_000_000
        guard scanner.take(".") || scanner.take(",") else { return micros }
        return scanner.fraction().map { micros + $0 }
    }

    private static func offsetSeconds(_ scanner: inout DigitScanner) -> Int64? {
        if scanner.isAtEnd || scanner.take("Z") || scanner.take("z") { return 0 }
        let sign: Int64
        if scanner.take("+") {
            sign = 1
        } else if scanner.take("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = scanner.digits(2), hours < 24 else { return nil }
        let isHoursOnly = scanner.isAtEnd
        _ = scanner.take(":")
        let minutes = isHoursOnly ? 0 : scanner.digits(2)
        guard let minutes, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// Days since 1970 of a date of the proleptic Gregorian calendar (Hinnant's day count).
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivision(shifted, 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64)
    {
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = (shiftedMonth + 2) % 12 + 1
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysIn(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Quotient rounded down, and the remainder, which is never negative.
private func floorDivision(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let remainder = value % divisor
    return remainder < 0
        ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// Reads digits and marks from the front of a text.
struct DigitScanner {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// Reads the bytes where they are: valid as long as they are lent.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    var isAtEnd: Bool { position == text.count }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard position < text.count, UInt32(text[position]) == mark.value else { return false }
        position += 1
        return true
    }

    /// Exactly `count` digits.
    mutating func digits(_ count: Int) -> Int64? {
        guard text.count - position >= count else { return nil }
        var value: Int64 = 0
        for index in position..<position + count {
            let digit = text[index] &- 48
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        position += count
        return value
    }

    /// One to eighteen digits, as a whole number.
    mutating func number() -> Int64? {
        let run = digitsAhead
        guard (1...18).contains(run) else { return nil }
        return digits(run)
    }

    /// Digits after the point as microseconds; finer ones are cut.
    mutating func fraction() -> Int64? {
        let run = digitsAhead
        guard run > 0 else { return nil }
        var value: Int64 = 0
        for place in 0..<6 {
            value = value * 10 + (place < run ? Int64(text[position + place] - 48) : 0)
        }
        position += run
        return value
    }

    private var digitsAhead: Int {
        text[position...].prefix { $0 &- 48 < 10 }.count
    }
}
