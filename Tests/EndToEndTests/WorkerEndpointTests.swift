import Foundation
import HTTP
import JSON
import Testing

/// What a worker answers at `--metrics`.
@Suite(.timeLimit(.minutes(10))) struct WorkerEndpointTests {
    /// A worker with its address, until the body is over; then it is told to stop.
    private func withWorker(
        _ installation: Installation, _ changes: [String: String] = [:],
        _ body: (RunningProgram, String) async throws -> Void
    ) async throws {
        let program = try installation.start("worker --metrics 127.0.0.1:0", changes)
        var address = ""
        try await eventually("it listens") {
            address =
                try program.errorsSoFar().firstMatch(of: /listening address=([0-9.:]+)/)
                .map { String($0.1) } ?? ""
            return !address.isEmpty
        }
        try await body(program, "http://\(address)")
        kill(program.process.processIdentifier, SIGTERM)
        #expect(try await program.end().code == 0)
    }

    private func get(
        _ url: String, accept: String? = nil
    ) async throws -> (status: Int, text: String) {
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let headers = accept.map { [HTTPHeader("Accept", $0)] } ?? []
        let response = try await client.send(
            HTTPRequest(method: "GET", url: url, headers: headers, body: nil),
            deadline: .now + .seconds(30))
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// Has the first entity of a job file read a number into column `size`.
    private func withSize(_ installation: Installation, _ file: String) throws {
        let path = installation.folder.path + "/jobs/shop/\(file).yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let id = "id: { at: id, type: text, required: true }"
        let place = try #require(text.range(of: id))
        _ = try installation.write(
            "jobs/shop/\(file).yaml",
            text.replacingCharacters(
                in: place, with: "size: { at: size, type: int }\n        " + id),
            mode: 0o644)
    }

    @Test func `a worker that works is alive and ready, and tells what it did`() async throws {
        try await Installation.withSource { installation, _ in
            try await withWorker(installation) { _, url in
                #expect(try await get(url + "/livez").status == 200)
                try await eventually("the run is over") {
                    try await installation.value("select count(*) from jobrunner.runs") == "1"
                }
                try await eventually("it is ready") { try await get(url + "/readyz").status == 200 }
                #expect(
                    try await get(url + "/readyz").text
                        == "{\"ready\":true,\"reasons\":[],\"lacking\":[]}\n")
                let text = try await get(url + "/metrics").text
                let lines = Set(text.split(separator: "\n"))
                for line in [
                    #"jobrunner_build_info{version="0.1.0"} 1"#,
                    #"jobrunner_runs_total{job="demo.items",outcome="complete",error_kind=""} 1"#,
                    #"jobrunner_run_duration_seconds_count{job="demo.items"} 1"#,
                    #"jobrunner_start_delay_seconds_count{job="demo.items"} 1"#,
                    #"jobrunner_records_total{job="demo.items",entity="item",fate="fetched"} 60"#,
                    #"jobrunner_records_total{job="demo.items",entity="item",fate="changed"} 60"#,
                    #"jobrunner_source_requests_total{source="demo",status_class="2xx"} 3"#,
                    #"jobrunner_slots{state="busy"} 0"#, #"jobrunner_slots{state="free"} 50"#,
                    "jobrunner_ready 1",
                ] { #expect(lines.contains(Substring(line)), "\(line) is not in\n\(text)") }
                for name in [
                    "process_cpu_seconds_total", "process_resident_memory_bytes",
                    "process_open_fds",
                    "process_max_fds", "process_start_time_seconds",
                    "jobrunner_claim_duration_seconds_count",
                    "jobrunner_commit_duration_seconds_count",
                ] { #expect(lines.contains { $0.hasPrefix(name + " ") }, "\(name)") }
                #expect(
                    try await get(url + "/metrics", accept: "application/openmetrics-text").text
                        .hasSuffix("# EOF\n"))
                // Neither a user nor an attribute of one is in it.
                #expect(!text.contains("ann") && !text.contains("user-0"))
                #expect(try await get(url + "/other").status == 404)
            }
        }
    }

    @Test func `a worker that refused a file or lacks a key is ready, and says what does not work`()
        async throws
    {
        try await Installation.withSource { installation, source in
            _ = try installation.write("token", "t0k3n")
            try await installation.ok(
                "tenant set acme --secret token=@@token --origin https://shop.example")
            let status = try String(
                contentsOfFile: installation.folder.path + "/jobs/shop/status.yaml", encoding: .utf8
            )
            _ = try installation.write(
                "jobs/shop/status.yaml", status.replacing("style: single", with: "style: singel"),
                mode: 0o644)
            try await installation.script(
                "alter table synced.shop_order add column size text")
            try withSize(installation, "orders")
            let noKey = ["JOBRUNNER_KEY_FILE": ""]
            try await withWorker(installation, noKey) { _, url in
                try await eventually("it is ready") { try await get(url + "/readyz").status == 200 }
                let text = try await get(url + "/readyz").text
                #expect(text.hasPrefix(#"{"ready":true,"reasons":[],"lacking":["job file "#))
                #expect(text.contains("status.yaml:"))
                #expect(text.contains(#"did you mean \"single\"?"#), "\(text)")
                #expect(
                    text.contains("job file of shop.orders: synced.shop_order.size: "), "\(text)")
                #expect(
                    text.contains(
                        "key file, at its start: 1 secret of tenants whose keys are wrapped"),
                    "\(text)")
                #expect(text.contains("JOBRUNNER_KEY_FILE is not set"))
                #expect(try await get(url + "/metrics").text.contains("\njobrunner_ready 1\n"))
            }
        }
    }

    @Test func `a worker that could run no job file at all is not ready`() async throws {
        try await Installation.with { installation in
            let folder = installation.folder.path + "/jobs/shop/"
            try FileManager.default.removeItem(atPath: folder + "orders.yaml")
            try await installation.script("alter table synced.shop_state add column size text")
            try withSize(installation, "status")
            try await withWorker(installation) { program, url in
                try await eventually("it has started") {
                    try program.errorsSoFar().contains("worker started")
                }
                let ready = try await get(url + "/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains(#"["job files: none that it could run"]"#), "\(ready)")
                #expect(try await get(url + "/livez").status == 200)
            }
        }
    }

    @Test func `without its database a worker is alive and not ready, and says why`() async throws {
        try await Installation.with { installation in
            let relay = try FaultyRelay(to: installation.url)
            relay.silenceAll()
            let program = try installation.start(
                "worker --metrics 127.0.0.1:0", ["DATABASE_URL": relay.url])
            var address = ""
            try await eventually("it listens") {
                address =
                    try program.errorsSoFar().firstMatch(of: /listening address=([0-9.:]+)/)
                    .map { String($0.1) } ?? ""
                return !address.isEmpty
            }
            #expect(try await get("http://\(address)/livez").status == 200)
            let ready = try await get("http://\(address)/readyz")
            #expect(ready.status == 503)
            #expect(ready.text.contains("database: it has not answered yet"))
            #expect(
                try await get("http://\(address)/metrics").text.contains("\njobrunner_ready 0\n"))
            kill(program.process.processIdentifier, SIGTERM)
            #expect(try await program.end().code == 75)
        }
    }

    @Test func `a worker that drains is alive and not ready`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "faults", #"{"kind": "hang", "path": "/generic/*"}"#)
            try await withWorker(installation) { program, url in
                try await eventually("a run hangs at its source") {
                    try await get(url + "/metrics").text.contains(#"slots{state="busy"} 1"#)
                }
                // Its job's row is held, so that the outcome waits and the worker with it.
                let lock = try await OpenTransaction(
                    installation.url, "select from jobrunner.jobs for update")
                kill(program.process.processIdentifier, SIGTERM)
                try await eventually("it says that it drains") {
                    try await get(url + "/readyz").text.contains("draining: it was told to stop")
                }
                #expect(try await get(url + "/readyz").status == 503)
                #expect(try await get(url + "/livez").status == 200)
                try await lock.rollBack()
            }
        }
    }

    @Test func `a wrong address, and one that is taken, are one line each`() async throws {
        try await Installation.with { installation in
            let wrong = try await installation.run("worker --metrics nowhere")
            #expect(wrong.code == 64)
            #expect(wrong.errors.contains("expected an address such as 127.0.0.1:9464"))
            let wrongSetting = try await installation.run(
                "worker", ["JOBRUNNER_METRICS": "nowhere"])
            #expect(wrongSetting.code == 78)
            #expect(
                wrongSetting.errors.contains(
                    #"JOBRUNNER_METRICS is "nowhere"; expected an address such as 127.0.0.1:9464"#))
            try await withWorker(installation) { program, url in
                // One that is stopped before the database has answered says so by another code.
                try await eventually("it has started") {
                    try program.errorsSoFar().contains("worker started")
                }
                let taken = try await installation.run(
                    "worker --metrics \(url.dropFirst("http://".count))")
                #expect(taken.code == 69)
                #expect(taken.errors.contains("is the port taken?"))
            }
        }
    }
}

/// What systemd is told.
@Suite(.timeLimit(.minutes(10))) struct ServiceManagerTests {
    /// The words that arrive at a socket, in order, until a word has come.
    private func words(until last: String, at socket: Int32) async -> [String] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var words: [String] = []
                var buffer = [UInt8](repeating: 0, count: 256)
                while words.last != last {
                    let count = recv(socket, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    words.append(String(decoding: buffer[..<count], as: UTF8.self))
                }
                continuation.resume(returning: words)
            }
        }
    }

    @Test func `systemd is told when the worker is ready, that it lives, and that it stops`()
        async throws
    {
        try await Installation.with { installation in
            let path = installation.folder.path + "/notify"
            let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(socket) }
            var limit = timeval(tv_sec: 300, tv_usec: 0)
            setsockopt(
                socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            #expect(isBound)
            let program = try installation.start(
                "worker", ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"])
            let begun = await words(until: "READY=1", at: socket)
            #expect(begun.last == "READY=1")
            #expect(await words(until: "WATCHDOG=1", at: socket) == ["WATCHDOG=1"])
            kill(program.process.processIdentifier, SIGTERM)
            let end = await words(until: "STOPPING=1", at: socket)
            #expect(end.last == "STOPPING=1")
            #expect(try await program.end().code == 0)
        }
    }
}
