import Foundation
import Testing

@testable import FakeSource

/// Speaks CloudKit to a source, and commands it.
struct CloudClient {
    let http: Client
    static let container = "iCloud.com.example.app"
    /// With the characters that must be escaped in a query.
    static let apiToken = "api+token/="
    static let custom = #"{"zoneName":"Notes"}"#

    static func path(_ operation: String, _ database: String) -> String {
        "/database/1/\(container)/production/\(database)/\(operation)"
    }

    /// A request as a user when there is a web token, else as the world.
    func send(
        _ operation: String, _ body: String? = "{}", token: String? = "token-ann",
        database: String = "private", query: String = ""
    ) throws -> Client.Reply {
        var path = CloudClient.path(operation, database)
        path += "?ckAPIToken=\(percentEncoded(CloudClient.apiToken))"
        if let token { path += "&ckWebAuthToken=\(percentEncoded(token))" }
        guard let body else { return try http.get(path + query) }
        return try http.post(path + query, body)
    }

    /// The answer to a request that must succeed.
    func call(
        _ operation: String, _ body: String? = "{}", token: String? = "token-ann",
        database: String = "private"
    ) throws -> [String: Any] {
        let reply = try send(operation, body, token: token, database: database)
        try #require(reply.status == 200, "\(reply.text)")
        return try reply.json()
    }

    func records(
        _ operation: String, _ body: String, token: String = "token-ann",
        database: String = "private"
    ) throws -> [[String: Any]] {
        let answer = try call(operation, body, token: token, database: database)
        return try #require(answer["records"] as? [[String: Any]])
    }

    /// The code and reason of a request that must fail.
    func failure(
        _ operation: String, _ body: String?, token: String? = "token-ann",
        database: String = "private", status: Int
    ) throws -> (code: String?, reason: String?) {
        let reply = try send(operation, body, token: token, database: database)
        #expect(reply.status == status, "\(reply.text)")
        let error = try reply.json()
        return (error["serverErrorCode"] as? String, error["reason"] as? String)
    }

    @discardableResult
    func command(_ name: String, _ members: String = "") throws -> [String: Any] {
        let first = #"{"container":"\#(CloudClient.container)""#
        let body = first + (members.isEmpty ? "}" : ",\(members)}")
        return try http.command("cloudkit/\(name)", body).json()
    }

    func seed(_ count: Int, user: String? = "ann", zone: String? = nil, from first: Int = 0) throws
    {
        let records = (first..<(first + count)).map {
            #"{"recordName":"n\#($0)","recordType":"Note","#
                + #""fields":{"number":{"value":\#($0)},"text":{"value":"t\#($0 % 10)"}}}"#
        }
        var place = zone.map { #""zone":"\#($0)","# } ?? ""
        if let user { place += #""user":"\#(user)","# }
        try command("records", place + #""records":[\#(records.joined(separator: ","))]"#)
    }

    func fault(_ body: String) throws { try http.command("cloudkit/faults", body) }

    /// What the server holds.
    func dump(_ query: String) throws -> [[String: Any]] {
        try http.get("/_control/cloudkit/records?container=\(CloudClient.container)&\(query)")
            .items("records")
    }

    /// One page of the feed of the zone Notes.
    func feed(
        _ token: String? = nil, limit: Int = 200, extra: String = "",
        as webToken: String = "token-ann"
    ) throws -> [String: Any] {
        let sent = token.map { #","syncToken":"\#($0)""# } ?? ""
        let body =
            #"{"zones":[{"zoneID":\#(CloudClient.custom),"resultsLimit":\#(limit)\#(sent)\#(extra)}]}"#
        let zones = try call("changes/zone", body, token: webToken)["zones"] as? [[String: Any]]
        return try #require(zones?.first)
    }

    /// All pages of a query by number, following the marker.
    func pages(
        _ query: String, limit: Int = 200, database: String = "private",
        between: (Int) throws -> Void = { _ in }
    ) throws -> [[[String: Any]]] {
        var pages: [[[String: Any]]] = []
        var marker = ""
        for number in 0..<200 {
            let body = #"{"query":\#(query),"resultsLimit":\#(limit)\#(marker)}"#
            let answer = try call("records/query", body, database: database)
            pages.append(try #require(answer["records"] as? [[String: Any]]))
            guard let next = answer["continuationMarker"] as? String else { return pages }
            marker = #","continuationMarker":"\#(next)""#
            try between(number)
        }
        Issue.record("the query did not end")
        return pages
    }
}

/// A record type in a command for the schema, with every index that there is.
func indexed(_ type: String, _ fields: [String: String]) -> String {
    let own = fields.map { #""\#($0)":{"type":"\#($1)","queryable":true,"sortable":true}"# }
    let system = ["recordName", "createdUserRecordName", "createdTimestamp", "modifiedTimestamp"]
        .map { #""\#($0)":{"queryable":true,"sortable":true}"# }
    return #""\#(type)":{\#((own + system).joined(separator: ","))}"#
}

/// Runs a source with one container, a schema for notes, and the users ann and ben around a test.
func withCloud(_ body: (CloudClient) throws -> Void) throws {
    try withSource { client in
        let cloud = CloudClient(http: client)
        try cloud.command("container", #""api_tokens":["\#(CloudClient.apiToken)"]"#)
        let notes = [
            "number": "INT64", "text": "STRING", "t": "STRING", "l": "STRING_LIST",
        ]
        try cloud.command(
            "schema", #""types":{\#(indexed("Note", notes)),\#(indexed("Other", [:]))}"#)
        try cloud.command("users", #""user":"ann","tokens":["token-ann","phone-ann"]"#)
        try cloud.command("users", #""user":"ben""#)
        try body(cloud)
    }
}

func names(_ records: [[String: Any]]) -> [String] { ids(records, "recordName") }

func codes(_ records: [[String: Any]]) -> [String?] {
    records.map { $0["serverErrorCode"] as? String }
}

func fields(_ record: [String: Any]?) -> [String: Any] {
    (record?["fields"] as? [String: [String: Any]] ?? [:]).compactMapValues { $0["value"] }
}

/// Operations of `records/modify` on the zone Notes.
func operations(_ items: String..., atomic: Bool = false) -> String {
    #"{"zoneID":\#(CloudClient.custom),"atomic":\#(atomic),"#
        + #""operations":[\#(items.joined(separator: ","))]}"#
}

func operation(
    _ type: String, _ name: String, tag: Any? = nil, fields: String = "{}",
    recordType: String? = "Note"
) -> String {
    var record = #""recordName":"\#(name)","fields":\#(fields)"#
    if let recordType { record += #","recordType":"\#(recordType)""# }
    if let tag { record += #","recordChangeTag":"\#(tag)""# }
    return #"{"operationType":"\#(type)","record":{\#(record)}}"#
}
