import JSON

/// CloudKit's stand-in, in a process of its own, with the records of users of one app.
struct CloudSource: Sendable {
    let url: String
    let users: Int
    let recordsPerUser: Int
    private let context: BenchmarkContext

    /// Starts one, whose users are `user-000001` and on; it stops with the context.
    static func start(
        _ context: BenchmarkContext, users: Int, recordsPerUser: Int
    ) async throws -> CloudSource {
        let child = try context.start(
            context.fakeSource, ["--listen", "127.0.0.1:0", "--no-version-log"], as: "source")
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, child.ended == nil {
            let said = try readFile("\(context.folder)/source.out")
            if let line = said.split(separator: "\n").first {
                let source = CloudSource(
                    url: String(line.dropFirst("listening on ".count)), users: users,
                    recordsPerUser: recordsPerUser, context: context)
                try await source.fill()
                return source
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BenchError("the source did not start")
    }

    private func fill() async throws {
        let fixture =
            #"{"name": "metube", "users": \#(users), "records": \#(recordsPerUser), "broken": 0}"#
        try await context.run(
            "curl", ["-fsS", "-d", fixture, "\(url)/_control/cloudkit/fixture"])
    }

    /// How fast the requests of a push are answered that nothing stands behind, in edits a second.
    ///
    /// They edit the records of `count` users from `first` on.
    func paceOfEdits(first: Int, count: Int, seconds: Int) async throws -> Double {
        let said = try await context.run(
            "wrk",
            [
                "--threads", "1", "--connections", "8", "--duration", "\(seconds)s", "--script",
                "Sources/Bench/Yardsticks/modify.lua", url,
            ],
            environment: [
                "FIRST_USER": "\(first)", "USERS": "\(count)", "ROWS": "\(recordsPerUser)",
            ])
        guard !said.contains("Non-2xx"), !said.contains("Socket errors") else {
            throw BenchError("the source refused requests of the yardstick")
        }
        let line = said.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
        guard let rate = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
            throw BenchError("wrk printed no rate")
        }
        return rate * Double(CloudSource.batch)
    }

    /// Edits in a request.
    static let batch = 200
}
