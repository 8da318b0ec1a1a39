import Foundation
import Testing

@testable import FakeSource

@Suite struct CloudKitQueryTests {
    private let byNumber = #"{"recordType":"Note","sortBy":[{"fieldName":"number"}]}"#

    private func query(_ filter: String, sort: String = "") -> String {
        #"{"query":{"recordType":"Note","filterBy":[\#(filter)],"sortBy":[\#(sort)]}}"#
    }

    private func field(
        _ name: String, _ comparator: String, _ value: String, type: String? = nil
    ) -> String {
        let type = type.map { #","type":"\#($0)""# } ?? ""
        return
            #"{"fieldName":"\#(name)","comparator":"\#(comparator)","fieldValue":{"value":\#(value)\#(type)}}"#
    }

    private func system(_ name: String, _ comparator: String, _ value: Any) -> String {
        #"{"systemFieldName":"\#(name)","comparator":"\#(comparator)","fieldValue":{"value":\#(value)}}"#
    }

    @Test func `F6 a page has what was asked for, at most the limit set, at most 200`() throws {
        try withCloud { cloud in
            try cloud.seed(450)
            func sizes(_ limit: Int) throws -> [Int] {
                try cloud.pages(byNumber, limit: limit).map(\.count)
            }
            #expect(try sizes(400) == [200, 200, 50])
            #expect(try sizes(150) == [150, 150, 150])
            try cloud.command("settings", #""page_limit":180"#)
            #expect(try sizes(200) == [180, 180, 90])
            let zero = #"{"query":\#(byNumber),"resultsLimit":0}"#
            #expect(try cloud.failure("records/query", zero, status: 400).code == "BAD_REQUEST")
        }
    }

    @Test func `F7 pages of 1,001 records hold each once and in order, up and down`() throws {
        try withCloud { cloud in
            try cloud.seed(1001)
            let up = try cloud.pages(byNumber).flatMap { names($0) }
            #expect(up == (0..<1001).map { "n\($0)" })
            let down = #"{"recordType":"Note","sortBy":[{"fieldName":"number","ascending":false}]}"#
            #expect(try cloud.pages(down, limit: 7).flatMap { names($0) } == up.reversed())
            let two =
                #"{"recordType":"Note","sortBy":[{"fieldName":"text"},{"fieldName":"number","ascending":false}]}"#
            let mixed = try cloud.pages(two).flatMap { names($0) }
            #expect(mixed.count == 1001 && Set(mixed).count == 1001)
            #expect(mixed.prefix(2) == ["n1000", "n990"] && mixed.last == "n9")
        }
    }

    @Test(
        arguments: [
            ("EQUALS", "3", nil, [3]), ("NOT_EQUALS", "3", nil, [0, 1, 2, 4, 5]),
            ("LESS_THAN", "2", nil, [0, 1]), ("LESS_THAN_OR_EQUALS", "2", nil, [0, 1, 2]),
            ("GREATER_THAN", "3", nil, [4, 5]), ("GREATER_THAN_OR_EQUALS", "3", nil, [3, 4, 5]),
            ("IN", "[1,5,9]", "INT64_LIST", [1, 5]),
            ("NOT_IN", "[1,5]", "INT64_LIST", [0, 2, 3, 4]),
        ] as [(String, String, String?, [Int])])
    func `F7 numbers are compared`(
        comparator: String, value: String, type: String?, expected: [Int]
    ) throws {
        try withCloud { cloud in
            try cloud.seed(6)
            let found = try cloud.records(
                "records/query", query(field("number", comparator, value, type: type)))
            #expect(names(found) == expected.map { "n\($0)" })
        }
    }

    @Test func `F7 texts, lists and system fields are compared, all filters at once`() throws {
        try withCloud { cloud in
            try cloud.command(
                "records",
                #"""
                "user":"ann","records":[
                {"recordName":"a","recordType":"Note","modified":1000,"fields":{"t":{"value":"red fox"},
                 "l":{"value":["x","y"]}}},
                {"recordName":"b","recordType":"Note","modified":2000,"fields":{"t":{"value":"red hen"}}},
                {"recordName":"c","recordType":"Other","modified":3000,"fields":{"t":{"value":"red"}}}]
                """#.replacingOccurrences(of: "\n", with: ""))
            func found(_ filters: String...) throws -> [String] {
                let body = query(filters.joined(separator: ","))
                return names(try cloud.records("records/query", body))
            }
            #expect(try found(field("t", "BEGINS_WITH", #""red""#)) == ["a", "b"])
            #expect(try found(field("t", "NOT_BEGINS_WITH", #""red f""#)) == ["b"])
            #expect(try found(field("l", "LIST_CONTAINS", #""x""#)) == ["a"])
            #expect(try found(field("l", "NOT_LIST_CONTAINS", #""x""#)) == ["b"])
            #expect(try found(field("t", "CONTAINS_ALL_TOKENS", #""hen red""#)) == ["b"])
            let name = #"{"recordName":"a"}"#
            #expect(try found(system("recordName", "EQUALS", name)) == ["a"])
            #expect(try found(system("modifiedTimestamp", "GREATER_THAN", 1000)) == ["b"])
            #expect(try found(field("___modTime", "LESS_THAN", "2000")) == ["a"])
            #expect(try found(field("___recordId", "EQUALS", name)) == ["a"])
            let creator = system("createdUserRecordName", "EQUALS", #"{"recordName":"ann"}"#)
            #expect(try found(creator, field("t", "EQUALS", #""red hen""#)) == ["b"])
            try cloud.command("settings", #""system_fields":"short""#)
            let underscored = query(field("___modTime", "LESS_THAN", "2000"))
            #expect(try cloud.send("records/query", underscored).status == 400)
            try cloud.command("settings", #""system_fields":"underscore""#)
            let short = query(system("modifiedTimestamp", "LESS_THAN", 2000))
            #expect(try cloud.send("records/query", short).status == 400)
        }
    }

    @Test func `F7 a query over all zones tells the zone of each record`() throws {
        try withCloud { cloud in
            try cloud.seed(2)
            try cloud.seed(2, zone: "Notes", from: 5)
            let wide = #"{"zoneWide":true,"query":{"recordType":"Note"}}"#
            let found = try cloud.records("records/query", wide)
            let zones = found.map { ($0["zoneID"] as? [String: Any])?["zoneName"] as? String }
            #expect(names(found) == ["n0", "n1", "n5", "n6"])
            #expect(zones == ["_defaultZone", "_defaultZone", "Notes", "Notes"])
            let one = #"{"zoneWide":true,"zoneID":\#(CloudClient.custom),"#
            let only = try cloud.records(
                "records/query", one + #""query":{"recordType":"Note"},"desiredKeys":["text"]}"#)
            #expect(names(only) == ["n5", "n6"] && Set(fields(only[0]).keys) == ["text"])
        }
    }

    @Test func `F7 IN without a list type is refused as it was seen`() throws {
        try withCloud { cloud in
            let body = query(field("number", "IN", "[1]", type: "INT64"))
            let refused = try cloud.failure("records/query", body, status: 400)
            #expect(refused.code == "BAD_REQUEST" && refused.reason == "Unexpected input")
        }
    }

    @Test func `F7 a marker is worth something with its own query only, until it expires`() throws {
        try withCloud { cloud in
            try cloud.seed(30)
            let page = try cloud.call(
                "records/query", #"{"query":\#(byNumber),"resultsLimit":10}"#)
            let marker = try #require(page["continuationMarker"] as? String)
            func status(_ query: String, _ marker: String, token: String = "token-ann") throws
                -> Int
            {
                let body = #"{"query":\#(query),"continuationMarker":"\#(marker)"}"#
                return try cloud.send("records/query", body, token: token).status
            }
            #expect(try status(byNumber, marker) == 200)
            #expect(try status(#"{"recordType":"Note"}"#, marker) == 400)
            #expect(try status(byNumber, marker, token: "token-ben") == 400)
            #expect(try status(byNumber, "garbage") == 400)
            #expect(try status(byNumber, String(marker.dropLast(4))) == 400)
            try cloud.command("expire", #""what":["markers"]"#)
            #expect(try status(byNumber, marker) == 400)
        }
    }

    @Test func `F8 the index lags behind writes, lookups don't`() throws {
        try withCloud { cloud in
            try cloud.http.command("cloudkit/clock", #"{"frozen":true}"#)
            try cloud.seed(2)
            try cloud.command("settings", #""index_lag_ms":3000"#)
            let body = #"{"operations":[\#(operation("create", "new"))]}"#
            _ = try cloud.call("records/modify", body)
            try cloud.command("delete", #""user":"ann","names":["n0"]"#)
            try cloud.command(
                "edit",
                #""user":"ann","records":[{"recordName":"n1","fields":{"number":{"value":7}}}]"#)
            let all = #"{"query":{"recordType":"Note"}}"#
            let before = try cloud.records("records/query", all)
            #expect(names(before) == ["n0", "n1"])
            #expect(fields(before.last)["number"] as? Int == 1)
            let asked = #"{"records":[{"recordName":"new"},{"recordName":"n0"}]}"#
            #expect(codes(try cloud.records("records/lookup", asked)) == [nil, "NOT_FOUND"])
            try cloud.http.command("cloudkit/clock", #"{"advance_ms":3000}"#)
            let after = try cloud.records("records/query", all)
            #expect(names(after) == ["n1", "new"] && fields(after.first)["number"] as? Int == 7)
        }
    }

    @Test func `F9 nothing that has no index of its own can be filtered or sorted by`() throws {
        try withCloud { cloud in
            try cloud.seed(3)
            try cloud.command("schema", #""types":{"Note":null}"#)
            let unknown = try cloud.failure("records/query", query(""), status: 404)
            #expect(unknown.code == "NOT_FOUND")
            #expect(unknown.reason == "Did not find record type: Note")
            try cloud.command(
                "schema",
                #""types":{"Note":{"number":{"type":"INT64","queryable":true},"#
                    + #""text":{"type":"STRING","sortable":true},"#
                    + #""createdTimestamp":{"sortable":true}}}"#)
            let number = field("number", "EQUALS", "1")
            for sort in ["", #"{"fieldName":"text"}"#, #"{"systemFieldName":"createdTimestamp"}"#] {
                let body = query(number, sort: sort)
                #expect(names(try cloud.records("records/query", body)) == ["n1"])
            }
            for (body, lacks) in [
                (query(field("text", "EQUALS", #""x""#)), "'text' is not marked queryable"),
                (query(""), "'recordName' is not marked queryable"),
                (
                    query(number, sort: #"{"fieldName":"number"}"#),
                    "'number' is not marked sortable"
                ),
                (query(field("other", "EQUALS", "1")), "'other' is not marked queryable"),
                (
                    query(system("createdTimestamp", "LESS_THAN", 1)),
                    "'createdTimestamp' is not marked queryable"
                ),
                (
                    query(number, sort: #"{"systemFieldName":"modifiedTimestamp"}"#),
                    "'modifiedTimestamp' is not marked sortable"
                ),
            ] {
                let refused = try cloud.failure("records/query", body, status: 400)
                #expect(refused.code == "BAD_REQUEST" && refused.reason == "Field \(lacks)")
            }
        }
    }

    @Test func `F20 numbers come as text when asked for by the key of each call`() throws {
        try withCloud { cloud in
            try cloud.command(
                "records",
                #""user":"ann","zone":"Notes","records":[{"recordName":"a","recordType":"Note","#
                    + #""fields":{"i":{"value":9007199254740993},"d":{"value":1.5},"#
                    + #""t":{"value":5,"type":"TIMESTAMP"}}}]"#)
            func numbers(_ key: String) throws -> [String] {
                let zone = #""zoneID":\#(CloudClient.custom),"\#(key)":true"#
                let query = try cloud.records(
                    "records/query", #"{\#(zone),"query":{"recordType":"Note"}}"#)
                let found = try cloud.records(
                    "records/lookup", #"{\#(zone),"records":[{"recordName":"a"}]}"#)
                let body = #"{"\#(key)":true,"zones":[{"zoneID":\#(CloudClient.custom)}]}"#
                let zones = try cloud.call("changes/zone", body)["zones"] as? [[String: Any]]
                let feed = try #require(zones?.first?["records"] as? [[String: Any]])
                return [query, found, feed].map { records in
                    let all = fields(records.first)
                    return "\(all["i"] is String)\(all["d"] is String)\(all["t"] is String)"
                }
            }
            let text = "truetruefalse"
            let plain = "falsefalsefalse"
            #expect(try numbers("numbersAsStrings") == [text, text, plain])
            #expect(try numbers("numberAsStrings") == [plain, plain, text])
            try cloud.command("settings", #""number_strings_key":"either""#)
            #expect(try numbers("numberAsStrings") == [text, text, text])
            let whole = try cloud.send(
                "records/lookup",
                #"{"zoneID":\#(CloudClient.custom),"records":[{"recordName":"a"}]}"#)
            #expect(whole.text.contains(#""i":{"value":9007199254740993,"type":"INT64"}"#))
        }
    }

    @Test func `F21 unknown keys and types are there on demand`() throws {
        try withCloud { cloud in
            try cloud.seed(1)
            let body = #"{"query":{"recordType":"Note"}}"#
            #expect(try !cloud.send("records/query", body).text.contains("zz"))
            try cloud.command("settings", #""extras":true"#)
            let record = try #require(try cloud.records("records/query", body).first)
            #expect(record["shortGUID"] != nil && record["zzUnknown"] != nil)
            let odd = (record["fields"] as? [String: [String: Any]])?["zz_hologram"]
            #expect(odd?["type"] as? String == "HOLOGRAM")
        }
    }

    @Test func `F22 pages of one pass share records, and a record modified meanwhile moves`() throws
    {
        try withCloud { cloud in
            try cloud.seed(30)
            try cloud.command("settings", #""repeat_records":2"#)
            let pages = try cloud.pages(byNumber, limit: 10)
            #expect(names(pages[1]).prefix(3) == ["n8", "n9", "n10"])
            #expect(Set(pages.flatMap { names($0) }).count == 30)
            try cloud.command("settings", #""repeat_records":0"#)
            try cloud.command(
                "edit",
                #""user":"ann","after_requests":1,"after_op":"records/query","#
                    + #""records":[{"recordName":"n3","fields":{"text":{"value":"moved"}}}]"#)
            let byTime =
                #"{"recordType":"Note","sortBy":[{"systemFieldName":"modifiedTimestamp"}]}"#
            let moving = try cloud.pages(byTime, limit: 10).flatMap { $0 }
            #expect(names(moving).filter { $0 == "n3" }.count == 2)
            #expect(names(moving).last == "n3" && fields(moving.last)["text"] as? String == "moved")
            try cloud.seed(4, zone: "Notes")
            try cloud.command("settings", #""repeat_records":1"#)
            let token = try #require(try cloud.feed(limit: 2)["syncToken"] as? String)
            let rest = try #require(try cloud.feed(token)["records"] as? [[String: Any]])
            #expect(names(rest) == ["n1", "n2", "n3"])
            try cloud.fault(#"{"kind":"duplicates","count":3,"op":"records/query"}"#)
            let page = try cloud.records("records/query", #"{"query":{"recordType":"Note"}}"#)
            #expect(page.count == 33)
        }
    }
}
