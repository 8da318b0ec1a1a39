import JSON
import JobFiles
import Postgres
import Testing

/// An article as devices save it.
struct Article: Sendable, Equatable {
    var name: String
    var url: String?
    var title: String? = "A title"
    /// Seconds since 1970; nil: it is not known.
    var saved: Int? = 1_735_689_600
    var isFavourite = false
    var isArchived = false
    var position = 0
    var isDeleted = false

    /// As it travels.
    var text: String {
        var fields = [
            #""CD_entityName": {"value": "Article"}"#,
            #""CD_isFavorite": {"value": \#(isFavourite ? 1 : 0)}"#,
            #""CD_isArchived": {"value": \#(isArchived ? 1 : 0)}"#,
            #""CD_readPosition": {"value": \#(position), "type": "DOUBLE"}"#,
        ]
        if let url { fields.append(#""CD_url": {"value": "\#(url)"}"#) }
        if let title { fields.append(#""CD_title": {"value": "\#(title)"}"#) }
        if let saved {
            fields.append(#""CD_savedDate": {"value": \#(saved * 1000), "type": "TIMESTAMP"}"#)
        }
        fields.append(
            isDeleted
                ? #""CD_deletedAt": {"value": 1735689600000, "type": "TIMESTAMP"}"#
                : #""CD_deletedAt": null"#)
        return """
            {"recordName": "\(name)", "recordType": "CD_Article", "fields": {\(fields.joined(separator: ", "))}}
            """
    }

    /// `name favourite archived position`, as `articles` and `upstream` tell it.
    var line: String {
        "\(name) \(isFavourite ? 1 : 0) \(isArchived ? 1 : 0) \(position)"
    }
}

/// A world of Luego with so many articles of the fixture, none of them double or broken.
func withArticles(
    _ count: Int = 0, _ fixture: String = #""duplicates": 0, "broken": 0"#, users: Int = 1,
    changes: [(String, String)] = [], _ body: (World) async throws -> Void
) async throws {
    let members = #""records": \#(count), "plain_names": true, \#(fixture)"#
    try await withCloud(.luego, members, users: users, changes: changes, body)
}

/// Luego with a version of its devices' own, of which the newest wins.
let newestWins = [
    ("resolve: remote_wins", "resolve: newest_wins"),
    ("newer_by: modified_at", "newer_by: last_modified"),
    (
        "        deleted_at: {",
        "        last_modified: { at: lastModified, type: timestamp }\n        deleted_at: {"
    ),
]

extension World {
    /// Another device saves articles.
    func save(_ articles: [Article], of user: String = firstUser, after: String = "") async throws {
        let texts = articles.map(\.text).joined(separator: ", ")
        try await cloud(
            .luego, "edit",
            #""user": "\#(user)", "zone": "\#(coreDataZone)", "records": [\#(texts)]\#(after)"#)
    }

    /// Another device deletes articles.
    ///
    /// `untold`: no change feed tells of it, as of a deletion that is long ago.
    func remove(
        _ names: [String], of user: String = firstUser, after: String = "", untold: Bool = false
    ) async throws {
        let texts = names.map { "\"\($0)\"" }.joined(separator: ", ")
        try await cloud(
            .luego, "delete",
            #""user": "\#(user)", "zone": "\#(coreDataZone)", "names": [\#(texts)], "untold": \#(untold)\#(after)"#
        )
    }

    /// The live rows of a user as `name favourite archived position`.
    func articles(of user: String = firstUser) async throws -> [String] {
        try await texts(
            """
            select concat_ws(' ', record_name, is_favorite::integer, is_archived::integer, read_position)
            from synced.article_live where user_id = $1 order by record_name
            """, .int8(Int64(try await userID(user))))
    }

    /// The source's records of a user, in the same words.
    func upstream(of user: String = firstUser) async throws -> [String] {
        try await cloudRecords(.luego, user: user, zone: coreDataZone).map { name, record in
            let field = { (key: String) in record["fields"]?["CD_\(key)"]?["value"] }
            let position = field("readPosition")?.numberText.flatMap { Double($0) } ?? -1
            return """
                \(name) \(field("isFavorite")?.int ?? -1) \(field("isArchived")?.int ?? -1) \
                \(position == position.rounded() ? String(Int(position)) : String(position))
                """
        }.sorted()
    }

    /// The title of an article, here and at the source.
    func titles(_ name: String) async throws -> (here: String?, there: String?) {
        let here = try await value(
            "select title from synced.article where user_id = $1 and record_name = $2",
            .int8(Int64(try await userID(firstUser))), .text(name))
        let there = try await cloudRecords(.luego, user: firstUser, zone: coreDataZone)[name]?[
            "fields"]?["CD_title"]
        return (here, there?.text("value"))
    }

    /// Rows that wait to be sent.
    func unsentArticles() async throws -> [String] {
        try await texts("select record_name from synced.article where not synced order by 1")
    }
}

extension World {
    /// Changes how the stand-in of Luego's container behaves.
    func settingsOfLuego(_ members: String) async throws {
        try await cloud(.luego, "settings", members)
    }
}
