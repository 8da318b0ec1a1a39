import Basics
import JSON
import JobFiles
import Postgres
import Secrets
import Testing

/// A day of an application: all that it does it does by its own login, in SQL, and needs no owner for it.
@Suite struct AppDayTests {
    static let apps = [
        AppCase.status, .sportsDaily, .recipes, .articles, .watchlist,
    ]

    @Test(arguments: apps)
    func `an application's day, from signing up to erasure, takes its own login alone`(
        _ app: AppCase
    )
        async throws
    {
        try await app.open(records: 5, changes: app.tellingChanges) { world in
            let door = try await Door(world)
            try await door.signUp(app)
            try await world.drain()
            let names = try await app.names(world)
            #expect(names.count >= 5)
            var copy = try await door.follow(app)
            #expect(Set(copy.keys) == Set(names))
            #expect(try await door.rows(of: app) == names.count)
            #expect(
                try await door.texts(
                    "select distinct (last_complete_at is not null)::text from jobrunner.status_of('acme', '\(app.user)')"
                ).contains("true"))
            if app.does(.pushes) {
                try await door.edit(app, names[1], 1)
                try await world.runAgain()
                #expect(try await app.there(names[1], in: world) == app.edited.values[1].there)
                // Both sides edit one record: the file says who wins, and the application sees the same.
                try await door.edit(app, names[3], 1)
                try await app.deviceEdits([names[3]], 2, isLate: true, in: world)
                try await world.runAgain()
                let winner = app.winner == .ours ? 1 : 2
                #expect(try await app.here(names[3], in: world) == winner)
                #expect(try await door.holds(app, names[3], winner))
            }
            if app.zone != nil || app.isShared {
                try await door.signInAgain(app)
            }
            try await app.deviceDeletes([names[4]], in: world)
            for _ in 0..<app.looksUntilGone { try await app.look(world, forDeletions: true) }
            copy = try await door.follow(app)
            #expect(copy[names[4]] == nil)
            #expect(Set(copy.keys) == Set(try await app.names(world)))
            guard !app.isShared else { return try await door.close() }
            #expect(
                try await door.texts(
                    "select part from jobrunner.export_user('acme', '\(app.user)')"
                ).contains("row"))
            let receipt =
                try await door.texts("select jobrunner.remove_user('acme', '\(app.user)')::text")
                .first ?? ""
            #expect(receipt.contains("\"\(app.table)\": \(copy.count)"), "\(receipt)")
            #expect(try await door.rows(of: app) == 0)
            #expect(try await door.follow(app).isEmpty)
            try await door.close()
        }
    }
}

extension AppCase {
    /// The job file, whose changes of the table are told.
    fileprivate var tellingChanges: [(String, String)] {
        let write = "    write:\n      table: \(table)\n"
        return [(write, write + "      changes: true\n")]
    }
}

/// The application's own session, and what it remembers.
private final class Door {
    private let world: World
    private let pool: Database
    private let login = "jr_day_\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    /// Up to where it has followed the changes, and what it holds.
    private var cursor: String?
    private var copy: [String: String] = [:]

    init(_ world: World) async throws {
        self.world = world
        try await world.database.administer(
            "create role \(login) login in role \(TestCluster.roles)_application")
        try await world.sql("select jobrunner.add_application('acme', $1)", .text(login))
        pool = Database(
            try DatabaseConfiguration(
                conninfo: TestCluster.login(login, of: world.database.url),
                applicationName: "application", lanes: 1))
    }

    func close() async throws {
        await pool.close()
        try await world.sql("select jobrunner.remove_application($1)", .text(login))
        try await world.database.administer("drop role \(login)")
    }

    func texts(_ sql: String, _ binds: Bind...) async throws -> [String] {
        let statement = Statement(
            "select (q.x)::text from (\(sql)) as q (x)", binds: binds, cached: false)
        return try await pool.run {
            try $0.query(statement).map { try $0.optionalText(0) ?? "null" }
        }
    }

