public import Basics

/// Times as sources write them, in microseconds since 1970-01-01 UTC.
public enum Timestamp {
    /// Reads ISO 8601 as web services write it: date, optional time, optional fraction, `Z` or offset.
    ///
    /// Without an offset it is of `zone`, of UTC when that is nil. Words such as `now`, years outside 1–9999 and
    /// impossible dates give nil when a cast in the server would take some of them.
    public static func microseconds(_ text: String, in zone: TimeZone? = nil) -> Int64? {
        var text = text
        return text.withUTF8 { microseconds(utf8: $0, in: zone) }
    }

    /// The same of a text's bytes.
    static func microseconds(
        utf8 text: UnsafeBufferPointer<UInt8>, in zone: TimeZone? = nil
    ) -> Int64? {
        var scanner = DigitScanner(text)
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2),
            scanner.take("-"), let day = scanner.digits(2), year >= 1, (1...12).contains(month),
            (1...daysIn(month: month, year: year)).contains(day)
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        var local = days * 86_400_000_000
        if !scanner.isAtEnd {
            guard scanner.take("T") || scanner.take("t") || scanner.take(" "),
                let time = timeOfDay(&scanner)
            else { return nil }
            local += time
        }
        let offset: Int64
        if scanner.isAtEnd {
            offset = zone?.offset(atLocal: floorDivision(local, 1_000_000).0) ?? 0
        } else {
            guard let named = offsetSeconds(&scanner), scanner.isAtEnd else { return nil }
            offset = named
        }
        let instant = local - offset * 1_000_000
        // An offset may carry the first and the last day out of the years that can be written.
        return instants.contains(instant) ? instant : nil
    }

    /// Whether a text is a time that names no offset, so that only its source's zone says when it is.
    static func namesNoOffset(_ text: String) -> Bool {
        microseconds(text) != nil && microseconds(text + "Z") != nil
            || microseconds(text + "T00:00Z") != nil
    }

    /// 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z.
    private static let instants: ClosedRange<Int64> =
        -62_135_596_800_000_000...253_402_300_799_999_999

    /// Whether a time can be written and stored; absurd ones exist at sources.
    static func isStorable(_ microseconds: Int64) -> Bool { instants.contains(microseconds) }

    /// `2026-11-21T08:00:00Z`, with six digits of fraction when there is one.
    public static func iso8601(_ microseconds: Int64) -> String {
        let (days, time) = floorDivision(microseconds, 86_400_000_000)
        let date = CivilDate(daysSince1970: days)
        let seconds = time / 1_000_000
        let fraction = time % 1_000_000
        let day = [zeroPadded(date.year, 4), zeroPadded(date.month, 2), zeroPadded(date.day, 2)]
        let clock = [
            zeroPadded(seconds / 3600, 2), zeroPadded(seconds / 60 % 60, 2),
            zeroPadded(seconds % 60, 2),
        ]
        let tail = fraction == 0 ? "Z" : ".\(zeroPadded(fraction, 6))Z"
        return day.joined(separator: "-") + "T" + clock.joined(separator: ":") + tail
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

    static func offsetSeconds(_ scanner: inout DigitScanner) -> Int64? {
        if scanner.take("Z") || scanner.take("z") { return 0 }
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

    static func daysIn(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
