@testable import JobFiles
import Testing

@testable import Reading

@Suite struct WatermarkTests {
    @Test(arguments: [
        (Incremental.Format.iso8601, 0, "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        (.iso8601, 7200, "2025-01-01T00:00:00Z", "2024-12-31T22:00:00Z"),
        (.iso8601, 0, "2025-01-01T01:00:00.5+01:00", "2025-01-01T00:00:00.500000Z"),
        (.iso8601, 0, "not a time", "not a time"),
        (.epochSeconds, 60, "2025-01-01T00:00:00.9Z", "1735689540"),
        (.epochMilliseconds, 60, "2025-01-01T00:00:00.9Z", "1735689540900"),
        (.epochSeconds, 60, "1735689600", "1735689540"),
        (.epochMilliseconds, 60, "1735689600000", "1735689540000"),
        (.epochSeconds, 60, "abc", "abc"),
        (.raw, 60, "2025-01-01T00:00:00Z", "2024-12-31T23:59:00Z"),
        (.raw, 0, "2025-01-01T00:00:00.1234567Z", "2025-01-01T00:00:00.1234567Z"),
        (.raw, 60, "17", "17"),
        // No number a source names may break the run.
        (.epochSeconds, 60, "-9223372036854775808", "-9223372036854775808"),
        (.epochMilliseconds, 2_592_000, "-9223372036854775807", "-9223372036854775808"),
        (.iso8601, 2_592_000, "0001-01-01T00:00:00Z", "0000-12-02T00:00:00Z"),
    ]) func `since is the watermark less the overlap, in the source's form`(
        _ format: Incremental.Format, _ overlap: Int, _ watermark: String, _ since: String
    ) {
        let rule = Incremental(
            watermark: .maxSeen, overlap: .seconds(overlap), format: format, fullIf: [],
            fallsBackToJob: false, fullEvery: nil)
        #expect(rule.since(watermark) == since)
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
