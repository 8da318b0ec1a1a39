import Foundation
import JSON
import Postgres
import Secrets
import Testing

/// A hostile source repeats every secret that it is sent in every place of its answers; none comes to light anywhere.
@Suite("Canaries") struct CanaryTests {
    private static let kinds = [
        "bearer", "basic", "header", "query", "client", "refresh", "access", "rotated", "login",
        "password", "session", "brought", "keyid", "signing", "mistaken",
    ]
    /// A private key of CloudKit's, one that no program can sign with, and words.
    private static func canary(_ name: String) -> Canary {
        switch name {
        case "signing":
            Canary(name: name, text: (try? TestKey.shared.get().privatePEM) ?? "")
        case "mistaken":
            Canary(
                name: name,
                text: """
                    -----BEGIN PRIVATE KEY-----
                    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMistakenKx9Vw3Canary
                    -----END PRIVATE KEY-----
                    """)
        default: Canary(name: name)
        }
    }
    private static let all = kinds.map(canary)

    /// A job of the hostile source: how it signs in, and which canaries it learns.
    struct Job: Sendable {
        var name: String
        var source: String
        var learns: [String]
        var page = "style: token, token_at: next"
        var secrets = ""
        /// It is CloudKit's, signed by a key.
        var isCloud = false

        /// Where it asks for pages and pushes.
        var path: String {
            isCloud
                ? "/database/1/iCloud.\(name)/production/public/records"
                : "/generic/ann/heard/\(name)"
        }

        var yaml: String { isCloud ? cloudYAML : plainYAML }

        private var cloudYAML: String {
            """
            version: 1
            job: canary.\(name)
            schedule: { every: 1h, deadline: 10m }
            source:
              id: canary_\(name)
              preset: cloudkit
              container: iCloud.\(name)
              environment: production
              database: public
              timeout: 3s
              retry: { attempts: 1 }
              auth:
            \(source.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
            entities:
              - entity: note
                cloudkit: { op: records/query, type: Note }
                page: { style: token, size: 50 }
                records:
                  key: [note_id]
                  fields:
                    note_id: { at: id, type: text, required: true }
                    title: { at: title, type: text }
                write: { table: canary_\(name), mode: newest_wins, newer_by: modified_at }
                push: { record_type: Note, record_name: "{row.note_id}", operation: force }
            """
        }

        private var plainYAML: String {
            let isAddressed = page.contains("next_url") || page.contains("link_header")
            return World.heard(
                request: "path: /generic/{user.hub_user_id}/heard/\(name)"
                    + (isAddressed || page.contains("single")
                        ? "" : "\nquery: { cursor: \"{page.token}\" }"),
                page: page,
                parts: page.contains("single") ? "conditional: true" : "",
                source: source, write: "mode: newest_wins, newer_by: updated_at",
                fields: """
                    id: { at: id, type: text, required: true }
                    seq: { at: seq, type: int, required: true }
                    updated_at: { at: updated_at, type: timestamp }
                    """, records: secrets
            ).replacing("timeout: 10s", with: "timeout: 3s")
                .replacing("generic.items", with: "canary.\(name)")
                .replacing("id: generic", with: "id: canary_\(name)")
                .replacing("generic_item", with: "canary_\(name)")
        }
    }

    private static let jobs = [
        Job(
            name: "bearer", source: #"auth: { type: bearer, token: "{secret.bearer}" }"#,
            learns: ["bearer"], page: "style: next_url, url_at: next"),
        Job(
            name: "basic",
            source: #"auth: { type: basic, user: me, password: "{secret.basic}" }"#,
            learns: ["basic"], page: "style: link_header"),
        Job(
            name: "header", source: #"headers: { X-Key: "{secret.header}" }"#, learns: ["header"],
            page: "style: single"),
        Job(
            name: "query",
            source: #"auth: { type: query, name: key, value: "{secret.query}" }"#,
            learns: ["query"], page: "style: sync_token, token_at: next, more_at: more"),
        Job(
            name: "oauth",
            source: """
                auth:
                  type: oauth2_refresh
                  token_url: HUB_BASE/oauth/ann/token
                  client_id: me
                  client_secret: "{secret.client}"
                  refresh_token: "{secret.refresh}"
                """, learns: ["client", "access", "rotated"]),
        Job(
            name: "session",
            source: """
                auth:
                  type: session
                  login:
                    method: POST
                    path: /generic/{user.hub_user_id}/login
                    body: { user: "{secret.login}", password: "{secret.password}" }
                  token_at: token
                """, learns: ["login", "password", "session"]),
        Job(
            name: "brought", source: "", learns: ["brought"], page: "style: single",
            secrets: "secrets: { brought: { at: token } }"),
        Job(
            name: "cloud", source: serverKey("signing"), learns: ["keyid", "signing"], isCloud: true
        ),
        Job(name: "unsigned", source: serverKey("mistaken"), learns: ["mistaken"], isCloud: true),
    ]

    private static func serverKey(_ name: String) -> String {
        """
        type: cloudkit_server
        key_id: "{secret.keyid}"
        private_key: "{secret.\(name)}"
        """
    }

