import Basics

/// Dates as HTTP writes them, always in UTC.
public enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of a date in one of HTTP's three formats; nil for anything else.
    ///
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` (two digits mean 1970 to
    /// 2069), `Sun Nov  6 08:49:37 1994`. The name of the weekday is not compared with the date.
    public static func unixSeconds(_ text: String) -> Int? {
        let words = text.utf8.split { " -,".utf8.contains($0) }.map(Substring.init)
        guard words.count == 5 || words.count == 6 else { return nil }
        guard words[0].utf8.allSatisfy(isLetter) else { return nil }
        if words.count == 5 {
            return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
        }
        guard words[5] == "GMT" || words[5] == "UTC" else { return nil }
        return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
    }

    /// A time since 1970 in the first of these formats, as `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func text(unixSeconds: Int) -> String {
        let (days, second) = floorDivision(Int64(unixSeconds), 86_400)
        let date = CivilDate(daysSince1970: days)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let weekday = weekdays[Int(floorDivision(days, 7).remainder)]
        let clock = [second / 3600, second / 60 % 60, second % 60]
            .map { zeroPadded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(zeroPadded(date.day, 2)) \(months[Int(date.month) - 1])"
            + " \(zeroPadded(date.year, 4)) \(clock) GMT"
    }

    private static func seconds(
        day: Substring, month: Substring, year: Substring, time: Substring
    ) -> Int? {
        guard let month = months.firstIndex(of: String(month)).map({ $0 + 1 }),
            let day = number(day, digits: 1...2), (1...31).contains(day),
            year.utf8.count != 3, var year = number(year, digits: 2...4)
        else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let clock = time.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map(Substring.init)
        guard clock.count == 3, let hour = number(clock[0], digits: 2...2), hour < 24,
            let minute = number(clock[1], digits: 2...2), minute < 60,
            let second = number(clock[2], digits: 2...2), second <= 60
        else { return nil }
        let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
        return Int(date.daysSince1970) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text)
    }
}
