import Basics
import Foundation
import TestJobFiles
import Testing

@testable import Reading

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01", 0), ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00Z", 0),
        ("1970-01-01t00:00:01z", 1_000_000), ("1970-01-01 00:00:01", 1_000_000),
        ("1969-12-31T23:59:59.999999Z", -1), ("1970-01-01T00:00:00.1Z", 100_000),
        ("1970-01-01T00:00:00,25Z", 250_000), ("1970-01-01T00:00:00.1234567899Z", 123_456),
        ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01T01:00:00+0100", 0),
        ("1970-01-01T01:00:00+01", 0), ("1969-12-31T18:30:00-05:30", 0),
        ("1969-12-31T23:59:60Z", 0), ("2000-02-29", 951_782_400_000_000),
        ("2024-02-29T12:00:00Z", 1_709_208_000_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ]) func `a time as web services write it is read to the microsecond`(
        _ text: String, _ expected: Int64
    ) { #expect(Timestamp.microseconds(text) == expected) }

    @Test(arguments: [
        ("2026-07-01T12:00:00", true), ("2026-07-01 12:00", true), ("2026-07-01", true),
        ("2026-07-01T12:00:00,5", true), ("2026-07-01T12:00:00Z", false),
        ("2026-07-01T12:00:00+00:00", false), ("2026-07-01T12:00:00-05", false), ("soon", false),
    ]) func `a time with an offset says itself when it is`(_ text: String, _ lacksOffset: Bool) {
        #expect(Timestamp.namesNoOffset(text) == lacksOffset)
    }

    @Test(arguments: [
        ("2026-07-01T12:00:00", "2026-07-01T10:00:00Z"), ("2026-01-01", "2025-12-31T23:00:00Z"),
        ("2026-01-01 00:30", "2025-12-31T23:30:00Z"),
        ("2026-07-01T12:00:00Z", "2026-07-01T12:00:00Z"),
        ("1950-01-01T00:00:00.25", "1949-12-31T23:00:00.250000Z"),
    ]) func `a time without an offset is of the zone`(_ text: String, _ expected: String) {
        let berlin = Basics.TimeZone(named: "Europe/Berlin")
        #expect(Timestamp.microseconds(text, in: berlin).map(Timestamp.iso8601) == expected)
    }

    @Test(arguments: [
        "", " ", "now", "today", "infinity", "-infinity", "epoch", "allballs", "0000-01-01",
        "0000-12-31T23:59:59Z", "-001-01-01", "10000-01-01", "99999-01-01", "2025-02-29",
        "1900-02-29", "2100-02-29", "2025-04-31", "2025-13-01", "2025-00-01", "2025-01-00",
        "2025-01-32", "2025-1-1", "2025-01-01T", "2025-01-01T24:00:00Z", "2025-01-01T12:60:00Z",
        "2025-01-01T12:00:61Z", "2025-01-01T12", "2025-01-01T12:00:00.Z", "2025-01-01T12:00:00ZZ",
        "2025-01-01T12:00:00 Z", "2025-01-01T12:00:00+24:00", "2025-01-01T12:00:00+01:60",
        "2025-01-01T12:00:00+1", "2025-01-01T12:00:00+01:", "2025-01-01T12:00:00+", "1735689600",
        "2025-01-01T12:00:00Z\0", "２０２５-01-01", "2025-01-01Tnow",
        "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    ]) func `what is no time of the years 1 to 9999 is refused`(_ text: String) {
        #expect(Timestamp.microseconds(text) == nil)
    }

    @Test func `a written time is read back as it was, and as Foundation reads it`() throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<20_000 {
            let instant = Int64.random(
                in: -62_135_596_800_000_000...253_402_300_799_999_999, using: &random)
            #expect(Timestamp.microseconds(Timestamp.iso8601(instant)) == instant)
        }
        let formatter = ISO8601DateFormatter()
        for _ in 0..<200 {
            let seconds = Int64.random(in: 0...4_000_000_000, using: &random)
            let text = Timestamp.iso8601(seconds * 1_000_000)
            #expect(formatter.date(from: text)?.timeIntervalSince1970 == Double(seconds))
        }
    }

    @Test func `the extremes of an integer can be written`() {
        #expect(Timestamp.iso8601(.max).hasPrefix("294247-01-10T"))
        #expect(!Timestamp.iso8601(.min).isEmpty)
    }
}

@Suite struct ClockTextTests {
    @Test(arguments: [
        ("0", 0), ("59", 59), ("12.5", 12.5), ("1:30", 90), ("00:00", 0), ("90:00", 5400),
        ("1:02:03", 3723), ("100:00:00", 360_000), ("01:00", 60),
    ]) func `durations are seconds, MM:SS or HH:MM:SS`(_ text: String, _ seconds: Double) {
        #expect(ClockText.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", ".", "-1", "+1", "1e3", "inf", "nan", "0x10", "1:5", "1:60", "1:00:60", "1:60:00",
        ":30",
        "1:", "1:00:", "1:00:00:00", "PT1M", " 1:00", "1:00 ", "1.5:00",
        "9999999999999999999:00", String(repeating: "9", count: 400),
    ]) func `what is no duration is refused`(_ text: String) {
        #expect(ClockText.seconds(text) == nil)
    }

    @Test func `a duration of eighteen digits is large, and no overflow`() {
        #expect(ClockText.seconds("999999999999999999:00") == 6e19)
        #expect(ClockText.seconds("999999999999999999:59:59") == 3.6e21)
    }
}
