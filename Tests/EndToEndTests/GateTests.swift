import Foundation
import HTTP
import Testing

/// Whom `serve` and a worker's `--metrics` answer: the same people.
@Suite(.timeLimit(.minutes(10))) struct GateTests {
    static let doors = ["serve --listen", "worker --metrics"]
    private static let token = "canary-0123456789abcdef"

    /// A program that listens at an address, until the body is over.
    private func with(
        _ door: String, at address: String = "127.0.0.1", _ changes: [String: String] = [:],
        _ body: (String) async throws -> Void
    ) async throws {
        try await Installation.with { installation in
            var changes = changes
            changes["JOBRUNNER_SERVE_TOKEN_FILE"] = try changes["JOBRUNNER_SERVE_TOKEN_FILE"]
                .map { try installation.write("token", $0 + "\n") }
            let program = try installation.start("\(door) \(address):0", changes)
            var port = ""
            try await eventually("it listens") {
                port =
                    try program.errorsSoFar().firstMatch(of: /listening address=[0-9.]+:([0-9]+)/)
                    .map { String($0.1) } ?? ""
                return !port.isEmpty
            }
            try await body(port)
            program.process.terminate()
            _ = try await program.end()
        }
    }

    /// The status of an answer to a request with these fields, from one of this machine's addresses.
    private func status(
        _ port: String, _ fields: [String], from own: String = "127.0.0.1",
        path: String = "/metrics", _ more: [String] = []
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "60",
                "--interface", own,
            ] + more + fields.flatMap { ["-H", $0] } + ["http://127.0.0.1:\(port)\(path)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: doors)
    func `a Host that is none of its names is refused, with the token too`(
        _ door: String
    ) async throws {
        let changes = [
            "JOBRUNNER_SERVE_HOSTS": "metrics.example.com, other.example",
            "JOBRUNNER_SERVE_TOKEN_FILE": Self.token,
        ]
        try await with(door, changes) { (port) async throws in
            let authorization = "Authorization: Bearer \(Self.token)"
            for host in [
                "evil.example", "evil.example:\(port)", "evil.example,127.0.0.1",
                "metrics.example.com.evil.example",
                "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[::2]",
                "127.0.0.1@evil.example", "localhost.",
            ] {
                for path in ["/metrics", "/readyz", "/livez", "/views"] {
                    #expect(
                        try status(port, ["Host: \(host)", authorization], path: path) == "421",
                        "\(host) \(path)")
                }
            }
            for host in [
                "127.0.0.1", "127.0.0.1:\(port)", "localhost", "LOCALHOST:80", "[::1]:\(port)",
                "metrics.example.com", "Metrics.Example.com:443", "other.example",
            ] {
                #expect(
                    try status(port, ["Host: \(host)", authorization]) == "200", "\(host)")
            }
            #expect(try status(port, ["Host:", authorization], ["-0"]) == "200")
            #expect(try status(port, ["Host: localhost"]) == "401")
            #expect(try status(port, ["Host: localhost"], path: "/livez") == "200")
        }
    }

    @Test(arguments: doors)
    func `at an address that others reach it wants a token, or to know who needs none`(
        _ door: String
    ) async throws {
        try await Installation.with { installation in
            let bare = try await installation.run("\(door) 0.0.0.0:0")
            #expect(bare.code == 78)
            #expect(bare.errors.contains("0.0.0.0:0 can be reached from elsewhere: set"))
            // A header that anybody can send says nothing.
            let header = try await installation.run(
                "\(door) 0.0.0.0:0", ["JOBRUNNER_SERVE_PROXY_HEADER": "X-Remote-User"])
            #expect(header.code == 78 && header.errorLines.count == 1)
            let wrong = try await installation.run(
                "\(door) 0.0.0.0:0", ["JOBRUNNER_SERVE_TRUSTED": "everybody"])
            #expect(wrong.code == 78 && wrong.errorLines.count == 1)
            #expect(wrong.errors.contains("JOBRUNNER_SERVE_TRUSTED: \"everybody\" is no network"))
            let host = try await installation.run(
                "\(door) 127.0.0.1:0", ["JOBRUNNER_SERVE_HOSTS": "http://x"])
            #expect(host.code == 78 && host.errors.contains("\"http://x\" is no host"))
        }
        try await with(door, at: "0.0.0.0", ["JOBRUNNER_SERVE_TOKEN_FILE": Self.token]) {
            (port) async throws in
            #expect(try status(port, ["Host: 127.0.0.1"]) == "401")
            #expect(
                try status(port, ["Host: 127.0.0.1", "Authorization: Bearer \(Self.token)"])
                    == "200")
        }
    }

    @Test(arguments: doors)
    func `who comes from a trusted network needs no token, and nobody else is believed`(
        _ door: String
    ) async throws {
        try await with(door, at: "0.0.0.0", ["JOBRUNNER_SERVE_TRUSTED": "127.0.0.3"]) {
            (port) async throws in
            #expect(try status(port, ["Host: 127.0.0.1"], from: "127.0.0.3") == "200")
            #expect(try status(port, ["Host: 127.0.0.1"]) == "401")
        }
        let proxy = [
            "JOBRUNNER_SERVE_TRUSTED": "127.0.0.3/32",
            "JOBRUNNER_SERVE_PROXY_HEADER": "X-Remote-User",
        ]
        try await with(door, at: "0.0.0.0", proxy) { (port) async throws in
            let fields = ["Host: localhost", "X-Remote-User: ann"]
            #expect(try status(port, fields, from: "127.0.0.3") == "200")
            #expect(try status(port, fields) == "401")
            #expect(try status(port, ["Host: localhost"], from: "127.0.0.3") == "401")
            #expect(
                try status(port, ["Host: localhost", "X-Remote-User: "], from: "127.0.0.3") == "401"
            )
        }
        // Where it listens to this machine alone, a proxy is on it.
        try await with(door, ["JOBRUNNER_SERVE_PROXY_HEADER": "X-Remote-User"]) {
            (port) async throws in
            #expect(try status(port, ["Host: localhost", "X-Remote-User: ann"]) == "200")
            #expect(try status(port, ["Host: localhost"]) == "401")
        }
    }
}
