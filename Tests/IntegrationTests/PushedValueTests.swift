import JSON
import Postgres
import Testing

/// What the values of a pushed row are at the source.
@Suite struct PushedValueTests {
    /// MeTube's job with a field of every kind.
    private static let manyKinds = [
        (
            "playback_position: { at: playbackPosition, type: double, default: 0 }",
            """
            playback_position: { at: playbackPosition, type: double, default: 0 }
                    tags: { at: tags, type: json }
                    numbers: { at: numbers, type: json }
                    times: { at: times, type: json }
                    place: { at: place, type: json }
                    parent: { at: parent, type: json }
                    cover: { at: cover, type: text }
                    big: { at: big, type: int }
                    stamp: { at: stamp, type: int }
                    exact: { at: exact, type: double }
                    flag: { at: flag, type: bool }
                    rank: { at: rank, type: int, default: 7 }
                    seen_at: { at: seenAt, type: timestamp }
            """
        )
    ]

    private static let types: KeyValuePairs = [
        "tags": "STRING_LIST", "numbers": "INT64_LIST", "times": "TIMESTAMP_LIST",
        "place": "LOCATION", "parent": "REFERENCE", "cover": "BYTES", "big": "INT64",
        "stamp": "TIMESTAMP", "exact": "DOUBLE", "flag": "INT64", "rank": "INT64",
        "seenAt": "TIMESTAMP",
    ]

    /// MeTube, whose records may have all these fields.
    private func withKinds(
        _ changes: [(String, String)] = Self.manyKinds, _ body: (World) async throws -> Void
    ) async throws {
        try await withStatuses(0, changes: changes) { world in
            try await world.declare(.metube, "WatchedStatus", Self.types)
            try await body(world)
        }
    }

    private static let values = [
        "tags": #"{"value": ["a", "b\"ü"], "type": "STRING_LIST"}"#,
        "numbers": #"{"value": [9223372036854775807, -1], "type": "INT64_LIST"}"#,
        "times": #"{"value": [1735689600000], "type": "TIMESTAMP_LIST"}"#,
        "place": #"{"value": {"latitude": 59.3293, "longitude": 18.0686}, "type": "LOCATION"}"#,
        "parent": #"{"value": {"action": "NONE", "recordName": "p"}, "type": "REFERENCE"}"#,
        "cover": #"{"value": "aGVq", "type": "BYTES"}"#,
        "big": #"{"value": 9007199254740993, "type": "INT64"}"#,
        "stamp": #"{"value": 1735689600123, "type": "TIMESTAMP"}"#,
        "exact": #"{"value": 0.1, "type": "DOUBLE"}"#,
        "flag": #"{"value": 1, "type": "INT64"}"#,
        "seenAt": #"{"value": 1735689600123, "type": "TIMESTAMP"}"#,
    ]

    /// Another device saves fields of a status; those not named stay.
    private func deviceSaves(
        _ world: World, _ name: String, _ fields: [String: String], later: String = ""
    ) async throws {
        let save = Save(name, "watched", statusBegin)
        let status = save.record["fields"]?.members ?? []
        let all =
            status.map { "\"\($0.name)\": \($0.value.text)" }
            + fields.map { "\"\($0.key)\": \($0.value)" }
        try await world.cloud(
            .metube, "edit",
            #""user": "\#(userName(1))", "zone": "WatchedStatusZone", "records": [{"recordName": "\#(name)", "recordType": "WatchedStatus", "fields": {\#(all.joined(separator: ", "))}}]"#
                + (later.isEmpty ? "" : ", \(later)"))
    }

    /// A field of a record at the source, as JSON.
    private func remote(_ world: World, _ name: String, _ field: String) async throws -> JSONValue?
    {
        try await world.cloudRecords(.metube, user: userName(1), zone: "WatchedStatusZone")[name]?[
            "fields"]?[field]?.value
    }

    private func edit(_ world: World, _ name: String, _ set: String) async throws {
        try await world.sql(
            "update synced.watched_status set \(set), synced = false, last_modified = last_modified + interval '1 hour' where video_id = $1",
            .text(name))
    }

    private func error(_ world: World, _ name: String) async throws -> String? {
        try await world.local()[name]?.error
    }

    @Test func `what came from the source goes back as it came, of whatever type it is`()
        async throws
    {
        try await withKinds { world in
            try await deviceSaves(world, "a", Self.values)
            try await world.drain()
            try await edit(world, "a", "status = 'skipped'")
            try await world.runAgain()
            #expect(try await world.remote()["a"]?.status == "skipped")
            #expect(try await world.local()["a"]?.isSynced == true)
            for (field, value) in Self.values {
                let expected = try JSONDocument(parsing: Array(value.utf8)).root.value
                #expect(try await remote(world, "a", field) == expected, "\(field)")
            }
        }
    }

