import JSON
@testable import JobFiles
import Postgres
import Schema
import Testing

@Suite("Synced tables")
struct SyncedTableTests {
    private let videoID = field("video_id", required: true)

    private func columns(_ database: Database, _ table: String = "hub_video") async throws
        -> [String]
    {
        try await database.texts(
            """
            select a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
              || case when a.attnotnull then ' not null' else '' end
              || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
            from pg_attribute as a
            left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = ('synced.' || $1)::regclass and a.attnum > 0 and not a.attisdropped
            order by a.attnum
            """, .text(table))
    }

    private func refusals(_ database: Database, _ files: [JobFile]) async throws -> [String] {
        let before = try await database.fingerprint()
        do {
            _ = try await database.migrate(files)
            Issue.record("not refused")
            return []
        } catch let error as SchemaError {
            #expect(try await database.fingerprint() == before)
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    @Test func `an entity becomes a table with a typed column per field`() async throws {
        try await withTestDatabase { database async throws in
            let fields = [
                videoID, field("link", .url), field("published_at", .timestamp, required: true),
                field("duration_s", .duration, default: .number("1.5")),
                field("seq", .int, default: .number("-7")),
                field("ratio", .double), field("live", .bool, default: .bool(false)),
                field("raw", .json, default: .object([JSONMember("a", .string("it's \\ here"))])),
                field("status", default: .string("it's \\ unknown")),
            ]
            try await database.migrate([jobFile(fields: fields)])
            #expect(
                try await columns(database) == [
                    "user_id bigint not null", "video_id text not null", "link text",
                    "published_at timestamp with time zone not null",
                    "duration_s double precision default '1.5'::double precision",
                    "seq bigint default '-7'::bigint", "ratio double precision",
                    "live boolean default false",
                    #"raw jsonb default '{"a": "it''s \\ here"}'::jsonb"#,
                    #"status text default 'it''s \ unknown'::text"#,
                    "inserted_at timestamp with time zone not null default now()",
                    "last_modified timestamp with time zone not null default now()",
                    "synced boolean not null default true",
                ])
            #expect(try await key(database, "hub_video") == ["user_id,video_id"])
            #expect(
                try await database.texts(
                    "select name || ' ' || kind from jobrunner.synced_tables order by name") == [
                        "hub_video entity"
                    ])
            #expect(
                try await database.texts(
                    "select col_description('synced.hub_video'::regclass, 5)")
                    == [
                        "Field 'duration_s' of entity 'video' of job file metube.refresh, in seconds."
                    ])
        }
    }

    private func key(_ database: Database, _ table: String) async throws -> [String] {
        try await database.texts(
            """
            select string_agg(a.attname, ',' order by array_position(i.indkey::int2[], a.attnum))
            from pg_index as i join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
            where i.indrelid = ('synced.' || $1)::regclass and i.indisprimary
            """, .text(table))
    }

    @Test func `a list becomes a table of users and items`() async throws {
        try await withTestDatabase { database async throws in
            let list = ListTable(name: "channel_ids", table: "hub_channel", column: "channel_id")
            try await database.migrate([
                jobFile(lists: [list]), jobFile("metube.status", lists: [list]),
            ])
            #expect(
                try await columns(database, "hub_channel") == [
                    "user_id bigint not null", "channel_id text not null",
                ])
            #expect(try await key(database, "hub_channel") == ["user_id,channel_id"])
            #expect(
                try await database.texts(
                    "select kind from jobrunner.synced_tables where name = 'hub_channel'") == [
                        "list"
                    ])
        }
    }

    @Test func `a mapped last_modified takes the place of ours`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([
                jobFile(fields: [videoID, field("last_modified", .timestamp, required: true)])
            ])
            #expect(
                try await columns(database) == [
                    "user_id bigint not null", "video_id text not null",
                    "last_modified timestamp with time zone not null",
                    "inserted_at timestamp with time zone not null default now()",
                    "synced boolean not null default true",
                ])
        }
    }

    @Test func `new fields extend a table that has rows, and it is said when one stays nullable`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile()])
            try await database.script(
                "insert into synced.hub_video (user_id, video_id) values (1, 'a')")
            let report = try await database.migrate([
                jobFile(
                    fields: [
                        videoID, field("title", required: true),
                        field("n", .int, default: .number("3")),
                    ])
            ])
            #expect(
                report.synced == [
                    "added column synced.hub_video.title, nullable although required, for the rows that are there",
                    "added column synced.hub_video.n",
                ])
            #expect(
                try await columns(database).suffix(2) == [
                    "title text", "n bigint default '3'::bigint",
                ])
            #expect(try await database.texts("select n::text from synced.hub_video") == ["3"])
        }
    }

    @Test func `extra columns, other defaults and fields that went do no harm`() async throws {
        try await withTestDatabase { database async throws in
            let title = field("title", required: true)
            try await database.migrate([
                jobFile(fields: [videoID, title, field("n", .int, default: .number("3"))])
            ])
            try await database.script(
                "alter table synced.hub_video add column mine text default 'x'")
            let files = [jobFile(fields: [videoID, field("n", .int, default: .number("4"))])]
            let report = try await database.migrate(files)
            #expect(
                report.synced == [
                    "column synced.hub_video.n has another default now",
                    "column synced.hub_video.title may be null now: no job file fills it",
                ])
            try await database.script(
                "insert into synced.hub_video (user_id, video_id) values (1, 'a')")
            #expect(try await database.texts("select n || mine from synced.hub_video") == ["4x"])
            #expect(try await database.migrate(files).isEmpty)
        }
    }

    @Test func `a field that is required no more may be null`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile(fields: [videoID, field("title", required: true)])])
            let report = try await database.migrate([jobFile(fields: [videoID, field("title")])])
            #expect(report.synced == ["column synced.hub_video.title may be null now"])
        }
    }

    @Test func `another type or key is refused, each difference once, and nothing is changed`()
        async throws
    {
        try await withTestDatabase { database async throws in
            try await database.migrate([jobFile(fields: [videoID, field("n", .int), field("s")])])
            try await database.script("create view synced.taken as select 1 as a")
            let lines = try await refusals(
                database,
                [
                    jobFile(
                        key: ["video_id", "s"],
                        fields: [
                            videoID, field("n"), field("s", .int, required: true), field("more"),
                        ]),
                    jobFile("metube.other", table: "taken"),
                ])
            #expect(
                lines == [
                    "synced.hub_video: the job files want the primary key (user_id, video_id, s), the table has (user_id, video_id)",
                    "synced.hub_video.n: the job files want text, the table has bigint",
                    "synced.hub_video.s: the job files want bigint, the table has text",
                    "synced.taken exists and is not a table",
                ])
        }
    }

    @Test func `two job files that share a table must agree, and may add to it`() async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            let lines = try await refusals(
                database,
                [
                    jobFile(fields: [videoID, field("n", .int)]),
                    jobFile("metube.worker", fields: [videoID, field("n")]),
                    jobFile("metube.third", key: ["n"], fields: [field("n", .int, required: true)]),
                    jobFile(
                        "metube.list",
                        lists: [ListTable(name: "l", table: "hub_video", column: "c")]),
                ])
            #expect(
                lines == [
                    "synced.hub_video, as job file metube.worker wants it: column n is text, but bigint in another job file",
                    "synced.hub_video, as job file metube.third wants it: key (user_id, n), but (user_id, video_id) in another job file",
                    "synced.hub_video, as job file metube.list wants it: it is a table of records in another job file",
                ])
            try await database.migrate([
                jobFile(fields: [videoID, field("a", required: true)]),
                jobFile("metube.worker", fields: [videoID, field("b", required: true)]),
            ])
            #expect(try await columns(database).contains("a text"))
            #expect(try await columns(database).contains("b text"))
            #expect(
                try await database.texts("select obj_description('synced.hub_video'::regclass)")
                    == [
                        "Records of entity 'video' of job file metube.refresh. Records of entity 'video' of job file metube.worker."
                    ])
        }
    }

    @Test(arguments: [
        "A", "a b", "a\"; drop schema jobrunner cascade; --", "1a", "",
        String(repeating: "a", count: 64), "synced", "user_id",
    ])
    func `a name that can't be a column is refused`(name: String) async throws {
        try await withTestDatabase { database async throws in
            try await database.migrate()
            let lines = try await refusals(database, [jobFile(fields: [videoID, field(name)])])
            #expect(lines.count == 1)
            #expect(lines.first?.contains("'\(name)'") == true)
        }
    }

    @Test func `a word of SQL is a fine name`() async throws {
        try await withTestDatabase { database async throws in
            let files = [
                jobFile(
                    table: "order", key: ["select"],
                    fields: [
                        field("select", required: true), field("from", .int, default: .number("1")),
                    ])
            ]
            try await database.migrate(files)
            #expect(try await database.migrate(files).isEmpty)
            #expect(try await key(database, "\"order\"") == ["user_id,select"])
        }
    }

    @Test(arguments: ["\u{600}'", "'\u{301}", "\u{600}'\u{301}", "\\\u{301}'", "\u{600}\\\u{600}'"])
    func `a quote that is one Character with its neighbour ends no text`(_ quote: String)
        async throws
    {
        let text = "\(quote)::text); create table public.taken (); --"
        try await withTestDatabase { database async throws in
            try await database.migrate([
                jobFile(fields: [videoID, field("status", default: .string(text))])
            ])
            try await database.script(
                "insert into synced.hub_video (user_id, video_id) values (1, 'a')")
            #expect(try await database.texts("select status from synced.hub_video") == [text])
            #expect(
                try await database.texts("select (to_regclass('public.taken') is null)::text") == [
                    "true"
                ])
        }
    }
}
