import JSON

/// A fake source of still pages, in a process of its own.
struct StillSource: Sendable {
    let url: String
    let users: Int
    let recordsPerUser: Int
    private let stage: Stage

    /// Starts one; it stops with the stage.
    static func start(
        _ stage: Stage, users: Int, recordsPerUser: Int, delayMilliseconds: Int = 0
    ) async throws -> StillSource {
        let child = try stage.start(
            stage.fakeSource,
            [
                "still", "--users", "\(users)", "--records", "\(users * recordsPerUser)",
                "--delay-ms", "\(delayMilliseconds)",
            ], as: "source")
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, child.ended == nil {
            let said = try readFile("\(stage.folder)/source.out")
            if let line = said.split(separator: "\n").first {
                return StillSource(
                    url: String(line.dropFirst("listening on ".count)), users: users,
                    recordsPerUser: recordsPerUser, stage: stage)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BenchError("the source did not start")
    }

    var records: Int { users * recordsPerUser }

    /// What it has served since it was started, by name.
    func counter(_ name: String) async throws -> Double {
        let text = try await stage.run("curl", ["-fsS", "\(url)/_control/counters"])
        let document = try JSONDocument(parsing: Array(text.utf8))
        guard let number = document.root.value?[name]?.double else {
            throw BenchError("the source counts no \(name)")
        }
        return number
    }
}
