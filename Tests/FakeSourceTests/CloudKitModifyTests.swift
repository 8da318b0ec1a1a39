import Foundation
import Testing

@testable import FakeSource

@Suite struct CloudKitModifyTests {
    private func inZone(_ body: (CloudClient) throws -> Void) throws {
        try withCloud { cloud in
            try cloud.seed(3, zone: "Notes")
            try body(cloud)
        }
    }

    private func tag(_ cloud: CloudClient, _ name: String) throws -> String {
        let body = #"{"zoneID":\#(CloudClient.custom),"records":[{"recordName":"\#(name)"}]}"#
        let record = try cloud.records("records/lookup", body).first
        return try #require(record?["recordChangeTag"] as? String)
    }

    @Test func `F5 every write gives a new tag, and a stale one is a conflict inside the 200`()
        throws
    {
        try inZone { cloud in
            let old = try tag(cloud, "n0")
            let change = #"{"text":{"value":"new"}}"#
            func update(_ tag: String) throws -> [String: Any] {
                let one = operation("update", "n0", tag: tag, fields: change)
                return try #require(try cloud.records("records/modify", operations(one)).first)
            }
            let first = try update(old)
            let new = try #require(first["recordChangeTag"] as? String)
            #expect(new != old && fields(first)["number"] as? Int == 0)
            let stale = try update(old)
            #expect(stale["serverErrorCode"] as? String == "CONFLICT")
            #expect(
                stale["reason"] as? String
                    == "record to update already exists with a different change tag")
            #expect(stale["recordName"] as? String == "n0" && stale["fields"] == nil)
            try cloud.command(
                "settings", #""stale_tag":"client oplock error updating record""#)
            #expect(try update(old)["reason"] as? String == "client oplock error updating record")
            let delete = operations(operation("delete", "n0", tag: old, recordType: nil))
            #expect(codes(try cloud.records("records/modify", delete)) == ["CONFLICT"])
            #expect(try tag(cloud, "n0") == new)
        }
    }