    /// The user is new, whoever made it before, and gives the application a token.
    func signUp(_ app: AppCase) async throws {
        guard !app.isShared else { return }
        _ = try await texts("select jobrunner.remove_user('acme', $1)", .text(app.user))
        _ = try await texts(
            "select jobrunner.add_users('acme', array[$1], array[jsonb_build_object('user_id', $1::text)])",
            .text(app.user))
        try await signIn(app)
    }

    private func signIn(_ app: AppCase) async throws {
        guard world.file.schedule.requires.contains(.secret("ck_web_auth_token")) else { return }
        try await store("ck_web_auth_token", "token-\(app.user)", of: app.user)
    }

    /// The source refuses the token; the status tells who can help, and a new one wakes the job.
    func signInAgain(_ app: AppCase) async throws {
        try await world.source.fault(#"{"kind": "status", "status": 401, "times": 1}"#)
        try await world.runAgain()
        let needs =
            "select distinct needs from jobrunner.status_of('acme', $1) where needs is not null"
        #expect(try await texts(needs, .text(app.user)) == [app.isShared ? "operator" : "secret"])
        if app.isShared {
            try await store("ck_key_id", "key-1", of: "*")
        } else {
            try await store("ck_web_auth_token", "token-\(app.user)", of: app.user)
        }
        try await world.drain()
        #expect(try await texts(needs, .text(app.user)) == [])
    }

    /// What the application seals is opened by the worker alone.
    private func store(_ name: String, _ text: String, of user: String) async throws {
        let key = try await texts(
            "select encode(prefix || public_key, 'hex') from jobrunner.sealing_key('acme')"
        ).first.flatMap(Hex.decode)
        guard let key, let publicKey = PublicKey(Array(key.dropFirst(9))) else { return }
        let place = SecretPlace(
            user: user == "*" ? nil : user, name: name, origins: [world.source.base])
        let sealed = try Seal.make(
            SecretValue(Array(text.utf8)), for: place, with: publicKey)
        #expect(sealed.prefix(9) == key.prefix(9))
        _ = try await texts(
            "select jobrunner.set_secret('acme', $1, $2, $3)", .text(user), .text(name),
            .bytes(sealed))
    }

    func edit(_ app: AppCase, _ name: String, _ edit: Int) async throws {
        _ = try await texts(
            "select jobrunner.edit_record('acme', $1, $2, jsonb_build_object($3::text, $4::text, $5::text, $6::text))",
            .text(app.user), .text(app.table), .text(app.key), .text(name),
            .text(app.edited.column),
            .text(app.edited.values[edit].here))
    }

    /// Its own rows, by its own key for the user.
    func rows(of app: AppCase) async throws -> Int {
        Int(
            try await texts(
                "select count(*)::text from own.\(app.table) where user_key = $1", .text(app.user)
            )
            .first ?? "") ?? -1
    }

    /// Whether its own row has that edit.
    func holds(_ app: AppCase, _ name: String, _ edit: Int) async throws -> Bool {
        let condition =
            "\(app.key) = $2 and \(app.edited.column) = '\(app.edited.values[edit].here)'"
        return try await texts(
            "select count(*) from own.\(app.table) where user_key = $1 and \(condition)",
            .text(app.user), .text(name)) == ["1"]
    }

    /// Brings its copy up to date by what changed since it last asked; the rows as text by their name.
    func follow(_ app: AppCase) async throws -> [String: String] {
        while true {
            let statement = Statement(
                "select change, key ->> $2 as name, \"row\"::text as row, cursor from jobrunner.changes_since('acme', $1, in_cursor => $3, in_limit => 3)",
                binds: [.text(app.table), .text(app.key), .optional(cursor, Bind.text)],
                cached: false)
            let found = try await pool.run { session in
                try session.query(statement).map { row in
                    (
                        change: try row.text("change"), name: try row.optionalText("name") ?? "",
                        row: try row.optionalText("row") ?? "", cursor: try row.text("cursor")
                    )
                }
            }
            guard !found.isEmpty else { return copy }
            for entry in found {
                switch entry.change {
                case "begin": copy = [:]
                case "upsert": copy[entry.name] = entry.row
                default: copy[entry.name] = nil
                }
                cursor = entry.cursor
            }
        }
    }
}
