import Foundation
import JSON
import Postgres
import Secrets
import Testing

/// A hostile source repeats every secret that it is sent in every place of its answers; none comes to light anywhere.
@Suite("Canaries") struct CanaryTests {
    private static let kinds = [
        "bearer", "basic", "header", "query", "client", "refresh", "access", "rotated", "login",
        "password", "session", "brought",
    ]
    private static func canary(_ name: String) -> Canary { Canary(name: name) }
    private static let all = kinds.map(canary)

    /// A job of the hostile source: how it signs in, and which canaries it learns.
    struct Job: Sendable {
        var name: String
        var source: String
        var learns: [String]
        var page = "style: token, token_at: next"
        var secrets = ""

        var path: String { "/generic/ann/heard/\(name)" }

        var yaml: String {
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
            ).replacing("generic.items", with: "canary.\(name)")
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
    ]

    /// Answers whose bodies fail in one way or another; `ECHO` stands for what is repeated there.
    private static let answers: [(status: Int, body: String)] = [
        (200, #"{"items": [{"id": "1", "seq": 1}], "next": "ECHO", "more": true}"#),
        (
            200,
            #"{"items": [{"id": "1", "seq": 1, "updated_at": "ECHO"}], "next": "?a=ECHO&page=2"}"#
        ),
        (200, #"{"items": [{"id": "1", "seq": "ECHO"}], "next": "ECHO", "more": false}"#),
        (200, #"{"items": "ECHO"}"#), (200, #"{"error": "ECHO"}"#), (200, "<b>ECHO</b>"),
        (301, "ECHO"), (400, #"{"error": {"message": "ECHO"}}"#), (401, "<p>ECHO</p>"),
        (403, #"{"error": "ECHO"}"#), (404, "ECHO"), (409, #"["ECHO"]"#), (422, "ECHO"),
        (429, "ECHO"), (500, "ECHO"), (503, #"{"errors": ["ECHO"]}"#),
    ]

    /// The source answers the next run of a job so, over and over, with one form of each canary per place.
    private func answer(_ job: Job, _ round: Int, _ world: World) async throws {
        let (status, body) = Self.answers[round % Self.answers.count]
        func echo(_ place: Int) -> String {
            job.learns.map { name in
                let echoes = Self.canary(name).echoes
                return echoes[(round + place) % echoes.count]
            }.joined(separator: " ")
        }
        let inText = String(JSONValue.string(echo(0)).text.dropFirst().dropLast())
        // Only a page brings secrets; whatever else stands in an answer is what was stored before.
        let text = body.replacing("ECHO", with: inText).replacing(
            #""seq": 1"#,
            with: #""seq": 1, "token": \#(JSONValue.string(Self.canary("brought").text).text)"#)
        let header = echo(1).replacing(" ", with: "_")
        let headers = [
            ("ETag", "\"\(header)\""), ("Last-Modified", header),
            ("Link", "</generic/ann/heard?x=\(header)>; rel=\"next\""),
            ("Location", "/generic/ann/moved?x=\(header)"), ("Retry-After", header),
            ("Set-Cookie", "a=\(header)"), ("Content-Type", "text/\(header)"),
            ("WWW-Authenticate", "Bearer error=\"\(header)\""), ("Date", header),
        ].map { JSONMember($0.0, .string($0.1)) }
        let fault = JSONValue.object([
            JSONMember("kind", .string("status")), JSONMember("path", .string(job.path)),
            JSONMember("times", .integer(0)), JSONMember("status", .integer(status)),
            JSONMember("headers", .object(headers)), JSONMember("body", .string(text)),
        ])
        try await world.source.fault(fault.text)
    }

    /// What token server and login answer: a token, or, each third time, an error that repeats what it was sent.
    private func answerSignIns(_ round: Int, _ world: World) async throws {
        let isRefused = round % 3 == 2
        let access =
            #"{"access_token": "\#(Self.canary("access").text)", "expires_in": 1, "refresh_token": "\#(Self.canary("rotated").text)"}"#
        let sent = ["client", "refresh", "login", "password"].map { Self.canary($0).text }
        let refusal = JSONValue.object([
            JSONMember("error", .string(sent[0])),
            JSONMember("error_description", .string(sent.joined(separator: " "))),
        ]).text
        for (path, body) in [
            ("/oauth/ann/token", access),
            ("/generic/ann/login", #"{"token": "\#(Self.canary("session").text)"}"#),
        ] {
            let fault = JSONValue.object([
                JSONMember("kind", .string("status")), JSONMember("path", .string(path)),
                JSONMember("times", .integer(0)),
                JSONMember("status", .integer(isRefused ? 400 : 200)),
                JSONMember("body", .string(isRefused ? refusal : body)),
            ])
            try await world.source.fault(fault.text)
        }
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
        for kind in Self.kinds where !["access", "rotated", "session", "brought"].contains(kind) {
            try await world.store(Self.canary(kind).text, as: kind, of: "ann")
        }
        let heard = try await world.whileHearing {
            for round in 0..<Self.answers.count {
                try await world.source.heal()
                try await answerSignIns(round, world)
                for job in Self.jobs { try await answer(job, round, world) }
                try await world.sql("select jobrunner.retry_jobs('acme')")
                try await world.runAgain()
            }
        }
        // The canaries were sent, and the runs did fail.
        let ends = try await world.value(
            "select count(*) || ' ' || count(*) filter (where outcome = 'complete') from jobrunner.runs"
        )
        let runs = (ends ?? "").split(separator: " ").compactMap { Int($0) }
        #expect(runs.first ?? 0 >= 100 && runs.last ?? 99 < 40, "\(ends ?? "")")
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
