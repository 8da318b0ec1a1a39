import Testing

/// Looks every 10 ms until the condition holds; after a minute the test fails.
func eventually(
    _ what: String, within span: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + span
    while try await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("not within \(span): \(what)", sourceLocation: sourceLocation)
            throw NeverHappened(what: what)
        }
        try await Task.sleep(for: .milliseconds(10), clock: .continuous)
    }
}

struct NeverHappened: Error { let what: String }

/// Lets a few worlds live at once: each has databases, a source and workers of its own.
actor Places {
    static let worlds = Places(8)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// Lends a world and takes it down again, whatever the test does.
func withWorld(
    _ yaml: String = World.metube(), seed: UInt64 = 1, sealer: Bool = false,
    _ body: (World) async throws -> Void
) async throws {
    await Places.worlds.take()
    do {
        let world = try await World(yaml, seed: seed, sealer: sealer ? testSealer() : nil)
        do {
            try await body(world)
            await world.close()
        } catch {
            await world.close()
            throw error
        }
        await Places.worlds.leave()
    } catch {
        await Places.worlds.leave()
        throw error
    }
}
