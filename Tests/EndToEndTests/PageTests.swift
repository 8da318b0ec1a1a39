import Foundation
import HTTP
import Testing

/// The pages of `jobrunner serve`: who may look and act, and what comes of it.
@Suite(.timeLimit(.minutes(10))) struct PageTests {
    private static let annsToken = "canary-ann-0123456789"
    private static let bobsToken = "canary-bob-0123456789"

    private struct Answer {
        let status: Int
        let text: String
        let headers: [HTTPHeader]

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// A server whose ann is an operator there, and whose bob nobody has given a role.
    private func withPages(
        _ options: String = " --actions",
        _ body: (Installation, _ url: String) async throws -> Void
    ) async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let tokens = try installation.write(
                "tokens", "ann \(Self.annsToken)\nbob \(Self.bobsToken)\n")
            let added = try await installation.run(
                "person add ann --role jobrunner_operator --name Ann",
                ["DATABASE_URL": installation.url])
            #expect(added.code == 0, "\(added.errors)")
            let changes = [
                "DATABASE_URL": TestCluster.login("jobrunner_pages", of: installation.url),
                "JOBRUNNER_SERVE_TOKEN_FILE": tokens,
            ]
            try await serving(installation, options, changes) { try await body(installation, $0) }
        }
    }

    /// A server until the body is over, however that ends.
    private func serving(
        _ installation: Installation, _ options: String, _ changes: [String: String],
        _ body: (_ url: String) async throws -> Void
    ) async throws {
        let program = try installation.start("serve --listen 127.0.0.1:0" + options, changes)
        defer { if program.process.isRunning { program.process.terminate() } }
        var port = ""
        try await eventually("it listens") {
            port =
                try program.errorsSoFar().firstMatch(of: /listening address=127.0.0.1:([0-9]+)/)
                .map { String($0.1) } ?? ""
            return !port.isEmpty
        }
        try await body("http://127.0.0.1:\(port)")
        kill(program.process.processIdentifier, SIGTERM)
        let ran = try await program.end()
        #expect(ran.code == 0)
        #expect(!ran.errors.contains("canary"), "\(ran.errors)")
    }

    /// By curl, which follows no redirect and sends a path as it is.
    private func ask(
        _ url: String, post form: String? = nil, _ headers: [HTTPHeader] = [],
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> Answer {
        var arguments = ["-sS", "-i", "--path-as-is", "--max-time", "30", url]
        for header in headers { arguments += ["-H", "\(header.name): \(header.value)"] }
        if let form { arguments += ["-H", "Content-Type: \(type)", "--data-binary", form] }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try await Task.detached {
            try output.fileHandleForReading.readToEnd() ?? Data()
        }.value
        let text = String(decoding: bytes, as: UTF8.self)
        let head = try #require(text.range(of: "\r\n\r\n"), "\(url): \(text)")
        let lines = text[..<head.lowerBound].components(separatedBy: "\r\n")
        let fields = lines.dropFirst().compactMap { line -> HTTPHeader? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return HTTPHeader(
                String(line[..<colon]),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        let status = try #require(
            lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return Answer(status: status, text: String(text[head.upperBound...]), headers: fields)
    }

    private let own = HTTPHeader("Sec-Fetch-Site", "same-origin")
    private let ann = HTTPHeader("Authorization", "Bearer \(annsToken)")
    private let bob = HTTPHeader("Authorization", "Bearer \(bobsToken)")

    private func session(_ url: String, _ token: String) async throws -> HTTPHeader {
        let answer = try await ask(
            url + "/sign-in", post: "token=\(token)&next=%2Fruns%3Ftenant%3Dacme", [own])
        #expect(answer.status == 303 && answer.header("Location") == "/runs?tenant=acme")
        let cookie = try #require(answer.header("Set-Cookie"))
        #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"))
        return HTTPHeader("Cookie", String(cookie.prefix { $0 != ";" }))
    }

    private func acts(_ installation: Installation) async throws -> String {
        try await installation.value(
            """
            select coalesce(string_agg(concat_ws(' ', a.person, a.verb, a.tenant, a.object), ', ' order by a.id), '')
            from jobrunner.audit_trail as a where a.person is not null
            """)
    }

    @Test func `a stranger signs in with a token, acts as a person, and signs out`() async throws {
        try await withPages { (installation, url) async throws in
            let stranger = try await ask(url + "/story?tenant=acme&user=ann")
            #expect(stranger.status == 303)
            #expect(
                stranger.header("Location")
                    == "/sign-in?next=%2Fstory%3Ftenant%3Dacme%26user%3Dann")
            #expect(try await ask(url + "/sign-in").text.contains("name=\"token\""))
            let wrong = try await ask(url + "/sign-in", post: "token=nobody", [own])
            #expect(wrong.status == 401 && wrong.header("Set-Cookie") == nil)

            let cookie = try await session(url, Self.annsToken)
            let page = try await ask(url + "/jobs?tenant=acme", [cookie])
            #expect(page.status == 200 && page.text.contains("<p class=\"who\">Ann</p>"))
            #expect(page.text.contains("/act?act=pause&amp;tenant=acme"))
            let question = try await ask(
                url + "/act?act=pause&tenant=acme&job=shop.orders", [cookie])
            #expect(question.text.contains("name=\"count\" value=\"1\""))
            let done = try await ask(
                url + "/act",
                post: "act=pause&tenant=acme&job=shop.orders&count=1&why=%3Cb%3E&back=%2F",
                [cookie, own])
            #expect(done.status == 200 && done.text.contains("role=\"status\""))
            #expect(
                try await acts(installation)
                    == "Ann pause_jobs acme shop.orders, Ann act_on_jobs acme shop.orders")
            #expect(try await ask(url + "/audit", [cookie]).text.contains("&lt;b&gt;"))

            _ = try await ask(url + "/sign-out", post: "", [cookie, own])
            #expect(try await ask(url + "/jobs?tenant=acme", [cookie]).status == 303)
        }
    }

    @Test func `every screen is told to who looks, with what keeps others out`() async throws {
        try await withPages { (_, url) async throws in
            for path in [
                "/", "/tenants", "/tenants?from=b", "/tenant?tenant=acme",
                "/story?tenant=acme&user=ann", "/late", "/late?tenant=acme", "/jobs?tenant=acme",
                "/jobs?tenant=acme&kind=unavailable", "/runs", "/runs?tenant=acme&outcome=failed",
                "/runs?since=2026-11-24T14:00:00Z", "/run?id=1", "/sources", "/workers", "/files",
                "/file?name=shop.orders", "/audit", "/audit?tenant=acme",
            ] {
                for viewer in [ann, bob] {
                    let answer = try await ask(url + path, [viewer])
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                    #expect(
                        answer.header("Content-Security-Policy")?.contains("default-src 'none'")
                            == true)
                    #expect(answer.text.hasPrefix("<!doctype html>"))
                    #expect(!answer.text.contains("canary"))
                    #expect(viewer == ann || !answer.text.contains("/act?"), "\(path)")
                }
            }
            for path in [
                "/tenant", "/story?tenant=acme", "/jobs", "/runs?since=noon", "/act?act=drop",
                "/live?of=/act",
            ] {
                #expect(try await ask(url + path, [ann]).status == 400, "\(path)")
            }
            let live = try await ask(url + "/live?of=%2Fworkers", [ann])
            #expect(live.header("Content-Type") == "text/event-stream")
            #expect(live.text.hasPrefix("retry: 5000\nevent: screen\ndata: <h1>Workers</h1>"))
            #expect(live.text.hasSuffix("\n\n"))
            for asset in ["/assets/style.css", "/assets/live.js", "/assets/icon.svg"] {
                #expect(try await ask(url + asset).status == 200)
            }
        }
    }

    @Test func `whoever only looks sees each screen, too, by a login that may do no more`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let changes = ["DATABASE_URL": TestCluster.reader(of: installation.url)]
            try await serving(installation, "", changes) { (url) async throws in
                for path in [
                    "/", "/tenants", "/tenant?tenant=acme", "/story?tenant=acme&user=ann", "/late",
                    "/jobs?tenant=acme", "/jobs?tenant=acme&user=ann", "/runs", "/runs?user=ann",
                    "/runs?tenant=acme", "/runs?outcome=failed&until=2026-11-24T14:00:00Z",
                    "/sources", "/workers", "/files", "/file?name=shop.orders", "/audit",
                    "/audit?verb=set_tenant", "/audit?tenant=acme&user=ann",
                ] {
                    let answer = try await ask(url + path)
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                    #expect(!answer.text.contains("/act?"), "\(path)")
                }
                let jobs = try await ask(url + "/jobs?tenant=acme")
                #expect(jobs.text.contains("shop.orders"))
            }
        }
    }

    @Test func `a form from another page is refused, whether the browser says so or not`()
        async throws
    {
        try await withPages { (installation, url) async throws in
            let cookie = try await session(url, Self.annsToken)
            let host = url.dropFirst("http://".count)
            let form = "act=pause&tenant=acme&count=2"
            for headers in [
                [HTTPHeader("Sec-Fetch-Site", "cross-site")],
                [HTTPHeader("Sec-Fetch-Site", "same-site")],
                [HTTPHeader("Sec-Fetch-Site", "none")],
                [HTTPHeader("Sec-Fetch-Site", "cross-site"), HTTPHeader("Origin", url)],
                [HTTPHeader("Origin", "https://evil.example")], [HTTPHeader("Origin", "null")],
                [HTTPHeader("Origin", url + ".evil.example")], [],
            ] {
                for path in ["/act", "/look", "/sign-in", "/sign-out"] {
                    let answer = try await ask(url + path, post: form, [cookie] + headers)
                    #expect(answer.status == 403, "\(path) \(headers)")
                }
            }
            #expect(try await acts(installation) == "")
            // A browser without fetch metadata says where the page was from.
            let answer = try await ask(
                url + "/act", post: form, [cookie, HTTPHeader("Origin", "http://\(host)")])
            #expect(answer.status == 200)
            // A link from elsewhere comes without the cookie, and is asked for once more from here.
            let link = try await ask(url + "/runs", [HTTPHeader("Sec-Fetch-Site", "cross-site")])
            #expect(link.status == 200 && link.header("Refresh") == "0")
        }
    }

    @Test func `whoever may only look changes nothing, and without --actions nobody does`()
        async throws
    {
        try await withPages { (installation, url) async throws in
            for form in [
                "act=pause&tenant=acme&count=2", "act=close-breaker&tenant=acme&source=shop",
                "act=reset&tenant=acme&count=2",
            ] {
                #expect(try await ask(url + "/act", post: form, [bob, own]).status == 403)
                #expect(try await ask(url + "/act?" + form, [bob]).status == 403)
                #expect(try await ask(url + "/act", post: form, [own]).status == 401)
            }
            let look = "tenant=acme&user=ann&table=shop_order"
            #expect(try await ask(url + "/look", post: look, [bob, own]).status == 403)
            #expect(try await ask(url + "/look", post: look, [ann, own]).status == 403)
            try await installation.script(
                """
                grant usage on schema synced to jobrunner_support;
                grant select on synced.shop_order to jobrunner_support;
                select jobrunner.add_person('bob', 'jobrunner_support', 'Bob')
                """)
            #expect(try await ask(url + "/look", post: look, [bob, own]).status == 200)
            #expect(try await acts(installation) == "Bob look_at_rows acme shop_order")
            // A role that the login was not granted is none.
            try await installation.script("select jobrunner.add_person('bob', 'jobrunner', 'Bob')")
            let refused = try await ask(url + "/runs", [bob])
            #expect(refused.status == 403 && refused.text.contains("You act by role jobrunner,"))
        }
        try await withPages("") { (installation, url) async throws in
            let form = "act=pause&tenant=acme&count=2"
            #expect(try await ask(url + "/act", post: form, [ann, own]).status == 403)
            let listed = try await ask(url + "/jobs?tenant=acme", [ann])
            #expect(!listed.text.contains("/act?"))
            #expect(try await acts(installation) == "")
        }
    }

    @Test
    func `what somebody else holds is said to whoever acts, and is no absence of the database`()
        async throws
    {
        try await withPages { (installation, url) async throws in
            let holder = try await OpenTransaction(
                installation.url, "select 1 from jobrunner.jobs for update")
            let form = "act=pause&tenant=acme&count=2"
            let held = try await ask(url + "/act", post: form, [ann, own])
            #expect(held.status == 409 && held.text.contains("Somebody else holds a lock"))
            try await holder.rollBack()
            #expect(try await ask(url + "/act", post: form, [ann, own]).status == 200)
        }
    }

    @Test func `odd paths, methods, sizes and forms get a short answer and nothing else`()
        async throws
    {
        try await withPages { (installation, url) async throws in
            for path in [
                "/../etc/passwd", "/assets/../../etc/passwd", "/assets/%2e%2e/x",
                "/%2e%2e/%2e%2e/etc/passwd",
                "//evil.example/", "/assets/style.css/", "/Runs", "/runs/", "/live",
            ] {
                let answer = try await ask(url + path, [ann])
                #expect([400, 404].contains(answer.status), "\(path) \(answer.status)")
                #expect(!answer.text.contains("root:"))
            }
            let big = "why=" + String(repeating: "x", count: 20_000)
            #expect(try await ask(url + "/act", post: big, [ann, own]).status == 413)
            let many = (1...60).map { "f\($0)=1" }.joined(separator: "&")
            #expect(try await ask(url + "/act", post: many, [ann, own]).status == 400)
            #expect(
                try await ask(url + "/act", post: "{}", [ann, own], type: "application/json").status
                    == 415)
            #expect(try await ask(url + "/act", post: "act=%ff", [ann, own]).status == 400)
            #expect(try await ask(url + "/runs", post: "x=1", [ann, own]).status == 405)
            #expect(try await ask(url + "/metrics", post: "x=1", [ann, own]).status == 405)
            #expect(
                try await ask(url + "/act", post: "act=pause&tenant=acme&count=abc", [ann, own])
                    .status == 400)
            #expect(
                try await ask(url + "/act", post: "act=pause&tenant=no%00body&count=1", [ann, own])
                    .status == 400)
            #expect(
                try await ask(url + "/act", post: "act=pause&tenant=nobody&count=1", [ann, own])
                    .status == 422)
            #expect(try await acts(installation) == "")
        }
    }
}
