import JobFiles
import TestJobFiles
import Testing

@testable import Reading

@Suite struct AskedRecordTests {
    private func verdict(_ json: String, deletes: String = "") throws -> RecordVerdict {
        let entity = try entity(
            fields: "{ id: { at: id, type: int, required: true } }", key: "[id]",
            write:
                "{ table: video, mode: overwrite, deletes: { sweep: after_full_pass\(deletes) } }")
        return AskedRecord(of: entity).verdict(
            try node(json), key: ["id": "5"],
            now: Timestamp.microseconds("2026-11-26T00:00:00Z") ?? 0)
    }

    @Test(
        arguments: [
            (#"{"id": 5}"#, .isThere), (#"{"data": {"id": 5.0}}"#, .isThere),
            (#"[{"id": 5}]"#, .isThere),
            (#"{"items": [{"id": 5}]}"#, .isThere), (#"{"id": 5, "deleted": false}"#, .isThere),
            (#"{"id": 5, "deleted": true}"#, .isGone),
            (#"{"data": {"id": 5, "is_deleted": 1}}"#, .isGone),
            (#"{"deleted": true}"#, .isGone), (#"{"id": 6}"#, .isGone),
            (#"{"data": {"id": 6}}"#, .isGone),
            ("null", .isGone), (#"{"data": null}"#, .isGone),
            // An envelope has an id of its own.
            (#"{"jsonrpc": "2.0", "id": 900, "result": {"id": 5}}"#, .isThere),
            (#"{"id": 900, "result": {"id": 5, "deleted": true}}"#, .isGone),
            (#"{"error": null}"#, .isUnclear),
            ("{}", .isUnclear), ("[]", .isUnclear), (#"{"ok": true}"#, .isUnclear),
            (#"{"id": "x"}"#, .isUnclear),
            (#"{"data": null, "errors": [1]}"#, .isUnclear), ("7", .isUnclear),
        ] as [(String, RecordVerdict)])
    func `what an answer says of one record is believed`(_ json: String, _ expected: RecordVerdict)
        throws
    {
        #expect(try verdict(json) == expected)
    }

    @Test func `the file's own mark counts by its rule`() throws {
        let rule = ", flag_at: gone, flag_is: time"
        #expect(
            try verdict(#"{"id": 5, "gone": "2026-01-01T00:00:00Z"}"#, deletes: rule) == .isGone)
        #expect(
            try verdict(#"{"id": 5, "gone": "0001-01-01T00:00:00Z"}"#, deletes: rule) == .isThere)
        #expect(try verdict(#"{"id": 5, "deleted": true}"#, deletes: rule) == .isThere)
    }
}