    /// The source answers the next run of a job so, over and over, with one form of each canary per place.
    private func answer(
        _ path: String, _ reply: FailingPath.Reply, repeating learned: [String], _ round: Int,
        _ world: World
    ) async throws {
        var members = FailingPath.fault(reply) { isInHeader in
            learned.map { Self.canary($0).echo(round + (isInHeader ? 1 : 0), inHeader: isInHeader) }
                .joined(separator: " ")
        }
        members += [JSONMember("path", .string(path)), JSONMember("times", .integer(0))]
        try await world.source.fault(
            JSONValue.object(members).text.replacing(
                // Only a page brings secrets; whatever else stands in an answer is what was stored before.
                #"\"seq\": 1"#,
                with: #"\"seq\": 1, \"token\": \"\#(Self.canary("brought").text)\""#))
    }

    private func answer(_ path: FailingPath, _ round: Int, _ world: World) async throws {
        try await world.source.heal()
        for job in Self.jobs {
            let isUnknown = job.name == "brought" && !path.brings
            try await answer(
                job.path, path.page, repeating: isUnknown ? [] : job.learns, round, world)
        }
        let sent = ["client", "refresh", "login", "password"]
        let access =
            #"{"access_token": "\#(Self.canary("access").text)", "expires_in": 1, "refresh_token": "\#(Self.canary("rotated").text)"}"#
        let session = #"{"token": "\#(Self.canary("session").text)"}"#
        for (place, token) in [("/oauth/ann/token", access), ("/generic/ann/login", session)] {
            try await answer(
                place, path.signIn ?? .status(200, token), repeating: sent, round, world)
        }
        let base = path.base ?? world.source.base
        try await world.given(.base(base.replacing("PORT", with: "\(world.source.port)")))
    }

    /// What of the runs that began since then shows that the path was taken.
    private func failures(_ world: World, since run: Int) async throws -> Int {
        try await world.int(
            "select count(*) from jobrunner.runs where id > $1 and outcome <> 'complete'",
            .int8(Int64(run)))
    }

    @Test(.timeLimit(.minutes(5)))
    func `AL4 no secret that a source repeats is in a log, row, dump, WAL or notification`()
        async throws
    {
        let cluster = try TestCluster.start()
        defer { try? cluster.stop() }
        let database = try await TestDatabase.make(on: cluster)
        try await database.administer(
            """
            alter database "\(database.name)" set log_statement = 'all';
            alter database "\(database.name)" set log_parameter_max_length = -1;
            alter database "\(database.name)" set log_parameter_max_length_on_error = -1;
            alter database "\(database.name)" set log_min_duration_statement = 0
            """)
        let world = try await World(Self.jobs[0].yaml, keeper: testKeeper(), in: database)
        for job in Self.jobs.dropFirst() { try await world.also(job.yaml) }
        try await world.addUser("ann", videos: 0)
        let bases = [
            world.source.base, "https://127.0.0.1:\(world.source.port)", "http://127.0.0.1:1",
        ]
        for kind in Self.kinds where !["access", "rotated", "session", "brought"].contains(kind) {
            try await world.store(Self.canary(kind).text, as: kind, of: "ann", origins: bases)
        }
        // Something to push.
        for table in ["canary_cloud", "canary_unsigned"] {
            try await world.sql(
                """
                insert into synced.\(table) (user_id, note_id, title, modified_at, synced)
                select id, 'ours', 'a title', now(), false from jobrunner.users
                """)
        }
        var asked = 0
        var idle: [String] = []
        let heard = try await world.whileHearing {
            for (round, path) in FailingPath.all.enumerated() {
                try await answer(path, round, world)
                try await world.given(.unblocked())
                try await world.sql("select jobrunner.retry_jobs('acme')")
                let last = try await world.int("select coalesce(max(id), 0) from jobrunner.runs")
                try await world.runAgain()
                if try await failures(world, since: last) == 0 { idle.append(path.name) }
            }
            asked = try await world.source.log().count
        }
        // Each path was taken, and the canaries were sent.
        #expect(idle == [])
        #expect(Set(FailingPath.all.map(\.name)).count >= 60)
        #expect(asked > FailingPath.all.count * 5, "\(asked)")
        print(
            "canaries: \(Self.kinds.count) through \(FailingPath.all.count) failing paths of \(Self.jobs.count) jobs, \(asked) requests"
        )
        #expect(try await world.secret("brought", of: "ann") == Self.canary("brought").text)
        try await expectNone(in: world, database, cluster, heard: heard)
        await world.close()
    }

    private func expectNone(
        in world: World, _ database: TestDatabase, _ cluster: TestCluster, heard: [String]
    ) async throws {
        let server = URL(filePath: cluster.directory ?? "")
        try await database.administer("checkpoint")
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (place, text) in [
            ("worker-log", Data(world.lines.all.joined().utf8)),
            ("notifications", Data(heard.joined(separator: "\n").utf8)),
            ("tables-and-views", Data(try await world.everyText().joined(separator: "\n").utf8)),
            ("dump", try output(of: ["pg_dump", "--inserts", "--dbname=\(database.url)"])),
        ] {
            #expect(text.count > 200, "\(place) is empty")
            try text.write(to: folder.appending(path: place))
        }
        let wal = server.appending(path: "data/pg_wal")
        let files = try [folder, wal].flatMap {
            try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }.filter { !$0.hasDirectoryPath }
        #expect(files.count > 4)
        let found = try canaries(Self.all, in: files + [server.appending(path: "log")])
        #expect(found == [])
    }

    @Test(arguments: kinds) func `a canary is recognised in every form in which it is sent`(
        _ kind: String
    ) {
        let canary = Self.canary(kind)
        for echo in canary.echoes {
            #expect(canary.pieces.contains { echo.contains($0) }, "\(echo)")
        }
    }
}

extension World {
    /// Payloads of all of jobrunner's notifications during `body`.
    fileprivate func whileHearing(_ body: () async throws -> Void) async throws -> [String] {
        let listener = Listener(
            try database.configuration(lanes: 1),
            channels: ["jobrunner_due", "jobrunner_stop", "jobrunner_event", "jobrunner_changed"])
        let reading = Task {
            var payloads = ["heard:"]
            for await event in listener.events {
                if case .notification(_, let payload) = event { payloads.append(payload) }
            }
            return payloads
        }
        try await body()
        listener.close()
        return await reading.value
    }
}
