public import Basics
public import JSON
public import JobFiles

extension Timestamp {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Reads a text in the form of a pattern, all of it; nil when it has another form, or is no time.
    static func microseconds(
        _ text: String, _ pattern: TimePattern, in zone: TimeZone?
    ) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = DigitScanner(bytes)
            var parts = Parts()
            for piece in pattern.pieces {
                guard parts.take(piece, &scanner) else { return nil }
            }
            return scanner.isAtEnd ? parts.instant(in: zone) : nil
        }
    }

    /// What a text has told so far.
    private struct Parts {
        var year: Int64 = 0
        var month: Int64 = 0
        var day: Int64 = 0
        var hour: Int64 = 0
        var isHalf = false
        var isAfternoon = false
        var minute: Int64 = 0
        var second: Int64 = 0
        var fraction: Int64 = 0
        var offset: Int64?

        mutating func take(_ piece: TimePattern.Piece, _ scanner: inout DigitScanner) -> Bool {
            switch piece {
            case .year: return Self.keep(scanner.digits(4), &year)
            case .month(let mayBeShort): return Self.keep(scanner.pair(mayBeShort), &month)
            case .monthName:
                return Self.keep(scanner.word(of: Timestamp.months).map { Int64($0 + 1) }, &month)
            case .weekdayName: return scanner.word(of: Timestamp.weekdays) != nil
            case .day(let mayBeShort): return Self.keep(scanner.pair(mayBeShort), &day)
            case .hour(let mayBeShort):
                return Self.keep(scanner.pair(mayBeShort), &hour) && hour < 24
            case .hourOfHalf(let mayBeShort):
                isHalf = true
                return Self.keep(scanner.pair(mayBeShort), &hour) && (1...12).contains(hour)
            case .half:
                let half = scanner.word(of: ["am", "pm"])
                isAfternoon = half == 1
                return half != nil
            case .minute: return Self.keep(scanner.digits(2), &minute) && minute < 60
            // A leap second counts as the next minute's first.
            case .second: return Self.keep(scanner.digits(2), &second) && second <= 60
            case .fraction: return Self.keep(scanner.fraction(), &fraction)
            case .offset:
                if scanner.word(of: ["gmt", "utc"]) != nil {
                    offset = 0
                } else {
                    offset = offsetSeconds(&scanner)
                }
                return offset != nil
            case .literal(let literal):
                return literal.unicodeScalars.allSatisfy { scanner.takeScalar($0) }
            }
        }

        private static func keep(_ value: Int64?, _ part: inout Int64) -> Bool {
            guard let value else { return false }
            part = value
            return true
        }

        func instant(in zone: TimeZone?) -> Int64? {
            guard year >= 1, (1...12).contains(month),
                (1...daysIn(month: month, year: year)).contains(day)
            else { return nil }
            let hour = isHalf ? hour % 12 + (isAfternoon ? 12 : 0) : hour
            let days = CivilDate(year: year, month: month, day: day).daysSince1970
            let local = days * 86_400 + hour * 3600 + minute * 60 + second
            let seconds = local - (offset ?? zone?.offset(atLocal: local) ?? 0)
            let instant = seconds * 1_000_000 + fraction
            return isStorable(instant) ? instant : nil
        }
    }
}

extension Timestamp {
    /// Writes a time, microseconds since 1970, as a source wants it: a number or a text.
    ///
    /// A pattern without an offset is the clock of `zone`, of UTC when that is nil.
    public static func value(
        _ microseconds: Int64, as format: TimeFormat, in zone: TimeZone? = nil
    ) -> JSONValue {
        switch format {
        case .iso8601: .string(iso8601(microseconds))
        case .epochSeconds: .integer(floorDivision(microseconds, 1_000_000).0)
        case .epochMilliseconds: .integer(floorDivision(microseconds, 1_000).0)
        case .pattern(let pattern): .string(text(microseconds, pattern, in: zone))
        }
    }

    private static func text(
        _ microseconds: Int64, _ pattern: TimePattern, in zone: TimeZone?
    ) -> String {
        let offset = zone?.offset(at: floorDivision(microseconds, 1_000_000).0) ?? 0
        let (days, time) = floorDivision(microseconds + offset * 1_000_000, 86_400_000_000)
        let date = CivilDate(daysSince1970: days)
        let hour = time / 3_600_000_000
        func written(_ number: Int64, isShort: Bool) -> String {
            zeroPadded(number, isShort ? 1 : 2)
        }
        return pattern.pieces.map { piece in
            switch piece {
            case .year: zeroPadded(date.year, 4)
            case .month(let isShort): written(date.month, isShort: isShort)
            case .monthName: months[Int(date.month) - 1].capitalised
            // 1970 began on a Thursday.
            case .weekdayName: weekdays[Int(floorDivision(days + 3, 7).1)].capitalised
            case .day(let isShort): written(date.day, isShort: isShort)
            case .hour(let isShort): written(hour, isShort: isShort)
            case .hourOfHalf(let isShort): written((hour + 11) % 12 + 1, isShort: isShort)
            case .half: hour < 12 ? "AM" : "PM"
            case .minute: zeroPadded(time / 60_000_000 % 60, 2)
            case .second: zeroPadded(time / 1_000_000 % 60, 2)
            case .fraction(let digits):
                String((zeroPadded(time % 1_000_000, 6) + "000000000").prefix(digits))
            case .offset: Self.written(offset: offset)
            case .literal(let text): text
            }
        }.joined()
    }

    private static func written(offset: Int64) -> String {
        guard offset != 0 else { return "Z" }
        let minutes = abs(offset) / 60
        return (offset < 0 ? "-" : "+") + zeroPadded(minutes / 60, 2) + ":"
            + zeroPadded(minutes % 60, 2)
    }
}

extension String {
    /// With a great first letter.
    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
