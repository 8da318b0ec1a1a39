/// Lends a world and takes it down again, whatever the test does.
func withWorld(
    _ yaml: String = World.metube(), seed: UInt64 = 1, sealer: Bool = false,
    _ body: (World) async throws -> Void
) async throws {
    let world = try await World(yaml, seed: seed, sealer: sealer ? testSealer() : nil)
    do {
        try await body(world)
        await world.close()
    } catch {
        await world.close()
        throw error
    }
}