    @Test func `a list, a place and a number of seventeen digits that are edited here are there`()
        async throws
    {
        try await withKinds { world in
            try await deviceSaves(world, "a", Self.values)
            try await world.drain()
            try await edit(
                world, "a",
                """
                tags = '["x", "y"]', numbers = '[9007199254740993]', big = 9007199254740995, exact = 0.30000000000000004,
                place = '{"latitude": 59.329300000000003, "longitude": -0.5}'
                """)
            try await world.runAgain()
            #expect(try await error(world, "a") == nil)
            #expect(try await remote(world, "a", "tags")?["value"]?.text == #"["x","y"]"#)
            #expect(try await remote(world, "a", "numbers")?["value"]?.text == "[9007199254740993]")
            #expect(try await remote(world, "a", "big")?["value"]?.text == "9007199254740995")
            #expect(try await remote(world, "a", "exact")?["value"]?.text == "0.30000000000000004")
            #expect(
                try await remote(world, "a", "place")?["value"]?["longitude"]?.text == "-0.5")
            #expect(try await world.local()["a"]?.isSynced == true)
        }
    }

    @Test(arguments: [
        ("seen_at = 'infinity'", "seen_at: infinity can't be sent"),
        ("exact = 'NaN'", "exact: nan is no number that can be sent"),
        (
            "tags = '[]'",
            "tags: an empty list can't be sent without the type of its elements; null clears the field"
        ),
    ]) func `a row with a value that the source has no form for stays unsent, and says so`(
        _ set: String, _ reason: String
    ) async throws {
        try await withKinds { world in
            try await deviceSaves(world, "a", Self.values)
            try await deviceSaves(world, "b", Self.values)
            try await world.drain()
            try await edit(world, "a", set)
            try await edit(world, "b", "status = 'skipped'")
            try await world.runAgain()
            #expect(try await error(world, "a") == "UNSENDABLE: \(reason)")
            #expect(try await world.local()["a"]?.isSynced == false)
            #expect(try await world.local()["b"]?.isSynced == true)
            #expect(try await world.remote()["b"]?.status == "skipped")
            #expect(try await world.outcomes(userName(1)) == ["complete", "partial edits_refused"])
            try await edit(world, "a", "seen_at = null, exact = 1, tags = null")
            try await world.runAgain()
            #expect(try await world.local()["a"]?.isSynced == true)
            #expect(try await error(world, "a") == nil)
        }
    }

    @Test func `a row without a name at the source stays unsent, and the others go`() async throws {
        let changes =
            Self.manyKinds + [("record_name: \"{row.video_id}\"", "record_name: \"{row.cover}\"")]
        try await withKinds(changes) { world in
            try await world.declare(.metube, "WatchedStatus", ["cover": "STRING"])
            try await world.weAdd(3)
            try await world.sql(
                "update synced.watched_status set cover = 'name_' || video_id where video_id <> 'new_00002'"
            )
            try await world.drain()
            let rows = try await world.local()
            #expect(rows.filter { !$0.value.isSynced }.keys.sorted() == ["new_00002"])
            #expect(
                rows["new_00002"]?.error?.hasPrefix("UNSENDABLE: it has no record name") == true)
            #expect(try await world.remote().count == 2)
            #expect(try await world.outcomes(userName(1)) == ["partial edits_refused"])
        }
    }

    // MARK: Fields that could not be read

    private static let unreadable = #"{"value": "no number", "type": "STRING"}"#

    @Test
    func `a row is sent without its field that could not be read, which keeps its value there`()
        async throws
    {
        try await withKinds { world in
            try await deviceSaves(world, "a", ["big": Self.unreadable])
            try await world.drain()
            #expect(
                try await world.value(
                    "select unread_fields::text || (big is null) from synced.watched_status")
                    == "{big}true")
            try await edit(world, "a", "status = 'skipped'")
            try await world.runAgain()
            #expect(try await world.remote()["a"]?.status == "skipped")
            #expect(try await remote(world, "a", "big")?["value"]?.string == "no number")
            #expect(try await world.local()["a"]?.isSynced == true)
            #expect(
                try await world.value("select unread_fields::text from synced.watched_status")
                    == "{big}")
        }
    }

    @Test func `a default that stands for a value nobody could read does not overwrite it there`()
        async throws
    {
        try await withKinds { world in
            try await deviceSaves(world, "a", ["rank": #"{"value": 1.5, "type": "DOUBLE"}"#])
            try await world.drain()
            try await edit(world, "a", "status = 'skipped'")
            try await world.runAgain()
            #expect(try await remote(world, "a", "rank")?["value"]?.text == "1.5")
            #expect(try await remote(world, "a", "status")?["value"]?.string == "skipped")
            try await edit(world, "a", "rank = 8")
            try await world.runAgain()
            #expect(try await remote(world, "a", "rank")?["value"]?.text == "8")
            #expect(try await world.local()["a"]?.isSynced == true)
        }
    }

    @Test
    func `a field that was given a value after it could not be read is cleared by a null again`()
        async throws
    {
        try await withKinds { world in
            try await deviceSaves(world, "a", ["flag": Self.unreadable])
            try await world.drain()
            try await edit(world, "a", "flag = true")
            try await world.runAgain()
            #expect(try await remote(world, "a", "flag")?["value"]?.text == "1")
            try await edit(world, "a", "flag = null")
            try await world.runAgain()
            #expect(try await remote(world, "a", "flag") == nil)
            #expect(try await world.local()["a"]?.isSynced == true)
        }
    }

    @Test func `a null of ours is not taken for the value there that nobody can read`() async throws
    {
        try await withKinds { world in
            try await deviceSaves(world, "a", ["flag": #"{"value": 1, "type": "INT64"}"#])
            try await world.drain()
            try await world.sql("update synced.watched_status set flag = null, synced = false")
            // Both have one time, so that the flag is all that differs.
            let stamp = try #require(
                try await world.value(
                    "select floor(extract(epoch from last_modified) * 1000)::bigint::text from synced.watched_status"
                ))
            try await deviceSaves(
                world, "a",
                [
                    "flag": Self.unreadable,
                    "lastModified": #"{"value": \#(stamp), "type": "TIMESTAMP"}"#,
                ],
                later: #""after_requests": 1, "after_op": "changes/zone""#)
            try await world.runAgain()
            #expect(try await remote(world, "a", "flag") == nil)
            #expect(try await world.local()["a"]?.isSynced == true)
        }
    }
}
