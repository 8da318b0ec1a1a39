import JobFiles
import JSON
import JobQueue
import Reading
import Testing

@testable import Asking
@testable import CloudKit

@Suite struct PushTests {
    private let dialect = userDialect()
    private let tag = PushOperation.Action.update(changeTag: "kz1a2b")

    private func operation(
        _ action: PushOperation.Action, _ name: String, _ fields: [PushField] = []
    ) -> PushOperation {
        PushOperation(action: action, recordName: name, fields: fields)
    }

    private func results(
        _ records: String, of operations: [PushOperation]
    ) throws -> [PushResult] {
        try dialect.pushResults(try document(#"{"records":[\#(records)]}"#), of: operations)
    }

    /// The fields of one pushed row, as sent.
    private func sent(
        _ value: FieldValue?, _ kind: Field.Kind, _ action: PushOperation.Action
    ) throws -> String? {
        let field = PushField(name: "f", kind: kind, value: value)
        let request = dialect.pushRequest(
            [operation(action, "r", [field])],
            to: try entity(watchedZone, pushType: "T").recordPlace())
        return request.body?["operations"]?.elements?[0]["record"]?["fields"]?.text
    }

    @Test func `5.3 a push is one modify request of the entity's zone, each row for itself`() throws
    {
        let operations = [
            operation(
                .create, "vid_1",
                [
                    PushField(name: "videoId", kind: .text, value: .text("vid_1")),
                    PushField(
                        name: "lastModified", kind: .timestamp,
                        value: .timestamp(1_767_322_800_000_000)),
                ]),
            operation(tag, "vid_2", [PushField(name: "status", kind: .text, value: .text("s"))]),
            operation(.force, "vid_4", [PushField(name: "gone", kind: .text, value: nil)]),
            operation(.delete(changeTag: nil), "vid_3"),
            operation(.delete(changeTag: "7b"), "vid_5"),
        ]
        let request = dialect.pushRequest(
            operations, to: try entity(watchedZone, pushType: "WatchedStatus").recordPlace())
        #expect(
            request.path
                == "/database/1/iCloud.com.example.app/development/private/records/modify")
        let expected = """
            {"zoneID":{"zoneName":"WatchedStatusZone"},"atomic":false,"operations":[\
            {"operationType":"create","record":{"recordName":"vid_1","recordType":"WatchedStatus",\
            "fields":{"videoId":{"value":"vid_1"},\
            "lastModified":{"value":1767322800000,"type":"TIMESTAMP"}}}},\
            {"operationType":"update","record":{"recordName":"vid_2","recordType":"WatchedStatus",\
            "recordChangeTag":"kz1a2b","fields":{"status":{"value":"s"}}}},\
            {"operationType":"forceUpdate","record":{"recordName":"vid_4",\
            "recordType":"WatchedStatus","fields":{"gone":{"value":null}}}},\
            {"operationType":"forceDelete","record":{"recordName":"vid_3"}},\
            {"operationType":"delete","record":{"recordName":"vid_5","recordChangeTag":"7b"}}]}
            """
        #expect(request.body?.text == expected)
    }

    @Test(arguments: [query("Article"), nil] as [CloudKitOperation?])
    func `5.3 without a zone of its own an entity is pushed to the default one`(
        _ operation: CloudKitOperation?
    ) throws {
        let entity = try entity(operation, pushType: "Article")
        for request in [
            dialect.pushRequest([], to: entity.recordPlace()),
            dialect.lookupRequest([], in: entity.recordPlace()),
        ] {
            #expect(request.body?["zoneID"]?.text == #"{"zoneName":"_defaultZone"}"#)
        }
    }

    @Test(
        arguments: [
            (.text("é\""), .text, #"{"value":"é\""}"#),
            (.text("https://x"), .url, #"{"value":"https://x"}"#),
            (
                .int(-9_223_372_036_854_775_808), .int,
                #"{"value":-9223372036854775808}"#
            ),
            (.bool(true), .bool, #"{"value":1,"type":"INT64"}"#),
            (.bool(false), .bool, #"{"value":0,"type":"INT64"}"#),
            (.double(1.5), .double, #"{"value":1.5,"type":"DOUBLE"}"#),
            (.double(2), .duration, #"{"value":2.0,"type":"DOUBLE"}"#),
            // Whole milliseconds, rounded down, before 1970 too.
            (
                .timestamp(1_767_322_800_123_999), .timestamp,
                #"{"value":1767322800123,"type":"TIMESTAMP"}"#
            ),
            (.timestamp(-1), .timestamp, #"{"value":-1,"type":"TIMESTAMP"}"#),
            (.timestamp(-2000), .timestamp, #"{"value":-2,"type":"TIMESTAMP"}"#),
            (.json(#""a\n""#), .json, #"{"value":"a\n"}"#),
            (.json(#"["a", "b"]"#), .json, #"{"value":["a","b"]}"#),
            (
                .json("[123456789012345678901234567890, 1.10]"), .json,
                #"{"value":[123456789012345678901234567890,1.10]}"#
            ),
            (
                .json(#"{"recordName": "x", "action": "NONE"}"#), .json,
                #"{"value":{"recordName":"x","action":"NONE"}}"#
            ),
        ] as [(FieldValue, Field.Kind, String)])
    func `4.2 a value is sent as CloudKit has it, with its type where the column knows it`(
        _ value: FieldValue, _ kind: Field.Kind, _ wire: String
    ) throws {
        for action in [.create, tag, .force] {
            #expect(try sent(value, kind, action) == #"{"f":\#(wire)}"#)
        }
    }

    @Test(
        arguments: [
            (.json("[]"), "f: an empty list can't be sent without the type"),
            (.json("{"), "f: what the column holds can't be read as JSON"),
            (.double(.nan), "f: nan is no number that can be sent"),
            (.double(-.infinity), "f: -inf is no number that can be sent"),
        ] as [(FieldValue, String)])
    func `4.2 a value that CloudKit has no form for is an obstacle to its row`(
        _ value: FieldValue, _ reason: String
    ) {
        let fields = [
            PushField(name: "good", kind: .text, value: .text("x")),
            PushField(name: "f", kind: .json, value: value),
        ]
        #expect(dialect.obstacle(to: operation(tag, "r", fields))?.hasPrefix(reason) == true)
        #expect(dialect.obstacle(to: operation(tag, "r", [fields[0]])) == nil)
    }

    @Test func `5.3 a null clears a field, and a new record has none to clear`() throws {
        #expect(try sent(nil, .timestamp, tag) == #"{"f":{"value":null}}"#)
        #expect(try sent(nil, .text, .force) == #"{"f":{"value":null}}"#)
        #expect(try sent(nil, .text, .create) == "{}")
        #expect(try sent(.json("null"), .json, tag) == #"{"f":{"value":null}}"#)
        #expect(try sent(.json("null"), .json, .create) == "{}")
    }

    @Test(arguments: [0, 1, 200]) func `10.3 a batch of any size is asked and answered whole`(
        _ count: Int
    ) throws {
        let operations = (0..<count).map { operation(.create, "r\($0)") }
        let request = dialect.pushRequest(
            operations, to: try entity(watchedZone, pushType: "T").recordPlace())
        #expect(request.body?["operations"]?.elements?.count == count)
        let answers = (0..<count).map { #"{"recordName":"r\#($0)","recordChangeTag":"t\#($0)"}"# }
        let saved = (0..<count).map { PushResult.saved(changeTag: "t\($0)", modifiedAt: nil) }
        #expect(try results(answers.joined(separator: ","), of: operations) == saved)
        #expect(try results(answers.reversed().joined(separator: ","), of: operations) == saved)
    }

    @Test func `MS22 5.3 each row has its own result, wherever it stands`() throws {
        let operations = [
            operation(.create, "a"), operation(tag, "b"), operation(.delete(changeTag: "8"), "c"),
            operation(tag, "d"), operation(.create, "e"),
        ]
        let answer = """
            {"recordName":"e","serverErrorCode":"THROTTLED","reason":"slow","retryAfter":7},
            {"recordName":"c","deleted":true},
            {"recordName":"d","serverErrorCode":"NOT_FOUND","reason":"Record not found"},
            {"recordName":"a","recordType":"T","recordChangeTag":"k1","fields":{},
             "modified":{"timestamp":1767322800123,"userRecordName":"_abc","deviceID":"2"}},
            {"recordName":"b","serverErrorCode":"CONFLICT","reason":"client oplock error"}
            """
        #expect(
            try results(answer, of: operations) == [
                .saved(changeTag: "k1", modifiedAt: 1_767_322_800_123_000), .conflict, .deleted,
                .gone,
                .failed(
                    RecordFailure(
                        code: "THROTTLED", reason: "slow", record: "e", wait: .seconds(7))),
            ])
    }

    @Test(arguments: ["EXISTS", "CONFLICT", "CAS_OP_LOCK"])
    func `MS20 5.3 a record that is there already or has another tag is a conflict`(
        _ code: String
    ) throws {
        for action in [.create, tag, .force] {
            let answer = #"{"recordName":"a","serverErrorCode":"\#(code)","retryAfter":30}"#
            #expect(try results(answer, of: [operation(action, "a")]) == [.conflict])
        }
    }

    @Test(arguments: ["NOT_FOUND", "UNKNOWN_ITEM"])
    func `LU19 a missing record is gone to an update, deleted to a deletion, failed to a create`(
        _ code: String
    ) throws {
        let answer = #"{"recordName":"a","serverErrorCode":"\#(code)","reason":"r"}"#
        let failed = PushResult.failed(
            RecordFailure(code: code, reason: "r", record: "a", wait: nil))
        #expect(try results(answer, of: [operation(tag, "a")]) == [.gone])
        #expect(try results(answer, of: [operation(.delete(changeTag: "8"), "a")]) == [.deleted])
        #expect(try results(answer, of: [operation(.create, "a")]) == [failed])
        #expect(try results(answer, of: [operation(.force, "a")]) == [failed])
    }

    @Test func `6 an error without a name is the row's in whose place it stands`() throws {
        let operations = [operation(.create, "a"), operation(.create, "b")]
        let answer = """
            {"serverErrorCode":"ATOMIC_ERROR","reason":"x"},
            {"recordName":"b","recordChangeTag":"k"}
            """
        #expect(
            try results(answer, of: operations) == [
                .failed(RecordFailure(code: "ATOMIC_ERROR", reason: "x", record: "a", wait: nil)),
                .saved(changeTag: "k", modifiedAt: nil),
            ])
    }

    @Test(arguments: [
        "", #"{"recordName":"b","recordChangeTag":"k"}"#, #"{"serverErrorCode":"CONFLICT"}"#,
        // As many results as rows, and none is a's.
        #"{"recordName":"b","recordChangeTag":"k"},{"recordName":"c","recordChangeTag":"k"}"#,
        #"{"recordName":"c","recordChangeTag":"k"},{"serverErrorCode":"CONFLICT"}"#,
        // More results than rows: places tell nothing.
        #"{"serverErrorCode":"CONFLICT"},{"serverErrorCode":"CONFLICT"},{"recordName":"c"}"#,
    ]) func `5.3 a result that is missing makes the answer malformed`(_ records: String) {
        let error = #expect(throws: RunEnd.self) {
            try results(records, of: [operation(.create, "a"), operation(.create, "b")])
        }
        guard case .failed("malformed", let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.hasPrefix("a push has no result for record "))
    }

    @Test(
        arguments: [
            (.create, #"{"recordName":"a"}"#), (.create, #"{"recordName":"a","deleted":true}"#),
            (.delete(changeTag: nil), #"{"recordName":"a","recordChangeTag":"k"}"#),
            (.delete(changeTag: nil), #"{"recordName":"a","deleted":false}"#),
            (.force, #"{"recordName":"a","recordChangeTag":7}"#),
        ] as [(PushOperation.Action, String)])
    func `5.3 a result that says neither what was saved nor why not is malformed`(
        _ action: PushOperation.Action, _ record: String
    ) {
        let message = "a push has no clear result for record a"
        #expect(throws: RunEnd.failed(kind: "malformed", message: message)) {
            try results(record, of: [operation(action, "a")])
        }
    }

    @Test(arguments: ["{}", "[]", #"{"records":null}"#, #"{"records":{}}"#])
    func `5.3 an answer without results is malformed`(_ text: String) throws {
        let message = "the answer to a push has no array at records"
        #expect(throws: RunEnd.failed(kind: "malformed", message: message)) {
            try dialect.pushResults(try document(text), of: [operation(.create, "a")])
        }
    }

    @Test(
        arguments: [
            (#""1767322800123""#, 1_767_322_800_123_000),
            ("-62135769600000", -62_135_769_600_000_000),
            ("9223372036854775807", nil), ("1.5", nil), ("null", nil), ("1e30", nil),
        ] as [(String, Int64?)]) func `4.2 an absurd server time of a saved record is left out`(
            _ timestamp: String, _ microseconds: Int64?
        ) throws
    {
        let answer =
            #"{"recordName":"a","recordChangeTag":"k","modified":{"timestamp":\#(timestamp)}}"#
        #expect(
            try results(answer, of: [operation(.create, "a")])
                == [.saved(changeTag: "k", modifiedAt: microseconds)])
    }
}
