// The header of timespec belongs to whichever C module is loaded first: both are needed.
internal import CMicroHTTPD
import Glibc

/// Times are milliseconds since 1970 everywhere; text only at the edges.
typealias Milliseconds = Int64

/// The wall clock.
func wallClock() -> Milliseconds {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}

/// The clock that never steps, for delays and the order of requests.
func monotonicClock() -> Milliseconds {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}

/// `2025-01-31T10:20:30.456Z`, for the years 0 to 9999.
func iso8601(_ time: Milliseconds) -> String {
    let day = floorDivide(time, 86_400_000)
    let inDay = time - day * 86_400_000
    let (year, month, dayOfMonth) = civil(fromDays: day)
    let digits: [(Int64, Int, Unicode.Scalar)] = [
        (year, 4, "-"), (month, 2, "-"), (dayOfMonth, 2, "T"), (inDay / 3_600_000, 2, ":"),
        (inDay / 60_000 % 60, 2, ":"), (inDay / 1000 % 60, 2, "."), (inDay % 1000, 3, "Z"),
    ]
    return String(unsafeUninitializedCapacity: 24) { buffer in
        var at = 0
        for (number, width, separator) in digits {
            var rest = number
            for place in stride(from: at + width - 1, through: at, by: -1) {
                buffer[place] = UInt8(48 + rest % 10)
                rest /= 10
            }
            buffer[at + width] = UInt8(ascii: separator)
            at += width + 1
        }
        return at
    }
}

/// Reads what `iso8601` writes, with or without fraction, with `Z` or an offset; nil for all else.
func parseISO8601(_ text: String) -> Milliseconds? {
    var reader = DigitReader(bytes: Array(text.utf8))
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
        reader.skip("-"), let day = reader.number(2), reader.skip("T") || reader.skip("t"),
        let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2),
        reader.skip(":"), let second = reader.number(2),
        (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let fraction = reader.skip(".") ? reader.thousandths() : 0
    guard let fraction, let offset = reader.offsetMinutes(), reader.atEnd else { return nil }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
    return seconds * 1000 + fraction
}

private struct DigitReader {
    let bytes: [UInt8]
    var at = 0

    var atEnd: Bool { at == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    mutating func number(_ digits: Int) -> Int64? {
        guard at + digits <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[at..<(at + digits)] {
            guard byte >= 48, byte <= 57 else { return nil }
            value = value * 10 + Int64(byte - 48)
        }
        at += digits
        return value
    }

    mutating func thousandths() -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while at < bytes.count, let digit = number(1) {
            if digits < 3 { value = value * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in min(digits, 3)..<3 { value *= 10 }
        return value
    }

    /// A space stands for `+`: that is what an unescaped plus becomes in a query.
    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let negative = skip("-")
        guard negative || skip("+") || skip(" "), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (negative ? -1 : 1) * (hours * 60 + minutes)
    }
}

func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

private func floorDivide(_ number: Int64, _ by: Int64) -> Int64 {
    number >= 0 ? number / by : -((-number + by - 1) / by)
}

/// Howard Hinnant's published calendar arithmetic: eras of 400 years that begin in March.
private func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func civil(fromDays: Int64) -> (Int64, Int64, Int64) {
    let shifted = fromDays + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
        (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}
