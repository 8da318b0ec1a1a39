import Foundation
import JSON
import Postgres
import Testing

@Suite struct MemoryTests {
    /// In a process of its own, so that no other test's memory is counted.
    ///
    /// Were the records of 270 more pages kept, it would be 30 MB and more; what the allocator and the
    /// source's log take is a few.
    @Test func `AL5 ST29 three hundred pages need no more memory than thirty`() async throws {
        let (url, administratorURL) = (TestCluster.shared.url, TestCluster.shared.administratorURL)
        await #expect(processExitsWith: .success) {
            [url = url as String, administratorURL = administratorURL as String] in
            setenv("JOBRUNNER_TEST_DATABASE_URL", url, 1)
            setenv("JOBRUNNER_TEST_ADMINISTRATOR_URL", administratorURL, 1)
            let world = try await World(World.metube([("size: 100", "size: 200")]))
            try await world.addUser("small", videos: 6_000)
            try await world.drain()
            let before = residentBytes()
            try await world.addUser("large", videos: 60_000)
            try await world.drain()
            let grown = residentBytes() - before
            let pages = try await world.source.asked("feed").count
            await world.close()
            exit(pages == 330 && grown < 16 << 20 ? 0 : 1)
        }
    }
}

/// What this process has in memory, by the system.
private func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
        separator: " ")
    return (fields.flatMap { Int($0[1]) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
