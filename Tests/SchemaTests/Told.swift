import JSON
import Postgres

@testable import JobFiles

/// What the tests of told changes work on: `recipe`, `article` and `status`, whose changes are told.
struct Told: Household {
    let pool: Database
    /// For sessions of a test's own.
    let url: String

    /// Lends a database with users `ann` and `bob` of tenant `acme`, and `ann` of `globex`, who have all three jobs.
    static func lend(
        losers: Unique.Losers = .delete, lanes: Int = 2,
        _ body: @escaping (Told) async throws -> Void
    ) async throws {
        let own = try await TestDatabase.make()
        var configuration = try own.configuration(lanes: lanes)
        configuration.lockTimeout = .seconds(20)
        try await Database.withSessions(configuration) { database in
            try await database.migrate(toldFiles(losers: losers))
            try await database.script(
                """
                select jobrunner.add_tenant('acme'), jobrunner.add_tenant('globex');
                select jobrunner.give_job(t.name, f.name) from jobrunner.tenants as t, jobrunner.job_files as f;
                select jobrunner.add_user('acme', 'ann'), jobrunner.add_user('acme', 'bob'),
                  jobrunner.add_user('globex', 'ann');
                \(Given.notDue(for: "30 min"))
                """)
            try await body(Told(pool: database, url: own.url))
        }
    }

    /// Writes as a run does, whose writes are no edits.
    func asRun(_ sql: String) async throws {
        try await pool.script("begin; select jobrunner.own_writes('on'); \(sql); commit")
    }

    /// The number of entries that there are, whoever has read them.
    func entries() async throws -> Int { try await int("select count(*) from jobrunner.changes") }

    /// The recipes of a tenant as a mirror has them, by no statement of the product's.
    func recipes(of tenant: String = "acme") async throws -> [String] {
        try await texts(recipesSQL(of: tenant))
    }
}

/// A tenant's recipes, a text each.
func recipesSQL(of tenant: String = "acme") -> String {
    """
    select concat_ws(' ', u.key, jsonb_build_object('recipe_id', r.recipe_id)::text,
      jsonb_build_object('recipe_id', r.recipe_id, 'body', r.body)::text)
    from synced.recipe as r
    join jobrunner.users as u on u.id = r.user_id
    join jobrunner.tenants as t on t.id = u.tenant_id and t.name = '\(tenant)'
    order by 1
    """
}

/// The three files, which want changes told.
func toldFiles(losers: Unique.Losers = .delete) -> [JobFile] {
    [articleFile(losers: losers), statusFile(), recipeFile()].map { $0.telling() }
}

extension JobFile {
    /// The same file with its changes told.
    func telling(_ isTold: Bool = true) -> JobFile {
        var file = self
        for index in file.entities.indices { file.entities[index].write.tellsChanges = isTold }
        return file
    }
}

/// A copy of a table that an application keeps by what it is told.
struct Mirror: Sendable {
    /// One row of an answer.
    struct Word: Sendable {
        let change: String
        let place: String
        let row: String?
        let cursor: String
    }

    let tenant: String
    let table: String
    let user: String?
    private(set) var cursor: String?
    /// Row texts by user and key.
    private(set) var rows: [String: String] = [:]
    /// How often it was told to begin.
    private(set) var beginnings = 0

    init(_ table: String = "recipe", of tenant: String = "acme", user: String? = nil) {
        (self.tenant, self.table, self.user) = (tenant, table, user)
    }

    /// As `Told.recipes` has them.
    var contents: [String] { rows.map { "\($0.key) \($0.value)" }.sorted() }

    /// What is asked for next.
    func question(limit: Int? = nil) -> Statement {
        .unprepared(
            """
            select change, concat_ws(' ', user_key, key::text) as place, "row"::text as row, cursor
            from jobrunner.changes_since($1, $2, $3, $4, $5)
            """, .text(tenant), .text(table), .optional(user, Bind.text),
            .optional(cursor, Bind.text), .optional(limit) { .int($0) })
    }

    /// Does what it is told, row by row; returns the words as `change place`.
    @discardableResult
    mutating func hear(_ answer: Rows) throws -> [String] {
        try answer.map { row in
            let word = Word(
                change: try row.text("change"), place: try row.text("place"),
                row: try row.optionalText("row"), cursor: try row.text("cursor"))
            switch word.change {
            case "begin":
                rows = [:]
                beginnings += 1
            case "upsert": rows[word.place] = word.row
            default: rows[word.place] = nil
            }
            cursor = word.cursor
            return word.place.isEmpty ? word.change : "\(word.change) \(word.place)"
        }
    }

    /// Asks once.
    @discardableResult
    mutating func read(_ world: some Household, limit: Int? = nil) async throws -> [String] {
        let question = question(limit: limit)
        return try hear(try await world.pool.run { try $0.query(question) })
    }

    /// Asks until there is nothing new; returns how many answers said something.
    @discardableResult
    mutating func catchUp(_ world: some Household, limit: Int? = nil) async throws -> Int {
        var answers = 0
        while try await !read(world, limit: limit).isEmpty { answers += 1 }
        return answers
    }

    /// Goes on from another place.
    mutating func goBack(to cursor: String?) { self.cursor = cursor }
}
