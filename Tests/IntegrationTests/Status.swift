import JSON
import Postgres
import Testing
import TestSupport

/// The zone of MeTube's statuses.
private let zone = "WatchedStatusZone"

/// `lastModified` of the fixture's first status, milliseconds since 1970; each later one is a second
/// younger.
let statusBegin = 1_735_689_600_000

/// A status as somebody saves it; `modified` in milliseconds since 1970.
struct Save: Sendable, Equatable {
    var video: String
    var status: String
    var modified: Int
    var position = 0.0

    /// The record as it travels.
    var record: JSONValue {
        func field(_ value: JSONValue, _ type: String) -> JSONValue {
            .object([JSONMember("value", value), JSONMember("type", .string(type))])
        }
        return .object([
            JSONMember("recordName", .string(video)),
            JSONMember("recordType", .string("WatchedStatus")),
            JSONMember(
                "fields",
                .object([
                    JSONMember("videoId", field(.string(video), "STRING")),
                    JSONMember("status", field(.string(status), "STRING")),
                    JSONMember("lastModified", field(.integer(Int64(modified)), "TIMESTAMP")),
                    JSONMember("playbackPosition", field(.number("\(position)"), "DOUBLE")),
                ])),
        ])
    }

    init(_ video: String, _ status: String, _ modified: Int, position: Double = 0) {
        self.video = video
        self.status = status
        self.modified = modified
        self.position = position
    }

    /// Reads a record of the source; nil where it is not one the app would keep.
    init?(record: JSONNode) {
        let fields = record["fields"]
        guard let video = record.text("recordName"),
            let status = fields?["status"]?["value"]?.string,
            let modified = fields?["lastModified"]?["value"]?.int,
            ["unknown", "unwatched", "watched", "skipped"].contains(status)
        else { return nil }
        let position = fields?["playbackPosition"]?["value"]?.numberText.flatMap(Double.init)
        self.init(video, status, modified, position: position ?? 0)
    }
}

/// A row of `synced.watched_status`.
struct Kept: Sendable, Equatable {
    var save: Save
    var isSynced: Bool
    var error: String?
    var tag: String?

    var status: String { save.status }
    var modified: Int { save.modified }
}

/// A world with MeTube's statuses, `vid_00000` and on for each user.
func withStatuses(
    _ records: Int = 10, broken: Int = 0, users: Int = 1, changes: [(String, String)] = [],
    _ body: (World) async throws -> Void
) async throws {
    try await withCloud(
        .metube, "\"records\": \(records), \"broken\": \(broken)", users: users,
        changes: changes, body)
}

/// `vid_00007`, as the fixture names them.
func video(_ number: Int) -> String {
    "vid_" + String(repeating: "0", count: 5 - String(number).count) + String(number)
}

