import Asking
import JobFiles
import JSON
import JobQueue
import Reading
import Testing

@testable import CloudKit

@Suite struct RecordKindTests {
    private func kind(_ text: String, _ operation: CloudKitOperation? = watchedZone) throws
        -> RecordKind
    {
        userDialect().kind(of: try document(text).root, in: try entity(operation))
    }

    @Test func `4.1 a whole record is a record, with every key that may come along`() throws {
        let text = """
            {"recordName":"stadium_mlb_fenway","recordType":"Stadium","recordChangeTag":"kz1a2b",
            "zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_defaultOwner"},
            "fields":{"capacity":{"value":37755,"type":"INT64"},
            "team":{"value":{"recordName":"team_bos","action":"NONE"},"type":"REFERENCE"},
            "new":{"value":[1],"type":"UNKNOWN_LIST","isEncrypted":true},
            "odd":{"value":"AA==","type":"ENCRYPTED_BYTES"}},
            "pluginFields":{},"created":{"timestamp":1767300000000,"userRecordName":"_abc"},
            "modified":{"timestamp":-62135769600000},"deleted":false,"parent":{"recordName":"p"},
            "share":null,"shortGUID":"g","stableUrl":{},"publicPermission":"NONE",
            "participants":[],"serverErrorCode":null}
            """
        #expect(try kind(text, query("Stadium")) == .record)
    }

    @Test(arguments: [
        #"{"recordName":"vid_2","deleted":true}"#,
        #"{"recordName":"vid_2","deleted":true,"zoneID":{"zoneName":"WatchedStatusZone"}}"#,
        #"{"recordName":"vid_2","deleted":true,"recordType":null,"recordChangeTag":"kz"}"#,
        #"{"recordName":"vid_2","deleted":true,"recordType":"Another"}"#,
    ]) func `MS16 4.3 a deleted record is a tombstone by its name, whatever its type`(
        _ text: String
    ) throws { #expect(try kind(text) == .tombstone(name: "vid_2")) }

    @Test func `4.3 a deletion that names nothing keeps the pass from being whole`() throws {
        let failure = RecordFailure(
            code: "MALFORMED", reason: "a deleted record without a name", record: "", wait: nil)
        #expect(try kind(#"{"deleted":true,"recordType":"WatchedStatus"}"#) == .failure(failure))
    }

    @Test func `ST16 4.4 an error in place of a record is a failure with code, reason and wait`()
        throws
    {
        let text = """
            {"recordName":"vid_0042","serverErrorCode":"CONFLICT",
            "reason":"record to update already exists with a different change tag",
            "retryAfter":30,"uuid":"u","redirectURL":"r","recordType":"Another","deleted":true}
            """
        let failure = RecordFailure(
            code: "CONFLICT",
            reason: "record to update already exists with a different change tag",
            record: "vid_0042", wait: .seconds(30))
        #expect(try kind(text) == .failure(failure))
    }

    @Test
    func `4.4 an error of an unknown code, without name or reason, is a failure all the same`()
        throws
    {
        #expect(
            try kind(#"{"serverErrorCode":"NEW_ONE","retryAfter":"1.5"}"#)
                == .failure(
                    RecordFailure(
                        code: "NEW_ONE", reason: "", record: "", wait: .milliseconds(1500))))
    }

    @Test func `PO7 5.4 a record of a type that is not asked for is foreign`() throws {
        let other = #"{"recordName":"a","recordType":"Other","fields":{}}"#
        #expect(try kind(other) == .foreign(type: "Other"))
        #expect(try kind(other, query("Stadium")) == .foreign(type: "Other"))
        #expect(try kind(other, query("Other")) == .record)
        let two = CloudKitOperation.zoneChanges(zone: "Z", recordTypes: .only(["A", "Other"]))
        #expect(try kind(other, two) == .record)
        // A request of the file's own names no types.
        #expect(try kind(other, nil) == .record)
    }

    @Test(arguments: [
        #"{"recordName":"a","fields":{}}"#, #"{"recordName":"a","recordType":null}"#,
        #"{"recordName":"a","recordType":7,"deleted":"true"}"#, "7", "null", "[]", "{}",
    ]) func `4.1 what is not clear is left to the reader of records`(_ text: String) throws {
        #expect(try kind(text) == .record)
    }
}
