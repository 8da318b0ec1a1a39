/// Lends a world, with user `ann` when she has so many videos, and takes it down again, whatever the test does.
func withWorld(
    _ yaml: String = World.metube(), seed: UInt64 = 1, sealer: Bool = false, videos: Int? = nil,
    _ body: (World) async throws -> Void
) async throws {
    let world = try await World(yaml, seed: seed, keeper: sealer ? testKeeper() : nil)
    do {
        if let videos { try await world.addUser("ann", videos: videos) }
        try await body(world)
        await world.close()
    } catch {
        await world.close()
        throw error
    }
}

/// Lends a world in which a worker has read user `ann`'s videos once.
func withSyncedWorld(
    _ yaml: String = World.metube(), seed: UInt64 = 1, sealer: Bool = false, videos: Int,
    _ body: (World) async throws -> Void
) async throws {
    try await withWorld(yaml, seed: seed, sealer: sealer, videos: videos) { world in
        try await world.drain()
        try await body(world)
    }
}
