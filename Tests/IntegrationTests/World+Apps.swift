import JSON
import JobFiles
import Postgres
import Testing

/// One request to CloudKit that was answered with 200, as the source's log has it.
struct CloudCall: Sendable {
    var operation: String
    var recordType: String?
    /// Records in the answer, those that failed among them.
    var records: Int
    var first: String?
    var last: String?
    /// Operations or records that were sent.
    var items: Int
    /// By the source's monotonic clock, milliseconds.
    var began: Int
    var ended: Int

    init?(_ entry: JSONNode) {
        guard let operation = entry.text("op"), entry.int("status") == 200 else { return nil }
        self.operation = operation
        recordType = entry.text("record_type")
        records = entry.int("records") ?? 0
        first = entry.text("first")
        last = entry.text("last")
        items = entry.int("items") ?? 0
        began = entry.int("mono_ms") ?? 0
        ended = entry.int("end_mono_ms") ?? 0
    }
}

/// What a reader is told of a job's rows.
struct Freshness: Sendable, Equatable {
    var answer: String
    var isUsable: Bool
    var ageSeconds: Int?
}

/// The first user of every fixture.
let firstUser = "user-000001"

extension World {
    /// The requests that were answered so far, in order.
    func cloudCalls() async throws -> [CloudCall] {
        try await source.log().compactMap(CloudCall.init)
    }

    /// The requests that were answered during `body`.
    func cloudCalls(during body: () async throws -> Void) async throws -> [CloudCall] {
        let before = try await cloudCalls().count
        try await body()
        return Array(try await cloudCalls().dropFirst(before))
    }

    /// Asks as an application does before it shows a user's rows.
    func wantFresh(_ user: String = firstUser, force: Bool = false) async throws -> Freshness {
        let row = try await row(
            """
            select answer, usable, floor(extract(epoch from age))::integer as seconds
            from jobrunner.want_fresh('acme', $1, $2, $3)
            """, .text(user), .text(file.name), .bool(force))
        return Freshness(
            answer: row.text("answer") ?? "", isUsable: row["usable"]?.bool ?? false,
            ageSeconds: row.int("seconds"))
    }

    /// Holds every request of an operation until `letGo`, which the client sees as a broken one.
    func hold(_ operation: String, nth: Int? = nil) async throws {
        let place = nth.map { ", \"nth\": \($0)" } ?? ""
        try await source.fault(#"{"kind": "hang", "op": "\#(operation)"\#(place)}"#)
    }

    /// Ends what `hold` holds.
    func letGo() async throws {
        try await source.command("POST", "release", "{}")
    }

    /// Waits until a request hangs at the source.
    func waitUntilHeld() async throws {
        try await eventually("a request hangs") {
            try await source.log().contains { $0.text("state") == "open" }
        }
    }

    /// A local edit of a user's record, as an application makes it.
    func edit(_ table: String, _ values: String, user: String = firstUser) async throws {
        try await sql(
            "select jobrunner.edit_record('acme', $1, $2, $3::jsonb)", .text(user), .text(table),
            .text(values))
    }
}

extension World {
    /// `table key ctid xmin` of every synced row.
    func versions() async throws -> Set<String> {
        var all: Set<String> = []
        for table in Set(file.entities.map(\.write.table)).sorted() {
            let rows = try await rows(
                "select t.ctid::text || ' ' || t.xmin::text as version from synced.\(table) as t")
            all.formUnion(rows.compactMap { $0.text("version") }.map { "\(table) \($0)" })
        }
        return all
    }

    /// Jobs whose last outcome is not complete, with the error.
    func unfinished() async throws -> [String] {
        try await rows(
            """
            select concat_ws(' ', name, last_outcome, last_error_kind, last_error) as said
            from jobrunner.jobs where last_outcome is distinct from 'complete'
            """
        ).compactMap { $0.text("said") }
    }

    /// Moves time in rows: what was synced was synced an hour ago.
    func makeStale(_ span: String = "1 hour") async throws {
        try await given(.staler(span))
    }
}
