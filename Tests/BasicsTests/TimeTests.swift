import Basics
import Foundation
import Testing

@Suite struct TimeTests {
    @Test(arguments: [
        (Duration.zero, 0), (.nanoseconds(1), 1), (.microseconds(999), 1), (.milliseconds(1), 1),
        (.microseconds(1001), 2), (.seconds(-1), 0), (.milliseconds(-1), 0), (.seconds(90), 90_000),
    ]) func `milliseconds to wait are rounded up and never negative`(span: Duration, expected: Int)
    {
        #expect(span.millisecondsRoundedUp == expected)
    }

    @Test func `a wait beyond all timeouts is still a number of milliseconds`() {
        #expect(Duration.seconds(Int64.max).millisecondsRoundedUp == .max >> 20)
    }

    @Test func `whole microseconds leave out the rest`() {
        #expect(Duration.nanoseconds(1_999).wholeMicroseconds == 1)
        #expect(Duration.seconds(-2).wholeMicroseconds == -2_000_000)
    }

    @Test func `days of four centuries around 1970 are those of Foundation`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for days in stride(from: -80_000, through: 80_000, by: 7) as StrideThrough<Int64> {
            let date = Date(timeIntervalSince1970: Double(days) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let expected = CivilDate(
                year: Int64(try #require(parts.year)), month: Int64(try #require(parts.month)),
                day: Int64(try #require(parts.day)))
            #expect(CivilDate(daysSince1970: days) == expected)
            #expect(expected.daysSince1970 == days)
        }
    }

    @Test func `numbers get zeros in front and lose no digit`() {
        #expect(
            zeroPadded(7, 2) == "07" && zeroPadded(2026, 2) == "2026" && zeroPadded(0, 0) == "0")
        #expect(zeroPadded(0o644, 4, radix: 8) == "0644")
    }

    @Test func `a backoff doubles its ceiling up to its most, and waits a part of it`() {
        var backoff = Backoff(first: .milliseconds(50), most: .seconds(2))
        var ceilings: [Int] = []
        for _ in 0..<9 {
            let ceiling = backoff.ceilingMilliseconds
            ceilings.append(ceiling)
            let wait = backoff.next()
            #expect(wait >= .milliseconds(1) && wait <= .milliseconds(ceiling))
        }
        #expect(ceilings == [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000])
    }
}
