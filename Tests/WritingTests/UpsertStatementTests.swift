import JobFiles
import Postgres
import JobQueue
import Reading
import TestJobFiles
import Testing

@testable import Writing

@Suite struct UpsertStatementTests {
    /// Columns that are words of SQL: unquoted they would break every statement.
    private static let fields = """
        { order: { at: id, type: text, required: true }, table: { at: t, type: int }, \
        select: { at: s, type: json }, from: { at: f, type: timestamp }, user: { at: u, type: bool }, \
        where: { at: w, type: double }, end: { at: e, type: duration }, limit: { at: l, type: url } }
        """

    private func statement(_ mode: String, rows: Int = 1) throws -> Statement {
        let newer = mode == "newest_wins" ? ", newer_by: from" : ""
        let entity = try entity(
            fields: Self.fields, key: "[order]",
            write: "{ table: group, mode: \(mode)\(newer) }")
        let row: [FieldValue?] = [
            .text("a"), .int(1), .json("{}"), .timestamp(0), .bool(true), .double(1), .double(2),
            nil,
        ]
        var position = PassPosition()
        position.passKind = .full
        position.pageNumber = 1
        let commit = PageCommit(entity: "video", position, isEnd: true)
        return UpsertStatement(entity).statement(
            PageWrite(
                RecordBatch(entity, rows: Array(repeating: row, count: rows)), commit),
            for: Claim(userID: 1, name: "j", fence: 2, nonce: []))
    }

    @Test(arguments: ["insert_new", "overwrite", "newest_wins"])
    func `the text depends on the entity alone, so that each session prepares it once`(
        _ mode: String
    ) throws {
        let one = try statement(mode)
        #expect(one.sql == (try statement(mode, rows: 500)).sql)
        #expect(one.sql == (try statement(mode, rows: 0)).sql)
        #expect(one.binds.count == PageCommit.bindCount + UpsertText.counterCount + 8)
    }

    @Test(arguments: ["insert_new", "overwrite", "newest_wins"])
    func `every identifier is quoted`(_ mode: String) throws {
        let sql = try statement(mode).sql
        for word in ["order", "table", "user"] {
            let bare = try Regex("[^\"a-z_]\(word)[^\"a-z_]")
            #expect(sql.firstMatch(of: bare) == nil, "\(word) stands bare in \(sql)")
            #expect(sql.contains("\"\(word)\""))
        }
        #expect(sql.contains("synced.\"group\""))
        #expect(!sql.contains("synced.group"))
    }

    @Test func `a quote in an identifier is doubled`() {
        #expect(quoted("a") == "\"a\"")
        #expect(quoted("a\"; drop table x; --") == "\"a\"\"; drop table x; --\"")
        #expect(quoted("\"") == "\"\"\"\"")
    }

    @Test func `only json can be refused by the server's cast`() throws {
        let entity = try entity(fields: Self.fields, key: "[order]")
        #expect(UpsertStatement(entity).castColumns.map(\.index) == [2])
    }

    @Test func `a cached entity's statements are made anew when its file says something else`()
        throws
    {
        let cache = WritesCache()
        let claim = Claim(userID: 1, name: "app.refresh", fence: 2, nonce: [])
        func look(_ write: String) throws -> String {
            let file = try jobFile(write: write)
            let entity = file.entities[0]
            return cache.writes(of: entity, in: file).upsert
                .changesAnything(RecordBatch(entity), for: claim).sql
        }
        let plain = try look("{ table: video, mode: overwrite }")
        #expect(try look("{ table: film, mode: overwrite }").contains("synced.\"film\""))
        #expect(try look("{ table: video, mode: overwrite }") == plain)
    }
}
