import Foundation
import JobFiles
import Postgres
import Testing

/// Every column of the apps whose stores SwiftData mirrors, against what the source holds.
@Suite struct MirrorColumnsTests {
    @Test func `LU27 every column of luego.refresh is what SwiftData mirrors, pulled and pushed`()
        async throws
    {
        let odd = #"""
            {"recordName": "odd", "recordType": "CD_Article", "created": 1735689600001, "modified": 1735689612345,
             "fields": {"CD_url": {"value": "https://example.org/ü?a=\"b\"&c=%20"}, "CD_title": {"value": "a \\ \n 😀"},
              "CD_entityName": {"value": "Article"},
              "CD_savedDate": {"value": 1735700000789, "type": "TIMESTAMP"},
              "CD_readPosition": {"value": 0.123456789012345678, "type": "DOUBLE"}}}
            """#
        // Two copies are merged, and what that makes is sent.
        let fixture = #""records": 250, "duplicates": 2, "broken": 3"#
        try await withCloud(.luego, fixture, users: 2) { world in
            try await world.expectTruth()
            try await world.cloud(
                .luego, "records",
                #""user": "\#(firstUser)", "zone": "\#(coreDataZone)", "records": [\#(odd)]"#)
            try await world.drain()
            try await compareArticles(world)
            try await world.sql(
                """
                update synced.article
                set title = 'mine "ü"', is_favorite = not is_favorite, is_archived = not is_archived, read_position = 0.75,
                  saved_date = '2030-01-02 03:04:05.678901+00', synced = false
                where title in ('Article 1', 'Article 2') or record_name = 'odd'
                """)
            try await world.runAgain()
            #expect(
                try await world.texts(
                    "select distinct title from synced.article where saved_date > '2030-01-01'")
                    == ["mine \"ü\""])
            try await compareArticles(world)
        }
    }

    private func compareArticles(_ world: World) async throws {
        #expect(try await world.unfinished() == [])
        try await world.takeCloudTruth(
            .luego, ["CD_Article": "article"], users: [userName(1), userName(2)], zone: coreDataZone
        )
        try await world.compareAllColumns([
            TruthTable(
                "article", key: ["record_name"],
                condition:
                    "\(TruthTable.field("CD_url")) is not null and \(TruthTable.field("CD_title")) is not null",
                TruthTable.record.merging([
                    "record_name": "e.r ->> 'recordName'", "url": TruthTable.field("CD_url"),
                    "article_id": TruthTable.field("CD_id"),
                    "title": TruthTable.field("CD_title"),
                    "content": TruthTable.field("CD_content"),
                    "author": TruthTable.field("CD_author"),
                    "word_count": TruthTable.field("CD_wordCount"),
                    "thumbnail_url": TruthTable.field("CD_thumbnailURL"),
                    "published_date": TruthTable.timeField("CD_publishedDate"),
                    "saved_date": TruthTable.timeField("CD_savedDate"),
                    "is_favorite": "coalesce(\(TruthTable.field("CD_isFavorite")), '0')",
                    "is_archived": "coalesce(\(TruthTable.field("CD_isArchived")), '0')",
                    "read_position": "coalesce(\(TruthTable.field("CD_readPosition")), '0')",
                    "deleted_at": TruthTable.timeField("CD_deletedAt"),
                ]) { $1 }.merging(TruthTable.pushed) { $1 })
        ])
    }

    @Test func `PO15 every column of popcorn.refresh is what SwiftData mirrors`() async throws {
        let fixture = #""records": 250, "duplicates": 5, "broken": 3"#
        try await withCloud(.popcorn, fixture, users: 2) { world in
            try await world.expectTruth()
            try await world.put([
                movie(
                    "odd",
                    fields:
                        #""CD_movieID": {"value": 9007199254740993}, "CD_new": {"value": "a \"b\" \\ ü 😀"}, "#
                        + #""CD_createdAt": {"value": 1735700000789, "type": "TIMESTAMP"}"#),
                movie("bare", fields: ""),
            ])
            try await world.drain()
            #expect(try await world.unfinished() == [])
            try await world.takeCloudTruth(
                .popcorn,
                [
                    "CD_MoviesWatchlistMovieEntity": "watchlist_movie",
                    "CD_SearchMediaSearchHistoryEntryEntity": "search_history",
                    "CDMR": "popcorn_record", "CD_GenreEntity": "popcorn_record",
                ], users: [userName(1), userName(2)], zone: coreDataZone)
            try await comparePopcorn(world)
            #expect(
                try await world.value(
                    "select count(*) from synced.watchlist_movie where hidden_at is not null")
                    == "10")
        }
    }

    private func comparePopcorn(_ world: World) async throws {
        // Of those that are one movie all but the oldest are hidden.
        let isHidden = """
            exists (
              select from public.truth as o
              where o.user_key = e.user_key and o.r #> '{fields,CD_movieID,value}' = e.r #> '{fields,CD_movieID,value}'
                and (o.r #>> '{fields,CD_createdAt,value}')::bigint < (e.r #>> '{fields,CD_createdAt,value}')::bigint
            )
            """
        try await world.compareAllColumns([
            TruthTable(
                "watchlist_movie", key: ["record_name"],
                TruthTable.record.merging([
                    "record_name": "e.r ->> 'recordName'",
                    "movie_id": TruthTable.field("CD_movieID"),
                    "created_at": TruthTable.timeField("CD_createdAt"),
                    "body": TruthTable.body,
                    "hidden_at":
                        "case when \(isHidden) then \(TruthTable.recent("hidden_at")) end",
                ]) { $1 }.merging(TruthTable.pushed) { $1 }),
            TruthTable(
                "search_history", key: ["record_name"],
                TruthTable.record.merging([
                    "record_name": "e.r ->> 'recordName'",
                    "media_id": TruthTable.field("CD_mediaID"),
                    "media_type": TruthTable.field("CD_mediaType"),
                    "searched_at": TruthTable.timeField("CD_timestamp"),
                ]) { $1 }.merging(TruthTable.pushed) { $1 }),
            // What nobody knows is kept whole.
            TruthTable(
                "popcorn_record", key: ["record_name"],
                TruthTable.record.merging([
                    "record_name": "e.r ->> 'recordName'",
                    "record_type": "e.r ->> 'recordType'", "body": TruthTable.body,
                ]) { $1 }),
        ])
    }
}
