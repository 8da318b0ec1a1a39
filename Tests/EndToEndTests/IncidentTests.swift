import FakeSource
import Foundation
import HTTP
import Testing

/// Incidents as they are staged for the page of them: with real workers, a source that fails and commands as typed.
@Suite(.timeLimit(.minutes(10))) struct IncidentTests {
    /// The source of the items, which wants a client's or a user's secret.
    private static func signed(_ port: UInt16, job: String, auth: String) -> String {
        itemsFile(port: port)
            .replacing("job: demo.items", with: "job: \(job)")
            .replacing(
                "retry: { attempts: 1 } }", with: "retry: { attempts: 1 }, auth: \(auth) }")
    }

    /// Runs a worker until a condition of SQL holds, and freezes it, so that nothing moves while others look.
    private func withWorker(
        _ installation: Installation, _ changes: [String: String] = [:], until condition: String,
        _ body: (RunningProgram) async throws -> Void
    ) async throws {
        let worker = try installation.start("worker --metrics 127.0.0.1:0", changes)
        let pid = worker.process.processIdentifier
        try await eventually(condition) { try await installation.value(condition) == "true" }
        kill(pid, SIGSTOP)
        try await body(worker)
        kill(pid, SIGCONT)
        kill(pid, SIGTERM)
        _ = try await worker.end()
    }

    private func ready(_ worker: RunningProgram) async throws -> String {
        let found = try worker.errorsSoFar().firstMatch(of: /listening address=([0-9.:]+)/)
        let address = try #require(found).output.1
        kill(worker.process.processIdentifier, SIGCONT)
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let answer = try await client.send(
            HTTPRequest(method: "GET", url: "http://\(address)/readyz"),
            deadline: .now + .seconds(30))
        return "\(answer.status) " + String(decoding: answer.body, as: UTF8.self)
    }

    private static func ran(_ job: String = "demo.items") -> String {
        "select bool_and(last_run_at is not null and state <> 'running') from jobrunner.jobs where name = '\(job)'"
    }

    @Test func `a source is away for two thousand users`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.given(
                .users(1...1999, of: "acme", job: "demo.items"),
                .attributes(#"{"demo_id": "user-000001"}"#))
            try await installation.command(
                source, "faults",
                #"{"kind": "status", "status": 503, "path": "/generic/*", "times": 0}"#)
            try await withWorker(installation, until: Self.ran()) { _ in
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant acme --user user77")
                try shown.check("source-away")
            }
        }
    }

    @Test func `the client secret of one tenant is wrong`() async throws {
        try await Installation.withSource { installation, source in
            let url = "http://127.0.0.1:\(source.port)/oauth/user-000001/token"
            _ = try installation.write(
                "jobs/shop/items.yaml",
                Self.signed(
                    source.port, job: "demo.items",
                    auth:
                        #"{ type: oauth2_client, token_url: "\#(url)", client_id: me, client_secret: "{secret.client}" }"#
                ), mode: 0o644)
            try await installation.ok("migrate")
            try await installation.command(
                source, "auth",
                #"{"user": "user-000001", "type": "oauth2", "client_id": "me", "client_secret": "right-secret"}"#
            )
            for (tenant, secret) in [("globex", "right-secret"), ("initech", "other-secret")] {
                _ = try installation.write(tenant, secret)
                try await installation.ok(
                    "tenant add \(tenant) --job demo.items --secret client=@@\(tenant)")
                try await installation.given(.users(1...3, of: tenant, job: "demo.items"))
            }
            try await installation.ok("tenant remove acme --yes")
            try await installation.given(.attributes(#"{"demo_id": "user-000001"}"#))
            try await withWorker(installation, until: Self.ran()) { _ in
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant initech --user user2")
                try shown.check("client-secret")
            }
        }
    }

    @Test func `a page of one user can't be read`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.ok("user add bob --tenant acme --set demo_id=user-000002")
            try await installation.command(
                source, "faults",
                #"{"kind": "garbage", "path": "/generic/user-000002/*", "times": 0}"#)
            try await withWorker(installation, until: Self.ran()) { _ in
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant acme --user bob")
                try shown.check("unreadable-page")
            }
        }
    }

    @Test func `a worker is killed`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "faults", #"{"kind": "hang", "path": "/generic/*", "times": 0}"#)
            let running = "select bool_and(state = 'running') from jobrunner.jobs"
            try await withWorker(installation, until: running) { worker in
                kill(worker.process.processIdentifier, SIGKILL)
                try await eventually("its session is gone") {
                    try await installation.value(
                        "select not jobrunner.has_session(w) from jobrunner.workers as w") == "true"
                }
                try await installation.given(.silent(for: "4 s"))
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant acme --user ann")
                try shown.check("worker-killed")
            }
        }
    }

    @Test func `the database is restarted`() async throws {
        try await Installation.withSource { installation, _ in
            let relay = try SwitchingRelay(to: installation.url)
            let server = try #require(URLComponents(string: installation.url)?.port)
            let asker = ["DATABASE_URL": TestCluster.operatorLogin(of: relay.url)]
            let worker = try installation.start(
                "worker", ["DATABASE_URL": TestCluster.worker(of: relay.url)])
            try await eventually("ann is synced") {
                try await installation.value(Self.ran()) == "true"
            }
            relay.set(.refuses("57P03"))
            relay.cut()
            try await eventually("the worker has noticed") {
                try worker.errorsSoFar().contains("database lost")
            }
            var shown = Transcript(installation)
            try await shown.run(
                "doctor", "explain demo.items --tenant acme --user ann", changes: asker)
            relay.set(.leads(to: server))
            try await eventually("the worker is back") {
                try worker.errorsSoFar().contains("database back")
            }
            try await eventually("its session stands for it again") {
                try await installation.value(
                    "select health = 'alive' and silent_for < interval '2 s' from jobrunner.worker_health"
                ) == "true"
            }
            try await installation.given(.notDue())
            try await shown.run(
                "doctor", "explain demo.items --tenant acme --user ann", changes: asker)
            try shown.check("database-restarted")
            kill(worker.process.processIdentifier, SIGTERM)
            #expect(try await worker.end().code == 0)
        }
    }

    @Test func `a quota is spent`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "faults",
                #"{"kind": "status", "status": 429, "headers": {"Retry-After": "1800"}, "path": "/generic/*", "times": 0}"#
            )
            try await withWorker(installation, until: Self.ran()) { _ in
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant acme --user ann")
                try shown.check("quota-spent")
            }
        }
    }

    @Test func `a broken job file is deployed`() async throws {
        try await Installation.withSource { installation, source in
            let broken = itemsFile(port: source.port)
                .replacing("mode: newest_wins", with: "mode: newest_win")
            _ = try installation.write("jobs/shop/items.yaml", broken, mode: 0o644)
            try await withWorker(
                installation, until: "select exists (select from jobrunner.workers)"
            ) { worker in
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant acme --user ann")
                shown.add("curl http://127.0.0.1:9464/readyz", try await ready(worker))
                try shown.check("broken-file")
            }
        }
    }

    @Test func `a table is locked by a person`() async throws {
        try await Installation.withSource { installation, _ in
            let person = try await OpenTransaction(
                installation.url, "alter table synced.demo_item add column note text")
            let worker = try installation.start("worker")
            // It starts although one of its tables can't be looked at.
            try await eventually("it is there") {
                try await installation.value("select exists (select from jobrunner.workers)")
                    == "true"
            }
            var shown = Transcript(installation)
            let owner = ["DATABASE_URL": installation.url]
            for (command, login, changes) in [
                ("doctor", "", [:]), ("doctor", "DATABASE_URL=… ", owner),
                ("explain demo.items --tenant acme --user ann", "", [:]),
            ] {
                // A page waits for two seconds, and again after a pause.
                try await eventually("\(command) tells who waits") {
                    var tried = shown
                    try await tried.run(command, by: login, changes: changes)
                    let isTold = tried.text.dropFirst(shown.text.count)
                        .contains("1 session waits for it")
                    if isTold { shown = tried }
                    return isTold
                }
            }
            try shown.check("table-locked")
            try await person.rollBack()
            kill(worker.process.processIdentifier, SIGTERM)
            #expect(try await worker.end().code == 0)
        }
    }

    @Test
    func `one secret is sealed under another key, and then the workers have another key file`()
        async throws
    {
        try await Installation.withSource { installation, source in
            _ = try installation.write(
                "jobs/shop/items.yaml",
                Self.signed(
                    source.port, job: "demo.items",
                    auth: #"{ type: bearer, token: "{secret.token}" }"#),
                mode: 0o644)
            try await installation.ok("migrate")
            _ = try installation.write("token", "t0k3n")
            try await installation.ok("user set ann --tenant acme --secret token=@@token")
            try await installation.ok("user add bob --tenant acme --set demo_id=user-000002")
            try await installation.given(.secret("token", bytes: 120, of: "bob"))
            try await withWorker(installation, until: Self.ran()) { _ in
                var shown = Transcript(installation)
                try await shown.run("doctor", "explain demo.items --tenant acme --user bob")
                try shown.check("secret-of-another-key")
            }
            try await installation.ok("user remove bob --tenant acme --yes")
            try await installation.given(.unrun(), .dueNow())
            _ = try installation.write("other-key", String(repeating: "a7", count: 32) + "\n")
            let other = ["JOBRUNNER_KEY_FILE": installation.folder.path + "/other-key"]
            try await withWorker(installation, other, until: Self.ran()) { worker in
                var shown = Transcript(installation)
                try await shown.run(
                    "doctor", "explain demo.items --tenant acme --user ann", changes: other)
                shown.add("curl http://127.0.0.1:9464/readyz", try await ready(worker))
                try shown.check("another-key-file")
            }
        }
    }
}
