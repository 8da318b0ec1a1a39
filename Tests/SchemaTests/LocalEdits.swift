import JSON
import Postgres
import Testing

@testable import JobFiles

/// What the tests of local edits, merges and views work on: `article` by record name, one row per
/// `url`, and `status` by `video_id`, both pushed; `recipe` without a push.
struct Articles: Household {
    let pool: Database
    /// For sessions of a test's own.
    let url: String

    /// Lends a database with user `ann` (1) and `bob` (2) of tenant `acme`, who have all three jobs.
    static func lend(
        losers: Unique.Losers = .delete, _ body: @escaping (Articles) async throws -> Void
    ) async throws {
        let own = try await TestDatabase.make()
        var configuration = try own.configuration(lanes: 2)
        // A test ends what it makes others wait for, however slow the machine is.
        configuration.lockTimeout = .seconds(20)
        try await Database.withSessions(configuration) { database in
            try await database.migrate([
                articleFile(losers: losers), statusFile(), recipeFile(),
            ])
            try await database.script(
                """
                select jobrunner.add_tenant('acme');
                select jobrunner.give_job('acme', name) from jobrunner.job_files;
                select jobrunner.add_user('acme', 'ann'), jobrunner.add_user('acme', 'bob');
                \(Given.notDue(for: "30 min"))
                """)
            try await body(Articles(pool: database, url: own.url))
        }
    }

    /// Writes as a run does, whose writes are no edits.
    func asRun(_ sql: String) async throws {
        try await pool.script("begin; select jobrunner.own_writes('on'); \(sql); commit")
    }

    /// The message a statement is refused with; nil: it is not refused.
    func refusal(_ sql: String) async throws -> String? {
        do {
            _ = try await pool.run { try $0.query(.unprepared(sql)) }
            return nil
        } catch let error as DatabaseError {
            return "\(error.sqlstate ?? ""): \(error.message)"
        }
    }

    /// Adds what an upstream record becomes: sent, with a change tag.
    func arrive(
        _ name: String, url: String?, saved: Int?, favourite: Bool = false, archived: Bool = false,
        position: Int = 0, user: Int = 1
    ) async throws {
        try await pool.run { session in
            _ = try session.query(
                .unprepared(
                    """
                    insert into synced.article (user_id, record_name, tag, url, saved_date, is_favorite,
                      is_archived, read_position)
                    select $1, $2, 't', $3, to_timestamp($4::bigint), $5, $6, $7
                    on conflict (user_id, record_name) do nothing
                    """, .int(user), .text(name), .optional(url, Bind.text),
                    .optional(saved) { .int($0) }, .bool(favourite), .bool(archived),
                    .double(Double(position))))
        }
    }

    @discardableResult
    func merge(_ values: [String]? = nil, user: Int = 1) async throws -> Int {
        try await pool.run { session in
            try session.query(
                .unprepared(
                    "select jobrunner.merge_duplicates($1, 'article', $2)", .int(user),
                    values.map { .textArray($0) } ?? .null)
            ).only().int(0)
        }
    }

    /// The live rows as `name favourite archived position`, with `*` where one is to be sent.
    func live(user: Int = 1) async throws -> [String] {
        try await texts(
            """
            select format('%s %s %s %s%s', record_name, is_favorite::integer, is_archived::integer,
              read_position, case when synced then '' else '*' end)
            from synced.article_live where user_id = \(user) order by 1
            """)
    }

    /// Row versions of the table, which change with every write.
    func versions() async throws -> [String] {
        try await texts("select ctid::text || xmin from synced.article order by 1")
    }
}

private func push(debounce: Duration?) -> Push {
    Push(
        batch: 200, recordType: "Thing", recordName: Template(pieces: []),
        operation: .createOrUpdateWithTag, resolution: .newestWins, conflictRounds: 2,
        sendsDeletes: true, debounce: debounce)
}

private func system(_ name: String, _ meta: String) -> Field {
    var field = field(name, required: meta == "recordName")
    field.meta = meta
    return field
}

func articleFile(losers: Unique.Losers = .delete) -> JobFile {
    var file = jobFile(
        "luego.refresh", table: "article", key: ["record_name"],
        fields: [
            system("record_name", "recordName"), system("tag", "recordChangeTag"), field("url"),
            field("title"), field("saved_date", .timestamp),
            field("is_favorite", .bool, default: .bool(false)),
            field("is_archived", .bool, default: .bool(false)),
            field("read_position", .double, default: .number("0")),
            field("deleted_at", .timestamp),
        ])
    file.entities[0].push = push(debounce: .milliseconds(250))
    file.entities[0].write.deletes = Deletes(
        tombstones: .delete, unsent: .delete, flagAt: nil, flagIs: .truth,
        softField: "deleted_at",
        sweeps: false, maxFraction: 0.2)
    file.entities[0].write.unique = Unique(
        by: ["url"], keep: .oldest, keepField: "saved_date",
        merge: [
            Unique.Merge(column: "is_favorite", rule: .or),
            Unique.Merge(column: "is_archived", rule: .and),
            Unique.Merge(column: "read_position", rule: .max),
        ], losers: losers)
    file.entities[0].write.indexes = [["saved_date", "title"]]
    return file
}

func statusFile() -> JobFile {
    var file = jobFile(
        "metube.status", table: "status", key: ["video_id"],
        fields: [
            field("video_id", required: true), field("status", required: true),
            field("last_modified", .timestamp, required: true),
            field("playback_position", .double, default: .number("0")),
            system("record_name", "recordName"), system("tag", "recordChangeTag"),
        ])
    file.entities[0].write.newerBy = "last_modified"
    file.entities[0].write.mode = .newestWins
    file.entities[0].push = push(debounce: nil)
    return file
}

func recipeFile() -> JobFile {
    jobFile(
        "snapchef.refresh", table: "recipe", key: ["recipe_id"],
        fields: [field("recipe_id", required: true), field("body", .json)])
}
