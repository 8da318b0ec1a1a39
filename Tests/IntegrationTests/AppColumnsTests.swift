import Foundation
import JobFiles
import Postgres
import Testing

/// Each shipped job against what its source says it holds: every column of every row.
///
/// A column that a job file gets later fails here by its name until it is compared too.
@Suite struct AppColumnsTests {
    @Test func `every column of metube.refresh is what the hub holds`() async throws {
        try await withWorld { world in
            try await world.expectTruth()
            try await world.addUser("ann", videos: 300, channels: ["c1", "ü\"2"])
            // Published when they are added, to the millisecond.
            try await world.source.add(7, to: "ann", clean: false)
            try await world.drain()
            #expect(try await world.unfinished() == [])
            let held = try await world.source.text("GET", "expected?user=ann")
            try await world.takeTruth(held, member: "videos", kind: "hub_video", user: "ann")
            try await world.takeTruth(
                Array(#"{"ids": ["c1", "ü\"2"]}"#.utf8), member: "ids", kind: "hub_channel",
                user: "ann")
            try await world.compareAllColumns([
                TruthTable(
                    "hub_video", key: ["video_id"],
                    [
                        "video_id": "e.r ->> 'video_id'", "channel_id": "e.r ->> 'channel_id'",
                        "published_at": "e.r ->> 'published_at'", "title": "e.r ->> 'title'",
                        "description": "e.r ->> 'description'",
                        "thumbnail_url": "e.r ->> 'thumbnail_url'",
                        "duration_s": "e.r ->> 'duration_s'",
                        "last_modified": TruthTable.recent("last_modified"),
                    ]), TruthTable.channels(areSent: true),
            ])
        }
    }

    @Test func `every column of metube.worker is what the back end serves`() async throws {
        let path = packageRoot.appending(path: "jobs/metube/worker.yaml")
        try await withWorld(try String(contentsOf: path, encoding: .utf8)) { world in
            try await world.expectTruth()
            try await world.addUser("ann", videos: 300, channels: ["c1"])
            try await world.source.add(7, to: "ann", clean: false)
            try await world.sql(
                "select jobrunner.set_source('acme', $1, $2)", .text(world.file.source.id),
                .text(world.source.base + "/worker/ann"))
            try await world.drain()
            #expect(try await world.unfinished() == [])
            let served = try await world.source.answer(
                "POST", "worker/ann/api/videos/query",
                #"{"channelIds": ["c1"], "afterSeq": 0, "limit": 500}"#)
            try await world.takeTruth(served, member: "videos", kind: "hub_video", user: "ann")
            try await world.takeTruth(
                Array(#"{"ids": ["c1"]}"#.utf8), member: "ids", kind: "hub_channel", user: "ann")
            try await world.compareAllColumns([
                TruthTable(
                    "hub_video", key: ["video_id"],
                    [
                        "video_id": "e.r ->> 'videoId'", "channel_id": "e.r ->> 'channelId'",
                        "published_at": "e.r ->> 'publishedAt'", "title": "e.r ->> 'title'",
                        "duration_s": "e.r ->> 'durationSeconds'",
                        "last_modified": TruthTable.recent("last_modified"),
                    ]), TruthTable.channels(areSent: false),
            ])
        }
    }

    @Test func `every column of metube.status is what CloudKit holds, pulled and pushed`()
        async throws
    {
        let odd = #"""
            {"recordName": "odd", "recordType": "WatchedStatus", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"videoId": {"value": "odd"}, "status": {"value": "skipped"},
              "lastModified": {"value": 1735700000789, "type": "TIMESTAMP"}}}
            """#
        try await withCloud(.metube, #""records": 250, "broken": 3"#, users: 2) { world in
            try await world.expectTruth()
            try await world.cloud(
                .metube, "records",
                #""user": "\#(firstUser)", "zone": "WatchedStatusZone", "records": [\#(odd)]"#)
            try await world.drain()
            try await compareStatuses(world)
            // What was edited here and sent is what the source holds then, by its own words.
            try await world.sql(
                """
                update synced.watched_status
                set status = 'skipped', playback_position = 12.25, last_modified = '2030-01-02 03:04:05.678901+00',
                  synced = false
                where video_id in ('vid_00001', 'vid_00002', 'odd')
                """)
            try await world.runAgain()
            #expect(
                try await world.texts(
                    """
                    select distinct status || ' ' || playback_position from synced.watched_status
                    where last_modified > '2030-01-01'
                    """) == ["skipped 12.25"])
            try await compareStatuses(world)
        }
    }

    @Test func `every column of metube.tokens is what CloudKit holds, and the token is in none`()
        async throws
    {
        try await withTokens { world in
            try await world.expectTruth()
            for number in 1...3 {
                try await world.deviceStores("t\(number)", on: "device-\(number)")
            }
            try await world.drain()
            #expect(try await world.unfinished() == [])
            try await world.takeCloudTruth(
                .metube, ["YouTubeToken": "youtube_token"], users: [firstUser], zone: tokenZone)
            try await world.compareAllColumns([
                TruthTable(
                    "youtube_token", key: ["record_name"],
                    TruthTable.record.merging([
                        "device": TruthTable.field("device"), "record_name": "e.r ->> 'recordName'",
                    ]) { $1 })
            ])
            #expect(try await world.secret() == "t3")
        }
    }

    private func compareStatuses(_ world: World) async throws {
        #expect(try await world.unfinished() == [])
        try await world.takeCloudTruth(
            .metube, ["WatchedStatus": "watched_status"], users: [userName(1), userName(2)],
            zone: "WatchedStatusZone")
        try await world.compareAllColumns([
            TruthTable(
                "watched_status", key: ["video_id"],
                condition:
                    "coalesce(\(TruthTable.field("status")), 'unknown') in ('unknown', 'unwatched', 'watched', 'skipped')",
                TruthTable.record.merging([
                    "video_id": TruthTable.field("videoId"),
                    "status": "coalesce(\(TruthTable.field("status")), 'unknown')",
                    "last_modified": TruthTable.timeField("lastModified"),
                    "playback_position":
                        "coalesce(\(TruthTable.field("playbackPosition")), '0')",
                    "record_name": "e.r ->> 'recordName'",
                ]) { $1 }.merging(TruthTable.pushed) { $1 })
        ])
    }

    @Test(arguments: [CloudApp.sportstime, .sportstimeHourly])
    func `ST34 every field of SportsTime's seven models is a column, and what CloudKit holds`(
        _ app: CloudApp
    ) async throws {
        let odd = #"""
            {"recordName": "odd", "recordType": "Game", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"canonicalId": {"value": "odd \"ü\\\n"}, "homeTeamCanonicalId": {"value": "h"},
              "awayTeamCanonicalId": {"value": "a"}, "stadiumCanonicalId": {"value": "s"},
              "dateTime": {"value": 1893456000789, "type": "TIMESTAMP"}}}
            """#
        try await withSports(#""records": 450, "broken": 3"#, app: app) { world in
            try await world.expectTruth()
            try await world.cloud(.sportstime, "records", #""records": [\#(odd)]"#)
            try await world.drain()
            #expect(try await world.unfinished() == [])
            try await world.compareSports()
        }
    }

    @Test func `every column of snapchef.refresh is what CloudKit holds`() async throws {
        let odd = #"""
            {"recordName": "odd", "recordType": "Recipe", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"id": {"value": "odd ü"}, "ownerID": {"value": "user-000001"},
              "createdAt": {"value": 1735700000789, "type": "TIMESTAMP"},
              "title": {"value": "a \"b\" \\ \n ü 😀"}}}
            """#
        try await withCloud(.snapchef, #""records": 120, "broken": 3"#, users: 2) { world in
            try await world.expectTruth()
            try await world.cloud(.snapchef, "records", #""records": [\#(odd)]"#)
            for (set, items) in [
                ("saved", "{odd,b}"), ("created", "{odd}"), ("favorited", "{ü,\"a b\"}"),
            ] {
                try await world.sql(
                    "select jobrunner.edit_list('acme', $1, $2, 'recipe_id', $3::text::text[])",
                    .text(firstUser), .text("snap_\(set)"), .text(items))
            }
            try await world.drain()
            #expect(try await world.unfinished() == [])
            // The sweep of another day brings what the saves have changed.
            try await world.enqueue(firstUser, full: true, force: true)
            try await world.drain()
            try await world.takeCloudTruth(
                .snapchef, ["Recipe": "recipe", "UserProfile": "profile"], users: ["*"])
            // A record is its owner's, and a set is the record's field.
            try await world.sql(
                """
                update public.truth set user_key = coalesce(r #>> '{fields,ownerID,value}', substr(r ->> 'recordName', 9))
                """)
            try await world.sql(
                """
                insert into public.truth
                select 'snap_' || s.name, t.user_key, to_jsonb(i.item)
                from public.truth as t, (values ('saved', 'savedRecipeIDs'), ('created', 'createdRecipeIDs'),
                  ('favorited', 'favoritedRecipeIDs')) as s (name, field),
                  jsonb_array_elements_text(t.r -> 'fields' -> s.field -> 'value') as i (item)
                where t.kind = 'profile'
                """)
            try await world.compareAllColumns([
                TruthTable(
                    "recipe", key: ["recipe_id"],
                    condition: "\(TruthTable.field("id")) is not null",
                    TruthTable.record.merging([
                        "recipe_id": TruthTable.field("id"),
                        "owner_id": TruthTable.field("ownerID"),
                        "created_at": TruthTable.timeField("createdAt"),
                        "title": TruthTable.field("title"),
                        "servings": TruthTable.field("servings"),
                        "ingredients": "e.r #> '{fields,ingredients,value}'",
                        "body": TruthTable.body, "record_name": "e.r ->> 'recordName'",
                    ]) { $1 }.merging(TruthTable.pushed) { $1 }), .set("saved"), .set("created"),
                .set("favorited"),
            ])
        }
    }
}

extension TruthTable {
    /// What a CloudKit record tells of itself.
    static let record = [
        "change_tag": "e.r ->> 'recordChangeTag'", "modified_at": time("modified,timestamp"),
        "last_modified": recent("last_modified"),
    ]

    /// The columns of a table that is pushed, when nothing waits and nothing was refused.
    static let pushed = [
        "pending_delete": "false", "push_error": "null", "push_pause": "null",
        "sent_hashes": "null",
        "unread_fields": "null",
    ]

    /// A set of ids and nothing else.
    static func set(_ name: String) -> TruthTable {
        var table = TruthTable(
            "snap_\(name)", key: ["recipe_id"], ["recipe_id": "e.r #>> '{}'"])
        table.columns = table.columns.filter { ["user_id", "recipe_id"].contains($0.key) }
        return table
    }

    /// What a list that was given as ids knows of them.
    static func channels(areSent: Bool) -> TruthTable {
        TruthTable(
            "hub_channel", key: ["channel_id"],
            [
                "channel_id": "e.r #>> '{}'", "name": "null", "thumbnail_url": "null",
                "description": "null", "uploads_playlist_id": "null",
                "last_modified": recent("last_modified"), "synced": areSent ? "true" : "false",
            ])
    }
}

extension TruthTable {
    static var sports: [TruthTable] {
        /// `required`: a record without them is not stored. Its key is the first of them.
        func table(
            _ name: String, required: [(String, String)], _ fields: [String: String] = [:],
            words: [String: String] = [:], time: String? = nil
        ) -> TruthTable {
            let own = Dictionary(uniqueKeysWithValues: required).merging(fields) { $1 }
            return TruthTable(
                name, key: [required[0].0],
                condition: required.map { "\(Self.field($0.1)) is not null" }
                    .joined(separator: " and "),
                Self.record.merging(own.mapValues { Self.field($0) }) { $1 }.merging(words) { $1 }
                    .merging(time.map { ["modified_at": Self.timeField($0)] } ?? [:]) { $1 }
                    .filter { $0.key != "change_tag" })
        }
        return [
            table(
                "st_stadium", required: [("canonical_id", "canonicalId"), ("name", "name")],
                ["city": "city", "state": "state", "capacity": "capacity"],
                words: [
                    "latitude": "e.r #>> '{fields,location,value,latitude}'",
                    "longitude": "e.r #>> '{fields,location,value,longitude}'",
                ]),
            table(
                "st_league_structure", required: [("structure_id", "structureId")],
                [
                    "sport_id": "sport", "league": "league", "kind": "structureType",
                    "name": "name", "abbreviation": "abbreviation", "parent_id": "parentId",
                    "display_order": "displayOrder",
                ], time: "lastModified"),
            table(
                "st_team",
                required: [
                    ("canonical_id", "canonicalId"),
                    ("stadium_canonical_id", "stadiumCanonicalId"),
                ],
                [
                    "name": "name", "abbreviation": "abbreviation", "city": "city",
                    "sport_id": "sport", "structure_id": "structureId",
                    "primary_color": "primaryColor", "secondary_color": "secondaryColor",
                ]),
            table(
                "st_team_alias", required: [("alias_id", "aliasId")],
                [
                    "team_canonical_id": "teamCanonicalId", "kind": "aliasType",
                    "alias": "aliasValue",
                ], time: "lastModified"),
            table(
                "st_stadium_alias", required: [("alias_name", "aliasName")],
                ["stadium_canonical_id": "stadiumCanonicalId"], time: "lastModified"),
            table(
                "st_game",
                required: [
                    ("canonical_id", "canonicalId"), ("home_team_id", "homeTeamCanonicalId"),
                    ("away_team_id", "awayTeamCanonicalId"), ("stadium_id", "stadiumCanonicalId"),
                ], ["sport_id": "sport", "season": "season", "is_playoff": "isPlayoff"],
                words: ["starts_at": Self.timeField("dateTime")]),
            table(
                "st_sport", required: [("sport_id", "sportId")],
                ["name": "name", "abbreviation": "abbreviation", "color": "color"]),
        ]
    }
}

extension World {
    /// Compares SportsTime's seven tables with what the source holds now.
    func compareSports(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let tables = Dictionary(uniqueKeysWithValues: SportsType.all.map { ($0.type, $0.table) })
        try await takeCloudTruth(.sportstime, tables, users: ["*"])
        try await compareAllColumns(TruthTable.sports, sourceLocation: sourceLocation)
    }

    /// What the source holds of each type now, in place of what it held before.
    func takeCloudTruth(
        _ app: CloudApp, _ tables: [String: String], users: [String], zone: String? = nil
    ) async throws {
        try await sql("truncate public.truth")
        for user in users {
            for (type, table) in tables {
                var query = "container=\(app.container)&type=\(type)"
                query += app.isPublic ? "&database=public" : "&database=private&user=\(user)"
                if let zone { query += "&zone=\(zone)" }
                let text = try await source.text("GET", "cloudkit/records?\(query)")
                try await takeTruth(text, member: "records", kind: table, user: user)
            }
        }
    }
}
