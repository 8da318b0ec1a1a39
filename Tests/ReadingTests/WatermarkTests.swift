import Basics
import JSON
@testable import JobFiles
import Testing

@testable import Reading

@Suite struct WatermarkTests {
    @Test(arguments: [
        (Incremental.Format.time(.iso8601), 0, "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        (.time(.iso8601), 7200, "2025-01-01T00:00:00Z", "2024-12-31T22:00:00Z"),
        (.time(.iso8601), 0, "2025-01-01T01:00:00.5+01:00", "2025-01-01T00:00:00.500000Z"),
        (.time(.iso8601), 0, "not a time", "not a time"),
        (.time(.epochSeconds), 60, "2025-01-01T00:00:00.9Z", "1735689540"),
        (.time(.epochMilliseconds), 60, "2025-01-01T00:00:00.9Z", "1735689540900"),
        (.time(.epochSeconds), 60, "1735689600", "1735689540"),
        (.time(.epochMilliseconds), 60, "1735689600000", "1735689540000"),
        (.time(.epochSeconds), 60, "abc", "abc"),
        (.raw, 60, "2025-01-01T00:00:00Z", "2024-12-31T23:59:00Z"),
        (.raw, 0, "2025-01-01T00:00:00.1234567Z", "2025-01-01T00:00:00.1234567Z"),
        (.raw, 60, "17", "17"),
        // No number a source names may break the run.
        (.time(.epochSeconds), 60, "-9223372036854775808", "-9223372036854775808"),
        (.time(.epochMilliseconds), 2_592_000, "-9223372036854775807", "-9223372036854775808"),
        (.time(.iso8601), 2_592_000, "0001-01-01T00:00:00Z", "0000-12-02T00:00:00Z"),
    ]) func `since is the watermark less the overlap, in the source's form`(
        _ format: Incremental.Format, _ overlap: Int, _ watermark: String, _ since: String
    ) {
        let rule = Incremental(
            watermark: .maxSeen, overlap: .seconds(overlap), format: format, fullIf: [],
            fallsBackToJob: false, fullEvery: nil)
        let sent = rule.sent(rule.since(watermark))
        #expect(sent.string ?? sent.text == since)
    }

    @Test(arguments: [
        ("yyyy-MM-dd", "2024-02-29"), ("yyyyMMdd", "20240229"),
        ("yyyy-MM-dd HH:mm:ss", "2024-02-29 03:04:05"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2024-02-29T03:04:05.678Z"),
        ("EEE, d MMM yyyy hh:mm a", "Thu, 29 Feb 2024 03:04 AM"),
        ("M/d/yyyy H:mm", "2/29/2024 3:04"),
    ]) func `a time is written by a pattern as it would be read`(_ pattern: String, _ text: String)
        throws
    {
        let time = try #require(Timestamp.microseconds("2024-02-29T03:04:05.678901Z"))
        let pattern = try TimePattern(pattern)
        let written = Timestamp.value(time, as: .pattern(pattern))
        #expect(written == .string(text))
        let read = try #require(Timestamp.microseconds(text, pattern, in: nil))
        #expect((0..<86_400_000_000).contains(time - read))
    }

    @Test func `a pattern without an offset is written by the clock of the source's zone`() throws {
        let zone = try #require(TimeZone(named: "Europe/Berlin"))
        for (instant, text) in [
            ("2024-03-31T00:59:59Z", "2024-03-31 01:59:59 +01:00"),
            ("2024-03-31T01:00:00Z", "2024-03-31 03:00:00 +02:00"),
            ("2023-12-31T23:30:00Z", "2024-01-01 00:30:00 +01:00"),
        ] {
            let time = try #require(Timestamp.microseconds(instant))
            let pattern = TimeFormat.pattern(try TimePattern("yyyy-MM-dd HH:mm:ss XXX"))
            #expect(Timestamp.value(time, as: pattern, in: zone) == .string(text))
        }
    }

    @Test(arguments: [
        (nil, nil, nil), ("a", nil, "a"), (nil, "b", "b"), ("9", "10", "10"), ("10", "9", "10"),
        ("-1", "-2", "-1"),
        ("2025-01-01T00:00:00Z", "2024-12-31T23:00:00-02:00", "2024-12-31T23:00:00-02:00"),
        ("2025-01-01T00:00:00Z", "2024-12-31T23:00:00Z", "2025-01-01T00:00:00Z"), ("a", "b", "b"),
    ]) func `the greater of two is told by time, by number, else by text`(
        _ left: String?, _ right: String?, _ greater: String?
    ) { #expect(greaterWatermark(left, right) == greater) }
}
