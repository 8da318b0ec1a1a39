import FakeSource
import Foundation
import JSON
import Testing

/// What stays of secrets in the memory of a worker whose runs have ended.
@Suite struct HeapTests {
    private static let given = ["bearer", "basic", "client", "refresh", "login"].map {
        Canary(name: $0)
    }
    private static let gained = ["access", "rotated", "session"].map { Canary(name: $0) }

    private static let signIns = [
        "bearer": #"{ type: bearer, token: "{secret.bearer}" }"#,
        "basic": #"{ type: basic, user: me, password: "{secret.basic}" }"#,
        "oauth":
            #"{ type: oauth2_refresh, token_url: "HUB/oauth/ann/token", client_id: me, client_secret: "{secret.client}", refresh_token: "{secret.refresh}" }"#,
        "session":
            #"{ type: session, token_at: token, send: { header: X-Session, value: "{session.token}" }, login: { method: POST, path: "/generic/{user.demo_id}/login", body: { a: "{secret.login}" } } }"#,
    ]

    @Test func `an idle worker keeps few copies of what its runs were signed with`() async throws {
        try await Installation.withSource { installation, source in
            try await prepare(installation, source)
            let worker = try installation.start("worker")
            try await eventually("all jobs have run, and nothing runs") {
                try await installation.value(
                    "select count(*) filter (where last_success_at is not null and worker_id is null) from jobrunner.jobs"
                ) == "\(Self.signIns.count + 1)"
            }
            let found = try copies(
                of: Self.given + Self.gained, in: worker.process.processIdentifier)
            print("heap: \(found.sorted { $0.key < $1.key })")
            // It keeps the tokens that are good for longer, so that the next run need not ask for them.
            #expect(found["access", default: 0] > 0 && found["session", default: 0] > 0)
            // A copy a request would be more than eight.
            for canary in Self.given + [Self.gained[1]] {
                #expect(found[canary.name, default: 99] <= 8, "\(canary.name)")
            }
            worker.process.terminate()
            _ = try await worker.end()
        }
    }

    private func prepare(_ installation: Installation, _ source: FakeSourceServer) async throws {
        let hub = "http://127.0.0.1:\(source.port)"
        for (name, auth) in Self.signIns {
            let text = itemsFile(port: source.port).replacing(
                "retry: { attempts: 1 } }",
                with: "retry: { attempts: 1 }, auth: \(auth.replacing("HUB", with: hub)) }"
            ).replacing("demo.items", with: "demo.\(name)").replacing(
                "id: demo,", with: "id: \(name),"
            )
            .replacing("demo_item", with: "demo_\(name)")
            _ = try installation.write("jobs/shop/\(name).yaml", text, mode: 0o644)
        }
        let access =
            #"{"access_token": "\#(Self.gained[0].text)", "refresh_token": "\#(Self.gained[1].text)", "expires_in": 3600}"#
        for (path, body) in [
            ("/oauth/ann/token", access),
            ("/generic/*/login", #"{"token": "\#(Self.gained[2].text)"}"#),
        ] {
            let fault = JSONValue.object([
                JSONMember("kind", .string("status")), JSONMember("path", .string(path)),
                JSONMember("status", .integer(200)), JSONMember("body", .string(body)),
                JSONMember("times", .integer(0)),
            ])
            try await installation.command(source, "faults", fault.text)
        }
        try await installation.ok("migrate")
        for name in Self.signIns.keys {
            try await installation.ok("tenant set acme --job demo.\(name)")
        }
        for canary in Self.given {
            _ = try installation.write(canary.name, canary.text)
            try await installation.ok(
                "user set ann --tenant acme --secret \(canary.name)=@@\(canary.name) --origin \(hub)"
            )
        }
    }

    /// How often each stands in what the process may write to.
    private func copies(of canaries: [Canary], in process: Int32) throws -> [String: Int] {
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
        defer { try? memory.close() }
        var found = Dictionary(uniqueKeysWithValues: canaries.map { ($0.name, 0) })
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard words[1].hasPrefix("rw"), ends.count == 2, ends[1] - ends[0] <= 1 << 30 else {
                continue
            }
            try memory.seek(toOffset: ends[0])
            guard let bytes = try? memory.read(upToCount: Int(ends[1] - ends[0])) else { continue }
            for canary in canaries {
                let text = Data(canary.text.utf8)
                var rest = bytes.startIndex..<bytes.endIndex
                while let range = bytes.range(of: text, in: rest) {
                    found[canary.name, default: 0] += 1
                    rest = range.upperBound..<bytes.endIndex
                }
            }
        }
        return found
    }
}
