import Testing

/// What the records of each job are as rows.
extension TruthTable {
    static let statuses = TruthTable(
        "watched_status", key: ["video_id"],
        condition:
            "coalesce(\(field("status")), 'unknown') in ('unknown', 'unwatched', 'watched', 'skipped')",
        record.merging([
            "video_id": field("videoId"),
            "status": "coalesce(\(field("status")), 'unknown')",
            "last_modified": timeField("lastModified"),
            "playback_position":
                "coalesce(\(field("playbackPosition")), '0')",
            "record_name": "e.r ->> 'recordName'",
        ]) { $1 }.merging(pushed) { $1 })

    static let tokens = TruthTable(
        "youtube_token", key: ["record_name"],
        record.merging([
            "device": field("device"), "record_name": "e.r ->> 'recordName'",
        ]) { $1 })

    static let recipes = TruthTable(
        "recipe", key: ["recipe_id"],
        condition: "\(field("id")) is not null",
        record.merging([
            "recipe_id": field("id"),
            "owner_id": field("ownerID"),
            "created_at": timeField("createdAt"),
            "title": field("title"),
            "servings": field("servings"),
            "ingredients": "e.r #> '{fields,ingredients,value}'",
            "body": body, "record_name": "e.r ->> 'recordName'",
        ]) { $1 }.merging(pushed) { $1 })

    static let articles = TruthTable(
        "article", key: ["record_name"],
        condition:
            "\(field("CD_url")) is not null and \(field("CD_title")) is not null",
        record.merging([
            "record_name": "e.r ->> 'recordName'", "url": field("CD_url"),
            "article_id": field("CD_id"),
            "title": field("CD_title"),
            "content": field("CD_content"),
            "author": field("CD_author"),
            "word_count": field("CD_wordCount"),
            "thumbnail_url": field("CD_thumbnailURL"),
            "published_date": timeField("CD_publishedDate"),
            "saved_date": timeField("CD_savedDate"),
            "is_favorite": "coalesce(\(field("CD_isFavorite")), '0')",
            "is_archived": "coalesce(\(field("CD_isArchived")), '0')",
            "read_position": "coalesce(\(field("CD_readPosition")), '0')",
            "deleted_at": timeField("CD_deletedAt"),
        ]) { $1 }.merging(pushed) { $1 })

    static var popcorn: [TruthTable] {
        // Of those that are one movie all but the oldest are hidden.
        let isHidden = """
            exists (
              select from public.truth as o
              where o.user_key = e.user_key and o.r #> '{fields,CD_movieID,value}' = e.r #> '{fields,CD_movieID,value}'
                and (o.r #>> '{fields,CD_createdAt,value}')::bigint < (e.r #>> '{fields,CD_createdAt,value}')::bigint
            )
            """
        return [
            TruthTable(
                "watchlist_movie", key: ["record_name"],
                record.merging([
                    "record_name": "e.r ->> 'recordName'",
                    "movie_id": field("CD_movieID"),
                    "created_at": timeField("CD_createdAt"),
                    "body": body,
                    "hidden_at":
                        "case when \(isHidden) then \(recent("hidden_at")) end",
                ]) { $1 }.merging(pushed) { $1 }),
            TruthTable(
                "search_history", key: ["record_name"],
                record.merging([
                    "record_name": "e.r ->> 'recordName'",
                    "media_id": field("CD_mediaID"),
                    "media_type": field("CD_mediaType"),
                    "searched_at": timeField("CD_timestamp"),
                ]) { $1 }.merging(pushed) { $1 }),
            // What nobody knows is kept whole.
            TruthTable(
                "popcorn_record", key: ["record_name"],
                record.merging([
                    "record_name": "e.r ->> 'recordName'",
                    "record_type": "e.r ->> 'recordType'", "body": body,
                ]) { $1 }),
        ]
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
                condition: required.map { "\(field($0.1)) is not null" }
                    .joined(separator: " and "),
                record.merging(own.mapValues { field($0) }) { $1 }.merging(words) { $1 }
                    .merging(time.map { ["modified_at": timeField($0)] } ?? [:]) { $1 }
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
                words: ["starts_at": timeField("dateTime")]),
            table(
                "st_sport", required: [("sport_id", "sportId")],
                ["name": "name", "abbreviation": "abbreviation", "color": "color"]),
        ]
    }
}

extension World {
    /// Compares SportsTime's seven tables with what the source holds now.
    func compareSports(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await takeCloudTruth(.sportstime, SportsType.tables, users: ["*"])
        try await compareAllColumns(
            TruthTable.sports, withAll: false, sourceLocation: sourceLocation)
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