// What devices do.
extension World {
    /// Another device saves statuses, whatever is there; `later` may hold `after_requests` and more.
    func deviceSaves(_ saves: Save..., user: String = userName(1), later: String = "")
        async throws
    {
        let records = JSONValue.array(saves.map(\.record)).text
        try await statusCommand("edit", #""records": \#(records)"#, user, later)
    }

    func deviceDeletes(_ names: String..., user: String = userName(1)) async throws {
        let names = JSONValue.array(names.map(JSONValue.string)).text
        try await statusCommand("delete", #""names": \#(names)"#, user, "")
    }

    func deleteZone(user: String = userName(1), later: String = "") async throws {
        try await cloud(
            .metube, "zones",
            #""user": "\#(user)", "delete": ["\#(zone)"]"# + (later.isEmpty ? "" : ", \(later)"))
    }

    private func statusCommand(
        _ word: String, _ members: String, _ user: String, _ later: String
    ) async throws {
        try await cloud(
            .metube, word,
            #""user": "\#(user)", "zone": "\#(zone)", \#(members)"#
                + (later.isEmpty ? "" : ", \(later)"))
    }

    func settings(_ members: String) async throws { try await cloud(.metube, "settings", members) }

    /// The records of the source, by video.
    func remote(_ user: String = userName(1)) async throws -> [String: Save] {
        try await cloudRecords(.metube, user: user, zone: zone).compactMapValues(Save.init(record:))
    }

    /// Every version of every record, oldest first; nil for deletions and what can't be read.
    func history(_ user: String = userName(1)) async throws -> [String: [Save?]] {
        let answer = try await source.command(
            "GET",
            "cloudkit/records?container=\(CloudApp.metube.container)&database=private&user=\(user)"
                + "&zone=\(zone)&history=true&deleted=true")
        var all: [String: [Save?]] = [:]
        for record in answer["records"].map({ Array($0.elements) }) ?? [] {
            guard let name = record.text("recordName") else { continue }
            all[name] = record["history"]?.elements.map(Save.init(record:))
        }
        return all
    }
}

// What our side does and holds.
extension World {
    /// An edit in plain SQL, as an application beside the runner makes it.
    func weSave(_ saves: Save..., user: String = userName(1)) async throws {
        for save in saves {
            try await sql(
                """
                insert into synced.watched_status as t (
                  user_id, video_id, status, last_modified, playback_position, synced
                )
                select u.id, $2, $3, timestamptz 'epoch' + $4 * interval '1 ms', $5, false
                from jobrunner.users as u where u.key = $1
                on conflict (user_id, video_id) do update
                set status = excluded.status, last_modified = excluded.last_modified,
                  playback_position = excluded.playback_position, synced = false
                """, .text(user), .text(save.video), .text(save.status),
                .int8(Int64(save.modified)), .double(save.position))
        }
    }

    /// So many new rows at once, named `new_00001` and on.
    func weAdd(_ count: Int, user: String = userName(1)) async throws {
        try await sql(
            """
            insert into synced.watched_status (user_id, video_id, status, last_modified, synced)
            select u.id, 'new_' || lpad(g::text, 5, '0'), 'watched', now(), false
            from jobrunner.users as u, generate_series(1, $2) as g where u.key = $1
            """, .text(user), .int8(Int64(count)))
    }

    /// The rows of a user, by video.
    func local(_ user: String = userName(1)) async throws -> [String: Kept] {
        let rows = try await rows(
            """
            select w.*, floor(extract(epoch from w.last_modified) * 1000)::bigint as modified_ms
            from synced.watched_status as w join jobrunner.users as u on u.id = w.user_id
            where u.key = $1
            """, .text(user))
        var all: [String: Kept] = [:]
        for row in rows {
            let video = row.text("video_id") ?? ""
            let position = row["playback_position"]?.numberText.flatMap(Double.init)
            all[video] = Kept(
                save: Save(
                    video, row.text("status") ?? "", row.int("modified_ms") ?? 0,
                    position: position ?? -1), isSynced: row["synced"]?.bool ?? false,
                error: row.text("push_error"), tag: row.text("change_tag"))
        }
        return all
    }

    /// Where the two sides differ, or a row waits for its push.
    func disagreements(_ user: String = userName(1)) async throws -> [String] {
        let (ours, theirs) = (try await local(user), try await remote(user))
        return Set(ours.keys).union(theirs.keys).sorted().compactMap { video in
            if let ours = ours[video], ours.isSynced, ours.save == theirs[video] { return nil }
            return "\(video): \(ours[video].map { "\($0)" } ?? "-"), "
                + "\(theirs[video].map { "\($0)" } ?? "-")"
        }
    }

    /// A counter of the user's latest run in history.
    func counter(_ name: String, _ user: String = userName(1)) async throws -> Int? {
        try await runs(user).last?.int(name)
    }

    /// The requests from the one after `start` on, as `operation` or `operation items`.
    func story(from start: Int = 0, items: Bool = false) async throws -> [String] {
        try await source.log().dropFirst(start).compactMap { entry in
            entry.text("op").map { items ? "\($0) \(entry.int("items") ?? 0)" : $0 }
        }
    }

    /// How many requests the source got so far.
    func requestCount() async throws -> Int { try await source.log().count }

    /// Waits until so many requests for an operation have come.
    func waitFor(_ operation: String, _ count: Int = 1) async throws {
        try await eventually("\(count) × \(operation)") {
            try await calls().filter { $0 == operation }.count >= count
        }
    }
}