    @Test func `the seven operations do what the table says, in the order of the request`() throws {
        try inZone { cloud in
            let change = #"{"text":{"value":"x"}}"#
            let tags = try (0..<3).map { try tag(cloud, "n\($0)") }
            let answers = try cloud.records(
                "records/modify",
                operations(
                    operation("create", "new", fields: change),
                    operation("update", "n0", tag: tags[0], fields: change),
                    operation("replace", "n1", tag: tags[1], fields: change),
                    operation("delete", "n2", tag: tags[2], recordType: nil),
                    operation("forceUpdate", "f1", fields: change),
                    operation("forceReplace", "f2", fields: change),
                    operation("forceDelete", "none", recordType: nil),
                    operation("update", "gone", tag: "x", fields: change),
                    operation("replace", "gone2", tag: "x", fields: change),
                    operation("delete", "gone3", tag: "x", recordType: nil)))
            #expect(
                names(answers) == [
                    "new", "n0", "n1", "n2", "f1", "f2", "none", "gone", "gone2", "gone3",
                ])
            #expect(
                codes(answers) == [nil, nil, nil, nil, nil, nil, nil]
                    + ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND"])
            #expect(
                answers[3]["deleted"] as? Bool == true && answers[6]["deleted"] as? Bool == true)
            #expect(Set(fields(answers[1]).keys) == ["text", "number"])
            #expect(Set(fields(answers[2]).keys) == ["text"])
            let second = try cloud.records(
                "records/modify",
                operations(
                    operation("forceUpdate", "n0", fields: #"{"number":{"value":null}}"#),
                    operation("forceReplace", "new", fields: "{}"),
                    operation("forceDelete", "f1", recordType: nil)))
            #expect(Set(fields(second[0]).keys) == ["text"] && fields(second[1]).isEmpty)
            let held = try cloud.dump("user=ann&zone=Notes")
            #expect(names(held) == ["n0", "n1", "new", "f2"])
            let nameless = #"{"operationType":"create","record":{"recordType":"Note"}}"#
            let named = try cloud.records("records/modify", operations(nameless, nameless))
            #expect(Set(names(named)).count == 2)
            #expect(names(named).allSatisfy { UUID(uuidString: $0) != nil })
        }
    }

    @Test func `an atomic request is all or nothing in a custom zone, and only there`() throws {
        try inZone { cloud in
            let pair = [operation("create", "a"), operation("create", "n0")]
            let refused = try cloud.records(
                "records/modify", operations(pair[0], pair[1], atomic: true))
            #expect(codes(refused) == ["ATOMIC_ERROR", "EXISTS"])
            #expect(try cloud.dump("user=ann&zone=Notes").count == 3)
            try cloud.command("settings", #""atomic_error":"request""#)
            let whole = try cloud.failure(
                "records/modify", operations(pair[0], pair[1], atomic: true), status: 400)
            #expect(whole.code == "ATOMIC_ERROR")
            _ = try cloud.records("records/modify", operations(pair[0], pair[1]))
            #expect(try cloud.dump("user=ann&zone=Notes").count == 4)
            try cloud.seed(1)
            let plain = #"{"atomic":true,"operations":[\#(pair[0]),\#(pair[1])]}"#
            #expect(codes(try cloud.records("records/modify", plain)) == [nil, "EXISTS"])
        }
    }

    @Test func `OW14 a request that says nothing of atomic is so`() throws {
        try inZone { cloud in
            let pair = "\(operation("create", "a")),\(operation("create", "n0"))"
            let body = #"{"zoneID":\#(CloudClient.custom),"operations":[\#(pair)]}"#
            let refused = try cloud.records("records/modify", body)
            #expect(codes(refused) == ["ATOMIC_ERROR", "EXISTS"])
            #expect(try cloud.dump("user=ann&zone=Notes").count == 3)
        }
    }

    @Test func `in production a type or a field that nobody declared is refused with its record`()
        throws
    {
        try inZone { cloud in
            let answers = try cloud.records(
                "records/modify",
                operations(
                    operation("create", "a", recordType: "Memo"),
                    operation("create", "b", fields: #"{"mood":{"value":"good"}}"#),
                    operation("forceUpdate", "n0", fields: #"{"recordName":{"value":"x"}}"#),
                    operation("create", "c", fields: #"{"text":{"value":"x"}}"#),
                    operation("forceDelete", "n1", recordType: nil)))
            #expect(codes(answers) == ["BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", nil, nil])
            #expect(
                answers.prefix(3).map { $0["reason"] as? String } == [
                    "Cannot create new type Memo in production schema",
                    "Cannot create or modify field 'mood' in record 'Note' in production schema",
                    "Cannot create or modify field 'recordName' in record 'Note' in production schema",
                ])
            #expect(names(try cloud.dump("user=ann&zone=Notes")) == ["n0", "n2", "c"])
        }
    }

    @Test func `in development a write makes types and fields, and no index`() throws {
        try withCloud { cloud in
            let place = #""container":"\#(CloudClient.container)","environment":"development""#
            try cloud.http.command(
                "cloudkit/container", #"{\#(place),"api_tokens":["\#(CloudClient.apiToken)"]}"#)
            try cloud.http.command("cloudkit/users", #"{\#(place),"user":"ann"}"#)
            func send(_ operation: String, _ body: String) throws -> Client.Reply {
                let path = CloudClient.path(operation, "private")
                    .replacingOccurrences(of: "production", with: "development")
                let token = percentEncoded(CloudClient.apiToken)
                return try cloud.http.post(
                    path + "?ckAPIToken=\(token)&ckWebAuthToken=token-ann", body)
            }
            func memo(_ name: String, _ value: String) throws -> [String?] {
                let one = operation(
                    "create", name, fields: #"{"mood":{"value":\#(value)}}"#, recordType: "Memo")
                let reply = try send("records/modify", #"{"operations":[\#(one)]}"#)
                return codes(try reply.items("records"))
            }
            #expect(try memo("a", #""good""#) == [nil])
            let odd = #"{"value":1,"type":"INT64"}"#
            let other = operation(
                "create", "b", fields: #"{"mood":\#(odd)}"#, recordType: "Memo")
            let refused = try send("records/modify", #"{"operations":[\#(other)]}"#)
            #expect(codes(try refused.items("records")) == ["BAD_REQUEST"])
            let query = try send("records/query", #"{"query":{"recordType":"Memo"}}"#)
            #expect(
                query.status == 400 && query.text.contains("'recordName' is not marked queryable"))
        }
    }

    @Test func `F17 more than 200 operations, one record twice and huge records are refused`()
        throws
    {
        try inZone { cloud in
            let many = (0...200).map { operation("create", "m\($0)") }
            let body =
                #"{"zoneID":\#(CloudClient.custom),"operations":[\#(many.joined(separator: ","))]}"#
            #expect(try cloud.failure("records/modify", body, status: 400).code == "BAD_REQUEST")
            let fits =
                #"{"zoneID":\#(CloudClient.custom),"operations":[\#(many.dropLast().joined(separator: ","))]}"#
            #expect(try cloud.records("records/modify", fits).count == 200)
            let twice = operations(operation("create", "t"), operation("forceUpdate", "t"))
            #expect(try cloud.failure("records/modify", twice, status: 400).code == "BAD_REQUEST")
            let huge = #"{"text":{"value":"\#(String(repeating: "x", count: 1_000_001))"}}"#
            let answers = try cloud.records(
                "records/modify",
                operations(operation("create", "h", fields: huge), operation("create", "i")))
            #expect(codes(answers) == ["BAD_REQUEST", nil])
        }
    }

    @Test func `F18 values are checked against their type and the schema`() throws {
        try inZone { cloud in
            let fraction = #"{"at":{"value":1.5,"type":"TIMESTAMP"}}"#
            let refused = try cloud.failure(
                "records/modify", operations(operation("create", "a", fields: fraction)),
                status: 400)
            #expect(refused.code == "BAD_REQUEST")
            #expect(refused.reason == "Invalid value, expected type TIMESTAMP.")
            try cloud.command(
                "schema",
                #""types":{"Note":{"at":{"type":"TIMESTAMP"},"n":{"type":"DOUBLE"},"p":{"type":"REFERENCE"}}}"#
            )
            let answers = try cloud.records(
                "records/modify",
                operations(
                    operation("create", "a", fields: #"{"at":{"value":1},"n":{"value":2}}"#),
                    operation("create", "b", fields: #"{"n":{"value":2,"type":"INT64"}}"#)))
            #expect(codes(answers) == [nil, "BAD_REQUEST"])
            #expect(answers[1]["reason"] as? String == "Invalid value, expected type DOUBLE.")
            let made = answers[0]["fields"] as? [String: [String: Any]]
            #expect(made?["n"]?["type"] as? String == "DOUBLE")
            #expect(made?["at"]?["type"] as? String == "TIMESTAMP")
            let text = operations(operation("create", "c", fields: #"{"n":{"value":"two"}}"#))
            #expect(try cloud.send("records/modify", text).status == 400)
            let parent = #"{"p":{"value":{"recordName":"none","action":"VALIDATE"}}}"#
            let orphan = operations(operation("create", "d", fields: parent))
            #expect(
                codes(try cloud.records("records/modify", orphan)) == ["VALIDATING_REFERENCE_ERROR"]
            )
        }
    }

    @Test func `F19 inserting what exists is EXISTS or CONFLICT, by a switch`() throws {
        try inZone { cloud in
            let insert = operations(operation("create", "n0"))
            for code in ["EXISTS", "CONFLICT"] {
                try cloud.command("settings", #""insert_existing":"\#(code)""#)
                let answer = try #require(try cloud.records("records/modify", insert).first)
                #expect(answer["serverErrorCode"] as? String == code)
                #expect(answer["reason"] as? String == "record to insert already exists")
            }
            try cloud.command("delete", #""user":"ann","zone":"Notes","names":["n0"]"#)
            #expect(codes(try cloud.records("records/modify", insert)) == [nil])
        }
    }

    @Test func `times of writes are the server's, each later than the one before`() throws {
        try inZone { cloud in
            try cloud.http.command("cloudkit/clock", #"{"frozen":true}"#)
            let many = (0..<5).map { operation("create", "m\($0)") }
            let answers = try cloud.records(
                "records/modify",
                #"{"zoneID":\#(CloudClient.custom),"operations":[\#(many.joined(separator: ","))]}"#
            )
            let times = answers.compactMap {
                ($0["modified"] as? [String: Any])?["timestamp"] as? Int
            }
            #expect(times.count == 5 && zip(times, times.dropFirst()).allSatisfy { $1 == $0 + 1 })
            let moved = try cloud.http.command("cloudkit/clock", #"{"advance_ms":86400000}"#).json()
            #expect(moved["now_ms"] as? Int == times[4] + 86_400_000)
            let back = try cloud.http.post(
                "/_control/cloudkit/clock", #"{"set":"2001-01-01T00:00:00Z"}"#)
            #expect(back.status == 400)
        }
    }

    @Test func `a device's edit keeps the other fields and has a time of its own`() throws {
        try inZone { cloud in
            try cloud.command(
                "edit",
                #""user":"ann","zone":"Notes","records":[{"recordName":"n1","modified":"2025-05-05T05:05:05Z","#
                    + #""fields":{"text":{"value":"phone"},"number":null}}]"#)
            let history = try cloud.dump("user=ann&zone=Notes&history=true")
            let record = try #require(history.first { $0["recordName"] as? String == "n1" })
            #expect(record["version"] as? Int == 2)
            #expect(fields(record) as? [String: String] == ["text": "phone"])
            let modified = record["modified"] as? [String: Any]
            #expect(modified?["timestamp"] as? Int == 1_746_421_505_000)
            #expect(modified?["deviceID"] as? String == "9")
            #expect((record["history"] as? [Any])?.count == 2)
        }
    }
}
