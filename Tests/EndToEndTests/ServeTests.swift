import Foundation
import HTTP
import JSON
import Testing

/// What `jobrunner serve` answers, to whom, and what it never tells.
@Suite(.timeLimit(.minutes(10))) struct ServeTests {
    private struct Answer {
        let status: Int
        let text: String
        var json: JSONValue? { (try? JSONDocument(parsing: Array(text.utf8)))?.root.value }
    }

    /// Where a server listens, as soon as it does.
    private func port(of program: RunningProgram) async throws -> UInt16 {
        var port: UInt16?
        try await eventually("it listens") {
            port =
                try program.errorsSoFar().firstMatch(of: /listening address=[0-9.]+:([0-9]+)/)
                .flatMap { UInt16($0.1) }
            return port != nil
        }
        return try #require(port)
    }

    /// The address by which a server logs in.
    private func serving(_ installation: Installation) -> [String: String] {
        ["DATABASE_URL": TestCluster.reader(of: installation.url)]
    }

    /// A server, until the body is over; then it is told to stop, and ends with 0.
    private func withServer(
        _ installation: Installation, _ line: String = "serve --listen 127.0.0.1:0",
        _ changes: [String: String] = [:],
        _ body: (String) async throws -> Void
    ) async throws {
        let program = try installation.start(line, serving(installation).merging(changes) { $1 })
        try await body("http://127.0.0.1:\(try await port(of: program))")
        kill(program.process.processIdentifier, SIGTERM)
        let ran = try await program.end()
        #expect(ran.code == 0)
        #expect(!ran.errors.contains("canary") && !ran.errors.contains("ann"), "\(ran.errors)")
    }

    /// Peak of a process's resident memory, in bytes.
    private func peakMemory(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let words = line.split(whereSeparator: \.isWhitespace)
        return try #require(Int(words[1])) * 1024
    }

    /// A connection over which only a part of a request has come.
    private func slowConnection(to port: UInt16, _ text: String) -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        _ = text.withCString { send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        return socket
    }

    @Test func `slow, oversized and unknown clients cost serve no memory to speak of`() async throws
    {
        try await Installation.with { installation in
            let token = try installation.write("token", "canary-0123456789abcdef\n")
            let program = try installation.start(
                "serve --listen 127.0.0.1:0",
                serving(installation).merging(["JOBRUNNER_SERVE_TOKEN_FILE": token]) { $1 })
            let port = try await port(of: program)
            let url = "http://127.0.0.1:\(port)"
            let known = [HTTPHeader("Authorization", "Bearer canary-0123456789abcdef")]
            for _ in 1...50 { #expect(try await get(url + "/metrics", known).status == 200) }
            let process = program.process.processIdentifier
            let before = try peakMemory(of: process)
            for _ in 1...200 {
                let strange = [HTTPHeader("Authorization", "Bearer nobody")]
                #expect(try await get(url + "/metrics", strange).status == 401)
            }
            var sockets: [Int32] = []
            defer { for socket in sockets { close(socket) } }
            let head = "GET /metrics HTTP/1.1\r\nHost: x\r\nX: "
            for index in 1...200 {
                let size = index % 2 == 0 ? 10 : 100_000
                sockets.append(
                    slowConnection(to: port, head + String(repeating: "x", count: size)))
            }
            try await eventually("all but a few are dropped") {
                let held = sockets.filter { socket in
                    var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                    return poll(&look, 1, 0) == 0
                }
                return held.count < 20
            }
            // Whoever knows the token is served as soon as the others have been silent for too long.
            try await eventually("it answers") {
                (try? await get(url + "/metrics", known).status) == 200
            }
            let grown = try peakMemory(of: process) - before
            #expect(grown < 4 << 20, "\(grown) bytes")
            kill(process, SIGTERM)
            #expect(try await program.end().code == 0)
        }
    }

    private func get(_ url: String, _ headers: [HTTPHeader] = []) async throws -> Answer {
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let response = try await client.send(
            HTTPRequest(method: "GET", url: url, headers: headers, body: nil),
            deadline: .now + .seconds(30))
        return Answer(
            status: response.status, text: String(decoding: response.body, as: UTF8.self))
    }

    @Test func `the numbers of the database are told, and a scraper's checker finds no fault`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.script(
                """
                select jobrunner.register_worker('here', 7, 'test', 10, '{shop.orders}');
                select jobrunner.count_waiting();
                """)
            try await withServer(installation) { (url) async throws in
                #expect(try await get(url + "/livez").status == 200)
                #expect(try await get(url + "/readyz").text == "{\"ready\":true,\"reasons\":[]}\n")
                let text = try await get(url + "/metrics").text
                let lines = Set(text.split(separator: "\n"))
                for line in [
                    #"jobrunner_due_jobs{reason="job_file_missing"} 1"#,
                    #"jobrunner_due_jobs{reason="slots"} 1"#,
                    #"jobrunner_workers{health="alive"} 1"#,
                    #"jobrunner_worker_slots{state="free"} 10"#,
                ] { #expect(lines.contains(Substring(line)), "\(line) is not in\n\(text)") }
                for name in [
                    #"jobrunner_oldest_due_seconds{tenant=""}"#,
                    #"jobrunner_oldest_due_seconds{tenant="acme"}"#,
                    #"jobrunner_chore_age_seconds{chore="freshness"}"#,
                    "jobrunner_oldest_snapshot_seconds",
                    #"jobrunner_database_sessions{state="#, "process_resident_memory_bytes",
                ] { #expect(lines.contains { $0.hasPrefix(name) }, "\(name) is not in\n\(text)") }
                try check(text)
            }
        }
    }

    /// Prometheus' own tool, which knows the rules of names and of the text.
    private func check(_ text: String) throws {
        let process = Process()
        process.executableURL = packageFolder.appending(path: "bin/promtool")
        process.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let said = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
        #expect(said == "")
    }

    @Test func `views are told in pages that follow each other`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.script("select jobrunner.count_waiting()")
            try await withServer(installation) { (url) async throws in
                #expect(
                    try await get(url + "/views").json?.elements?.first?.string
                        == "/views/waiting_reasons")
                var rows: [String] = []
                var place = ""
                repeat {
                    let page = try #require(
                        try await get(url + "/views/waiting_reasons?limit=1" + place).json)
                    rows += (page["rows"]?.elements ?? []).map {
                        "\($0["reason"]?.string ?? "") \($0["tenant"]?.string ?? "*")"
                    }
                    place =
                        page["after"]?.string.map {
                            "&after="
                                + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                                    ?? "")
                        } ?? ""
                } while !place.isEmpty
                #expect(rows == ["no_worker *", "no_worker acme"])
                // Each number is on one page, whatever its labels look like.
                var gauges: [String] = []
                place = ""
                repeat {
                    let page = try #require(
                        try await get(url + "/views/gauges?limit=1" + place).json)
                    gauges += (page["rows"]?.elements ?? []).map {
                        "\($0["name"]?.string ?? "") \($0["labels"]?.text ?? "")"
                    }
                    place =
                        page["after"]?.string.map {
                            "&after="
                                + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                                    ?? "")
                        } ?? ""
                } while !place.isEmpty
                let whole = try await get(url + "/views/gauges").json?["rows"]?.elements?.count
                #expect(gauges.count == whole && Set(gauges).count == whole)
                for view in [
                    "worker_health", "tenant_shares", "blocked_sources", "raised_alerts", "gauges",
                ] {
                    #expect(try await get(url + "/views/\(view)").status == 200, "\(view)")
                }
                for query in ["limit=0", "limit=1001", "limit=x", "after=x", "after=%5B%5D"] {
                    #expect(
                        try await get(url + "/views/waiting_reasons?" + query).status == 400,
                        "\(query)")
                }
                #expect(try await get(url + "/views/users").status == 404)
                #expect(try await get(url + "/views/").status == 404)
            }
        }
    }

    @Test func `neither a user's key nor an attribute nor a secret is in any answer`() async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.script(
                """
                select jobrunner.add_user('acme', 'canary-key', '{"id": "canary-attribute"}');
                select jobrunner.register_worker('here', 7, 'test', 10, '{shop.orders}');
                \(Given.failing(.named("shop.orders"), times: 3, error: "canary-error"))
                \(Given.notDue(.named("shop.orders")))
                \(Given.blocked())
                select jobrunner.count_waiting();
                """)
            _ = try installation.write("canary", "canary-secret")
            try await installation.ok(
                "user set ann --tenant acme --secret token=@@canary --origin https://shop.example")
            try await withServer(installation) { (url) async throws in
                var paths = ["/metrics", "/readyz", "/livez", "/views", "/other"]
                paths += (try await get(url + "/views").json?.elements ?? []).compactMap(\.string)
                #expect(paths.count == 11)
                for path in paths {
                    let text = try await get(url + path).text
                    #expect(!text.contains("canary") && !text.contains("ann\""), "\(path): \(text)")
                }
            }
        }
    }

    @Test func `from elsewhere only who has the token is answered`() async throws {
        try await Installation.with { installation in
            let program = try installation.start("serve --listen 0.0.0.0:0", serving(installation))
            try await eventually("it refuses to listen, or listens") {
                try !program.errorsSoFar().isEmpty
            }
            program.process.terminate()
            let bare = try await program.end()
            #expect(bare.code == 78)
            #expect(bare.errors.contains("0.0.0.0:0 can be reached from elsewhere"))
            let token = try installation.write("token", "canary-0123456789abcdef\n")
            let changes = ["JOBRUNNER_SERVE_TOKEN_FILE": token]
            try await withServer(installation, "serve --listen 0.0.0.0:0", changes) {
                (url) async throws in
                #expect(try await get(url + "/livez").status == 200)
                for path in ["/metrics", "/readyz", "/views", "/views/gauges"] {
                    #expect(try await get(url + path).status == 401, "\(path)")
                }
                for given in [
                    "Bearer canary", "canary-0123456789abcdef", "Bearer canary-0123456789abcdefg",
                    "",
                ] {
                    let headers = [HTTPHeader("Authorization", given)]
                    #expect(try await get(url + "/metrics", headers).status == 401, "\(given)")
                }
                let headers = [HTTPHeader("Authorization", "Bearer canary-0123456789abcdef")]
                #expect(try await get(url + "/metrics", headers).status == 200)
            }
            let short = try installation.write("short", "canary")
            let refused = try await installation.run(
                "serve", ["JOBRUNNER_SERVE_TOKEN_FILE": short])
            #expect(refused.code == 78)
            #expect(refused.errors.contains("16 characters"))
        }
    }

    @Test func `the role that serves can change nothing and read no secret`() async throws {
        try await Installation.with { installation in
            try await withServer(installation) { (url) async throws in
                #expect(try await get(url + "/metrics").status == 200)
                // With the right it has the numbers, and without it none: it is that role, whoever has started it.
                try await installation.script(
                    "revoke select on jobrunner.gauges from jobrunner_reader")
                #expect(try await get(url + "/metrics").status == 503)
                try await installation.script(
                    "grant select on jobrunner.gauges to jobrunner_reader")
                #expect(
                    try await installation.value(
                        """
                        select count(*) from pg_stat_activity
                        where datname = current_database() and application_name = 'jobrunner' and pid <> pg_backend_pid()
                        """) <= "2")
            }
        }
    }

    @Test
    func `a login that may read secrets does not serve, and one that may not look is told of`()
        async throws
    {
        try await Installation.with { installation in
            let owner = ["DATABASE_URL": installation.url]
            let refused = try await installation.run("serve --listen 127.0.0.1:0", owner)
            #expect(refused.code == 78)
            #expect(
                refused.errors.contains(
                    "logs in as jobrunner, which may read secrets: serve needs a login of its own, create role"
                        + " jobrunner_serve login"), "\(refused.errors)")
            try await installation.script(
                "revoke select on jobrunner.gauges from jobrunner_reader")
            let program = try installation.start(
                "serve --listen 127.0.0.1:0", serving(installation))
            let url = "http://127.0.0.1:\(try await port(of: program))"
            for _ in 1...3 { #expect(try await get(url + "/metrics").status == 503) }
            // Once a minute, however often it is asked.
            var said = try program.errorsSoFar()
            #expect(said.matches(of: /database lost/).count == 1, "\(said)")
            #expect(said.contains("permission denied for view gauges"))
            try await installation.script("grant select on jobrunner.gauges to jobrunner_reader")
            #expect(try await get(url + "/metrics").status == 200)
            said = try program.errorsSoFar()
            #expect(said.contains("database back"), "\(said)")
            kill(program.process.processIdentifier, SIGTERM)
            #expect(try await program.end().code == 0)
        }
    }

    @Test func `without its database it is alive and not ready, and tells nothing of the database`()
        async throws
    {
        try await Installation.with { installation in
            let changes = ["DATABASE_URL": "postgres://canary@127.0.0.1:1/canary"]
            try await withServer(installation, "serve --listen 127.0.0.1:0", changes) {
                (url) async throws in
                #expect(try await get(url + "/livez").status == 200)
                let ready = try await get(url + "/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains("it does not answer"))
                #expect(!ready.text.contains("canary"))
                #expect(try await get(url + "/metrics").status == 503)
            }
        }
    }
}
