extension AppCase {
    /// The jobs of five apps; MeTube's two of a hub have suites of their own.
    static let all = [
        status, tokens, sportsDaily, sportsHourly, recipes, articles, watchlist, searches,
    ]

    static let status = AppCase(
        name: "metube.status", app: .metube, entity: "watched_status", table: "watched_status",
        key: "video_id", type: "WatchedStatus", zone: "WatchedStatusZone",
        fixture: { records, _ in #""records": \#(records)"# },
        edited: EditedField(
            "playback_position", "playbackPosition", ["1000.25", "1001.5", "1002.75"]),
        whole: { name in
            ["videoId": "\"\(name)\"", "status": #""watched""#, "lastModified": time(begin)]
        },
        unfit: [
            ["status": #""watched""#, "lastModified": time(begin)],
            ["videoId": #""bad_1""#, "status": #""watched""#],
            ["videoId": #""bad_2""#, "status": #""rewatching""#, "lastModified": time(begin)],
        ],
        made: ["status": #""skipped""#], clock: "lastModified", winner: .newer, pulls: 2,
        places: [Place(number: 1), Place(number: 2)], truth: [.statuses],
        types: ["WatchedStatus": "watched_status"],
        odd: #"""
            {"recordName": "odd", "recordType": "WatchedStatus", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"videoId": {"value": "odd"}, "status": {"value": "skipped"},
              "lastModified": {"value": 1735700000789, "type": "TIMESTAMP"}}}
            """#,
        oddEdit:
            "status = 'skipped', playback_position = 12.25, last_modified = '2030-01-02 03:04:05.678901+00'",
        without: [.pushesDeletions: "a status is never taken away"])

    static let tokens = AppCase(
        name: "metube.tokens", app: .tokens, entity: "youtube_token", table: "youtube_token",
        key: "record_name", type: "YouTubeToken", zone: tokenZone,
        fixture: { _, _ in #""records": 0"# }, areAdded: true,
        edited: EditedField("device", "device", [#""pad""#, #""phone""#, #""desk""#]),
        whole: { ["refreshToken": "\"of \($0)\""] }, pulls: 3, places: [Place(number: 2)],
        truth: [.tokens], types: ["YouTubeToken": "youtube_token"],
        odd: #"""
            {"recordName": "odd ü", "recordType": "YouTubeToken",
             "fields": {"device": {"value": "a \"b\""}, "refreshToken": {"value": "odd"}}}
            """#,
        without: [
            .sweeps: "a device's token stays until a tombstone tells of it",
            .pushes: "only devices have tokens", .pushesDeletions: "only devices have tokens",
            .unfit: "a token needs no field",
        ])

    static let sportsDaily = sports("sportstime.processing", .sportstime)
    static let sportsHourly = sports("sportstime.refresh", .sportstimeHourly)

    private static func sports(_ name: String, _ app: CloudApp) -> AppCase {
        let reader = "the app's editors alone write its data"
        let ids = [
            "canonicalId", "homeTeamCanonicalId", "awayTeamCanonicalId", "stadiumCanonicalId",
        ]
        return AppCase(
            name: name, app: app, entity: "game", table: "st_game", key: "canonical_id",
            type: "Game", pull: "records/query",
            fixture: { records, _ in #""records": \#(records)"# },
            edited: EditedField("season", "season", [#""2030""#, #""2031""#, #""2032""#]),
            whole: { name in
                var fields = Dictionary(uniqueKeysWithValues: ids.map { ($0, #""x""#) })
                fields["canonicalId"] = "\"\(name)\""
                fields["dateTime"] = time(begin)
                return fields
            },
            unfit: ids.map { missing in
                Dictionary(
                    uniqueKeysWithValues: ids.filter { $0 != missing }.map { ($0, #""bad""#) }
                        + [("dateTime", time(begin))])
            },
            looksUntilGone: 2, pulls: 8,
            places: [
                Place(type: "Stadium", number: 1), Place(type: "Team", number: 1),
                Place(type: "Game", number: 2), Place(type: "Sport", number: 1),
            ], truth: TruthTable.sports,
            types: SportsType.tables,
            odd: #"""
                {"recordName": "odd", "recordType": "Game", "created": 1735689600001, "modified": 1735689612345,
                 "fields": {"canonicalId": {"value": "odd \"ü\\\n"}, "homeTeamCanonicalId": {"value": "h"},
                  "awayTeamCanonicalId": {"value": "a"}, "stadiumCanonicalId": {"value": "s"},
                  "dateTime": {"value": 1893456000789, "type": "TIMESTAMP"}}}
                """#,
            without: [
                .feed: "queries have markers, whose loss ST8 shows", .pushes: reader,
                .pushesDeletions: reader,
                .account: "data is the whole app's, read with its key",
            ])
    }

    static let recipes = AppCase(
        name: "snapchef.refresh", app: .snapchef, entity: "recipe", table: "recipe",
        key: "recipe_id", type: "Recipe", pull: "records/query", records: 120,
        fixture: { records, _ in #""records": \#(records)"# },
        edited: EditedField("title", "title", [#""one""#, #""two""#, #""three""#]),
        whole: {
            [
                "id": "\"\($0)\"", "ownerID": "\"\(firstUser)\"", "createdAt": time(begin),
                "servings": "2",
            ]
        },
        unfit: [
            ["ownerID": "\"\(firstUser)\"", "createdAt": time(begin)],
            ["id": #""bad_1""#, "ownerID": "\"\(firstUser)\""],
        ],
        made: [
            "owner_id": "\"\(firstUser)\"", "created_at": #""2025-01-01T00:00:00Z""#,
        ], winner: .ours, look: .eachDay, looksUntilGone: 2, firstPull: 2, pulls: 4,
        places: [Place(number: 1), Place(number: 3)],
        truth: [.recipes, .set("saved"), .set("created"), .set("favorited")],
        types: ["Recipe": "recipe", "UserProfile": "profile"],
        prepareTruth: [
            // A record is its owner's, and a set is the record's field.
            """
            update public.truth set user_key = coalesce(r #>> '{fields,ownerID,value}', substr(r ->> 'recordName', 9))
            """,
            """
            insert into public.truth
            select 'snap_' || s.name, t.user_key, to_jsonb(i.item)
            from public.truth as t, (values ('saved', 'savedRecipeIDs'), ('created', 'createdRecipeIDs'),
              ('favorited', 'favoritedRecipeIDs')) as s (name, field),
              jsonb_array_elements_text(t.r -> 'fields' -> s.field -> 'value') as i (item)
            where t.kind = 'profile'
            """,
        ],
        odd: #"""
            {"recordName": "odd", "recordType": "Recipe", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"id": {"value": "odd ü"}, "ownerID": {"value": "user-000001"},
              "createdAt": {"value": 1735700000789, "type": "TIMESTAMP"},
              "title": {"value": "a \"b\" \\ \n ü 😀"}}}
            """#,
        oddEdit:
            #"title = 'mine "ü"', servings = 7, ingredients = '["a \"b\""]', created_at = '2030-01-02 03:04:05.678901+00'"#,
        besides: [("saved", "odd,b"), ("created", "odd"), ("favorited", "ü,\"a b\"")].map {
            """
            select jobrunner.edit_list('acme', '\(firstUser)', 'snap_\($0)', 'recipe_id', '{\($1)}'::text[])
            """
        },
        without: [
            .feed: "queries have markers, and a pass a day reads all",
            .account: "the public database is read with the app's key",
        ])

    static let articles = AppCase(
        name: "luego.refresh", app: .luego, entity: "article", table: "article",
        key: "record_name", type: "CD_Article", zone: coreDataZone,
        fixture: { #""records": \#($0), "duplicates": \#($1), "plain_names": true"# },
        duplicates: 2,
        edited: EditedField("title", "CD_title", [#""one""#, #""two""#, #""three""#]),
        whole: {
            [
                "CD_entityName": #""Article""#, "CD_url": "\"https://example.org/new/\($0)\"",
                "CD_savedDate": time(begin),
            ]
        }, unfit: [["CD_entityName": #""Article""#, "CD_savedDate": time(begin)]],
        made: ["url": #""https://example.org/made""#], pulls: 2, places: [Place(number: 2)],
        truth: [.articles], types: ["CD_Article": "article"],
        odd: #"""
            {"recordName": "odd", "recordType": "CD_Article", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"CD_url": {"value": "https://example.org/ü?a=\"b\"&c=%20"}, "CD_title": {"value": "a \\ \n 😀"},
              "CD_entityName": {"value": "Article"},
              "CD_savedDate": {"value": 1735700000789, "type": "TIMESTAMP"},
              "CD_readPosition": {"value": 0.123456789012345678, "type": "DOUBLE"}}}
            """#,
        oddEdit: """
            title = 'mine "ü"', is_favorite = not is_favorite, is_archived = not is_archived, read_position = 0.75,
              saved_date = '2030-01-02 03:04:05.678901+00'
            """)

    static let watchlist = popcorn(
        "watchlist", "watchlist_movie", "CD_MoviesWatchlistMovieEntity",
        fixture: { #""records": \#($0), "duplicates": \#($1), "searches": 3"# },
        edited: EditedField(
            "created_at", "CD_createdAt", ["1900000000001", "1900000000002", "1900000000003"],
            here: (1...3).map { "2030-03-17T17:46:40.00\($0)Z" }),
        entityName: "MoviesWatchlistMovieEntity", id: "CD_movieID", made: ["movie_id": "77"],
        place: Place(number: 2),
        odd: #"""
            "CD_movieID": {"value": 9007199254740993}, "CD_new": {"value": "a \"b\" \\ ü 😀"},
            "CD_createdAt": {"value": 1735700000789, "type": "TIMESTAMP"}
            """#,
        oddEdit: "movie_id = -movie_id, created_at = '2030-01-02 03:04:05.678901+00'")

    static let searches = popcorn(
        "search history", "search_history", "CD_SearchMediaSearchHistoryEntryEntity",
        fixture: { #""records": 30, "duplicates": \#($1), "searches": \#($0)"# },
        edited: EditedField(
            "media_type", "CD_mediaType", [#""radio""#, #""stage""#, #""book""#]),
        entityName: "SearchMediaSearchHistoryEntryEntity", id: "CD_mediaID",
        made: ["media_id": "77"], place: Place(number: 4),
        odd: #""CD_mediaType": {"value": "a \"b\" \\ ü 😀"}"#,
        oddEdit:
            #"media_type = 'a "ü"', media_id = -media_id, searched_at = '2030-01-02 03:04:05.678901+00'"#
    )

    private static func popcorn(
        _ name: String, _ table: String, _ type: String,
        fixture: @escaping @Sendable (Int, Int) -> String, edited: EditedField, entityName: String,
        id: String, made: [String: String], place: Place, odd: String, oddEdit: String
    ) -> AppCase {
        let isFirst = table == "watchlist_movie"
        var without: [AppQuestion: String] = [
            .sweeps: "tombstones alone delete what a user has collected"
        ]
        if !isFirst { without[.unfit] = "any field may be missing, or not be read" }
        return AppCase(
            name: "popcorn.refresh, \(name)", app: .popcorn, entity: table, table: table,
            key: "record_name", type: type, zone: coreDataZone, fixture: fixture, duplicates: 5,
            edited: edited,
            whole: { name in
                // Of two that are one movie one would be hidden.
                let number = name.utf8.reduce(100_000) { $0 + Int($1) }
                return ["CD_entityName": "\"\(entityName)\"", id: "\(number)"]
            },
            unfit: !isFirst
                ? []
                : [#""seven""#, "[7]"].map { ["CD_entityName": "\"\(entityName)\"", id: $0] },
            made: made, firstPull: isFirst ? 1 : 2, resumedPull: isFirst ? 1 : 2, pulls: 6,
            places: [place],
            truth: TruthTable.popcorn,
            types: [
                "CD_MoviesWatchlistMovieEntity": "watchlist_movie",
                "CD_SearchMediaSearchHistoryEntryEntity": "search_history",
                "CDMR": "popcorn_record", "CD_GenreEntity": "popcorn_record",
            ],
            odd: """
                {"recordName": "odd", "recordType": "\(type)", "fields": {\(odd), "CD_entityName": {"value": "\(entityName)"}}}
                """, oddEdit: oddEdit,
            without: without)
    }
}

/// `lastModified` of the first record of a fixture.
private let begin = statusBegin

private func time(_ milliseconds: Int) -> String {
    #"{"value": \#(milliseconds), "type": "TIMESTAMP"}"#
}
