import JSON
import Postgres
import Testing

/// Each page style with each form of a job, each answer, at each place of a pass: what the source has is what is stored, or
/// the run says that it is not.
@Suite struct GeneratedTests {
    /// How an entity keeps up with its list.
    struct Form: Sendable {
        var name: String
        var mode: String
        var incremental = ""
        var seesEdits = true
    }

    /// One page style with one form; a world of its own.
    struct Combination: Sendable, CustomTestStringConvertible {
        var way: StylesTests.Way
        var form: Form
        var testDescription: String { "\(way.name), \(form.name)" }

        /// The job file.
        var file: String {
            let since = form.incremental.isEmpty ? "" : #"since: "{since}""#
            let query = [way.query, since].filter { !$0.isEmpty }.joined(separator: ", ")
            return World.generic(
                way.path, page: way.page, query: query, mode: form.mode,
                incremental: form.incremental
                    + "\nerrors: [{ body: { at: error, filled: true }, then: fail }]")
        }
    }

    /// An answer in place of a page.
    struct Answer: Sendable {
        var name: String
        /// What the fake source is told; empty: the page itself.
        var fault: String
        /// A pass that is answered so must not be called complete.
        var isTold = true
    }

    private static let sweep = "deletes: { sweep: after_full_pass }"
    private static let forms = [
        Form(name: "insert_new", mode: "insert_new, \(sweep)", seesEdits: false),
        Form(name: "overwrite", mode: "overwrite, \(sweep)"),
        Form(name: "replace_all", mode: "replace_all"),
        Form(
            name: "max_seen", mode: "newest_wins, newer_by: updated_at, \(sweep)",
            incremental: "incremental: { watermark: max_seen, overlap: 1m, full_every: 24h }"),
        Form(
            name: "run_start", mode: "overwrite, \(sweep)",
            incremental: "incremental: { watermark: run_start, overlap: 1m, full_every: 24h }"),
    ]
    private static let feed = StylesTests.Way(
        name: "sync_token", path: "sync",
        page: "style: sync_token, token_at: sync_token, more_at: more, size: 20",
        query: #"token: "{page.token}""#, requests: 3)

    static let combinations =
        StylesTests.ways.flatMap { way in forms.map { Combination(way: way, form: $0) } }
        + forms.prefix(2).map { Combination(way: feed, form: $0) }

    private static let answers = [
        Answer(name: "200", fault: "", isTold: false),
        Answer(name: "201", fault: #""status": 201, "body": "{\"items\": []}""#),
        Answer(name: "202", fault: #""status": 202, "body": "{\"items\": []}""#),
        Answer(name: "204", fault: #""status": 204, "body": """#, isTold: false),
        Answer(name: "206", fault: #""status": 206, "body": "{\"items\": []}""#),
        Answer(name: "304", fault: #""status": 304, "body": """#),
        Answer(
            name: "failure",
            fault: #""status": 200, "body": "{\"items\": [], \"error\": \"later\"}""#),
        Answer(name: "nothing", fault: #""status": 200, "body": """#),
    ]
    private static let cases = answers.flatMap { answer in
        (1...3).map { place in (user: "u\(answer.name)-\(place)", answer: answer, place: place) }
    }

    @Test(arguments: combinations)
    func
        `whatever answer comes at whatever place, nothing is lost and nothing goes that the source has`(
            _ combination: Combination
        ) async throws
    {
        try await withWorld(combination.file) { world in
            for one in Self.cases { try await world.addUser(one.user, videos: 45) }
            try await world.drain()
            #expect(try await outcomes(world).allSatisfy { $0.value == "complete" })
            try await strike(world)
            try await check(world, removed: 0, edited: 0)
            try await world.source.heal()
            for one in Self.cases {
                try await change(world, #""user": "\#(one.user)", "op": "remove", "count": 2"#)
                try await change(
                    world, #""user": "\#(one.user)", "op": "edit", "count": 2, "name": "edited""#)
            }
            // A pass that was cut off goes on with the list as it was; the one after it sees the edits.
            for _ in 1...2 { try await read(world) }
            #expect(try await outcomes(world).allSatisfy { $0.value == "complete" })
            let edited = combination.form.seesEdits && combination.way.path != "sync" ? 2 : 0
            try await check(world, removed: nil, edited: edited)
            for _ in 1...2 {
                try await world.given(.fullAsked())
                try await read(world)
            }
            #expect(try await outcomes(world).allSatisfy { $0.value == "complete" })
            try await check(
                world, removed: 2, edited: combination.form.seesEdits ? 2 : 0)
            for one in Self.cases {
                #expect(try await world.holdsAllItems(of: one.user), "\(one.user)")
            }
        }
    }

    /// A pass in which each user's source answers in its own way at its own place.
    private func strike(_ world: World) async throws {
        for one in Self.cases where !one.answer.fault.isEmpty {
            try await world.source.fault(
                #"{"kind": "status", \#(one.answer.fault), "user": "\#(one.user)", "nth": \#(one.place)}"#
            )
        }
        let before = try await requests(world)
        try await read(world)
        let after = try await requests(world)
        // A source that says "later" may be asked once more before the worker has nothing left to do.
        let told = try await world.rows(
            """
            select distinct u.key as user
            from jobrunner.runs as r join jobrunner.users as u on u.id = r.user_id where r.outcome <> 'complete'
            """
        ).compactMap { $0.text("user") }
        for one in Self.cases where one.answer.isTold {
            // The pass may be shorter than that.
            guard after[one.user, default: 0] - before[one.user, default: 0] >= one.place else {
                continue
            }
            #expect(told.contains(one.user), "\(one.user)")
        }
    }

    /// No row is gone that the source has, and no edit is lost.
    private func check(
        _ world: World, removed: Int?, edited: Int
    ) async throws {
        let rows = try await world.rows(
            """
            select u.key as user, count(i.id) as stored, count(*) filter (where i.name = 'edited') as edited
            from jobrunner.users as u left join synced.generic_item as i on i.user_id = u.id
            where u.key like 'u%' group by 1
            """)
        #expect(rows.count == Self.cases.count)
        for row in rows {
            let stored = row.int("stored") ?? 0
            #expect(
                removed.map { stored == 45 - $0 } ?? (43...45).contains(stored), "\(row.rawText)")
            #expect((row.int("edited") ?? 0) >= edited, "\(row.rawText)")
        }
    }

    private func outcomes(_ world: World) async throws -> [String: String] {
        let rows = try await world.rows(
            """
            select u.key as user, j.last_outcome as outcome
            from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
            """)
        return Dictionary(
            rows.map { ($0.text("user") ?? "", $0.text("outcome") ?? "") }, uniquingKeysWith: { $1 }
        )
    }

    private func requests(_ world: World) async throws -> [String: Int] {
        let names = try await world.source.log().map { $0.text("user") ?? "" }
        return Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private func change(_ world: World, _ members: String) async throws {
        try await world.source.command("POST", "change", "{\(members)}")
    }

    /// Everything is due, whatever put it off.
    private func read(_ world: World) async throws {
        try await world.given(.undeferred(.waiting), .due(.waiting))
        try await world.drain()
    }
}
