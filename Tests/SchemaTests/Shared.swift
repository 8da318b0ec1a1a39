import Foundation
import JSON
import Postgres
import Schema
// For every file of the suite: the words that tests share.
@_exported import TestSupport
import Testing

@testable import JobFiles

/// The repository's `sql/`.
let sqlFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("sql")

/// A job file of one entity, as small as can be.
func jobFile(
    _ name: String = "metube.refresh", table: String = "hub_video", key: [String] = ["video_id"],
    fields: [Field] = [field("video_id", required: true)], lists: [ListTable] = []
) -> JobFile {
    let entity = Entity(
        name: "video", isEnabled: true,
        request: Request(
            method: "GET", path: Template(pieces: [.literal("/feed")]), query: [], headers: [],
            body: nil),
        page: Page(
            style: .single, size: nil, maxPages: nil, end: nil, persists: false),
        incremental: nil,
        records: Records(at: Path(steps: []), key: key, fields: fields, keepIf: []),
        write: Write(table: table, mode: .overwrite, newerBy: nil, indexes: []), recover: [],
        isConditional: false)
    return JobFile(
        name: name, scope: .user,
        schedule: Schedule(
            every: .seconds(3600), spread: .user, deadline: .seconds(300), requires: [],
            triggers: []),
        source: Source(
            id: "hub", base: "http://127.0.0.1", auth: .none, timeout: .seconds(5),
            retry: RetryRule(
                attempts: 1, first: .seconds(1), factor: 2, jitter: 0, on: [], waitFrom: []),
            rate: nil, headers: []),
        lists: lists, calls: [], before: [], entities: [entity],
        after: [], stores: [], health: [], events: [], notifiesOnChange: false)
}

func field(
    _ name: String, _ kind: Field.Kind = .text, required: Bool = false,
    default defaultValue: JSONValue? = nil
) -> Field {
    Field(
        name: name, at: Path(steps: [.member(name)]), kind: kind, required: required,
        defaultValue: defaultValue, oneOf: nil, form: .plain)
}

extension Database {
    /// Migrates with the program's own files, or others.
    @discardableResult
    func migrate(
        _ jobFiles: [JobFile] = [], files: [SQLFile] = SQLFile.embedded,
        log: (@Sendable (String) -> Void)? = nil
    ) async throws -> MigrationReport {
        try await Migrator(database: self, files: files).migrate(
            jobFiles: jobFiles, rolePrefix: TestCluster.roles, log: log)
    }

    /// Changes with every row version written in the catalogue or in schema jobrunner.
    func fingerprint() async throws -> [String] {
        let catalogue = [
            "pg_class", "pg_attribute", "pg_attrdef", "pg_proc", "pg_description", "pg_constraint",
            "pg_rewrite", "pg_namespace",
        ]
        let tables = try await texts(
            """
            select c.oid::regclass::text from pg_class as c
            where c.relnamespace in (select n.oid from pg_namespace as n
                where n.nspname in ('jobrunner', 'synced'))
              -- Whose turn it is to migrate is written each time.
              and c.relkind = 'r' and c.relname <> 'migrating'
            """)
        var prints: [String] = []
        for table in (catalogue + tables).sorted() {
            prints += try await texts(
                """
                select '\(table) ' || count(*) || ' ' || coalesce(
                  md5(string_agg(t.ctid::text || t.xmin::text, ' ' order by t.ctid)), '')
                from \(table) as t
                """)
        }
        return prints
    }
}

extension [SQLFile] {
    /// The same files with another text for one, or with one more.
    func with(_ path: String, _ text: String) -> [SQLFile] {
        var files = self
        if let index = files.firstIndex(where: { $0.path == path }) {
            files[index].text = text
        } else {
            files.append(SQLFile(path: path, text: text))
        }
        return files
    }

    func without(_ path: String) -> [SQLFile] { filter { $0.path != path } }
}

/// A list of channels, as MeTube has it.
func channelList() -> ListTable {
    ListTable(name: "channel_ids", table: "hub_channel", column: "channel_id")
}
