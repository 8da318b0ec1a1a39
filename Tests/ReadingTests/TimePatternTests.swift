import Basics
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

@Suite struct TimePatternTests {
    private func time(_ value: String, _ format: String, zone: String? = nil) throws -> String? {
        let fields =
            "{ id: { at: id, type: text, required: true }, t: { at: t, type: timestamp, format: \(format) } }"
        let field = try #require(try entity(fields: fields).records.field(named: "t"))
        guard
            case .some(.some(.timestamp(let time))) = FieldValue.read(
                try node(value), as: field, in: zone.flatMap { TimeZone(named: $0) })
        else { return nil }
        return Timestamp.iso8601(time)
    }

    @Test(arguments: [
        (#""2026-01-02 03:04:05""#, "yyyy-MM-dd HH:mm:ss", "2026-01-02T03:04:05Z"),
        (#""2/1/2026 3:04""#, "d/M/yyyy H:mm", "2026-01-02T03:04:00Z"),
        (#""02/01/2026 13:04""#, "d/M/yyyy H:mm", "2026-01-02T13:04:00Z"),
        (#""Jan 02 2026 12:04 am""#, "MMM dd yyyy hh:mm a", "2026-01-02T00:04:00Z"),
        (#""Jan 02 2026 12:04 PM""#, "MMM dd yyyy hh:mm a", "2026-01-02T12:04:00Z"),
        (
            #""Fri, 02 Jan 2026 03:04:05 +0200""#, "EEE, dd MMM yyyy HH:mm:ss XXX",
            "2026-01-02T01:04:05Z"
        ),
        (
            #""Fri, 02 Jan 2026 03:04:05 GMT""#, "EEE, dd MMM yyyy HH:mm:ss XXX",
            "2026-01-02T03:04:05Z"
        ),
        (#""20260102""#, "yyyyMMdd", "2026-01-02T00:00:00Z"),
        (
            #""02.01.2026 um 03:04:05.25""#, "dd.MM.yyyy 'um' HH:mm:ss.SSS",
            "2026-01-02T03:04:05.250000Z"
        ),
        (#""2026-13-02 03:04:05""#, "yyyy-MM-dd HH:mm:ss", nil),
        (#""2026-02-30 03:04:05""#, "yyyy-MM-dd HH:mm:ss", nil),
        (#""2026-01-02 03:04:05 ""#, "yyyy-MM-dd HH:mm:ss", nil),
        (#""2026-01-02 24:00:00""#, "yyyy-MM-dd HH:mm:ss", nil), (#""""#, "yyyyMMdd", nil),
        ("20260102", "yyyyMMdd", nil), (#""2026年01月02""#, "yyyy年MM月dd", "2026-01-02T00:00:00Z"),
    ]) func `a pattern reads a whole text or nothing`(
        _ value: String, _ pattern: String, _ expected: String?
    ) throws { #expect(try time(value, "\"\(pattern)\"") == expected) }

    @Test func `forms are tried in their order`() throws {
        let formats = #"["dd/MM/yyyy", "MM/dd/yyyy", iso8601, epoch_ms]"#
        #expect(try time(#""02/01/2026""#, formats) == "2026-01-02T00:00:00Z")
        #expect(try time(#""02/13/2026""#, formats) == "2026-02-13T00:00:00Z")
        #expect(try time(#""2026-01-02T03:04:05Z""#, formats) == "2026-01-02T03:04:05Z")
        #expect(try time("1750000000123", formats) == "2025-06-15T15:06:40.123000Z")
        #expect(try time(#""soon""#, formats) == nil)
    }

    @Test func `a time without an offset is of the source's zone`() throws {
        let pattern = #""yyyy-MM-dd HH:mm""#
        #expect(
            try time(#""2026-07-01 12:00""#, pattern, zone: "Europe/Berlin")
                == "2026-07-01T10:00:00Z")
    }
}
