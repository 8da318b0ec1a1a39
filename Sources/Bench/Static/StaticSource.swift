import JSON

/// A fake source whose pages never change by themselves, in a process of its own.
struct StaticSource: Sendable {
    let url: String
    let users: Int
    let recordsPerUser: Int
    private let context: BenchmarkContext

    /// Starts one; it stops with the context.
    static func start(
        _ context: BenchmarkContext, users: Int, recordsPerUser: Int, delayMilliseconds: Int = 0
    ) async throws -> StaticSource {
        let child = try context.start(
            context.fakeSource,
            [
                "static", "--users", "\(users)", "--records", "\(users * recordsPerUser)",
                "--delay-ms", "\(delayMilliseconds)",
            ], as: "source")
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, child.ended == nil {
            let said = try readFile("\(context.folder)/source.out")
            if let line = said.split(separator: "\n").first {
                return StaticSource(
                    url: String(line.dropFirst("listening on ".count)), users: users,
                    recordsPerUser: recordsPerUser, context: context)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BenchError("the source did not start")
    }

    var records: Int { users * recordsPerUser }

    /// What it has served since it was started, by name.
    func counter(_ name: String) async throws -> Double {
        let text = try await context.run("curl", ["-fsS", "\(url)/_control/counters"])
        let document = try JSONDocument(parsing: Array(text.utf8))
        guard let number = document.root.value?[name]?.double else {
            throw BenchError("the source counts no \(name)")
        }
        return number
    }
}
