import Foundation
import Postgres
import Schema
import Testing

@Suite("Backups")
struct BackupTests {
    /// What docs/operating/upkeep.md says, by the owner, though every table is behind row-level security.
    @Test func `the page's backup comes back whole, with rights and policies`() async throws {
        let first = try await TestDatabase.make()
        let second = try await TestDatabase.make()
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "jr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Database.withSessions(try first.configuration()) { database async throws in
            try await database.migrate([jobFile()])
            try await database.script(
                """
                select jobrunner.add_tenant('acme'); select jobrunner.add_user('acme', 'ann');
                insert into synced.hub_video (user_id, video_id) select id, 'v' from jobrunner.users
                """)
        }
        try shell("psql -X -q -c 'copy synced.hub_video to stdout' '\(first.url)'", in: folder)
        let blocks = try commands()
        #expect(blocks.count == 2)
        for (command, url) in zip(blocks, [first.url, second.url]) {
            try Data(url.utf8).write(to: folder.appending(path: "url"))
            try shell(
                command.replacing("/etc/jobrunner/owner_database_url", with: "url"), in: folder)
        }
        try await Database.withSessions(try second.configuration()) { database async throws in
            let report = try await database.migrate([jobFile()])
            #expect(report.mended.filter { !$0.hasPrefix("events") } == [])
            #expect(try await database.texts("select video_id from synced.hub_video") == ["v"])
            let policies = "select count(*)::text from pg_policy"
            #expect(try await database.texts(policies) != ["0"])
        }
        let worker = try DatabaseConfiguration(
            conninfo: TestCluster.worker(of: second.url), applicationName: "test", lanes: 1)
        try await Database.withSessions(worker) { database async throws in
            #expect(try await database.texts("select video_id from synced.hub_video") == ["v"])
        }
    }

    /// The page's commands, in order.
    private func commands() throws -> [String] {
        let root = sqlFolder.deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "docs/operating/upkeep.md"), encoding: .utf8)
        return page.matches(of: /```sh\n(pg_[^`]*)```/).map { String($0.1) }
    }

    private func shell(_ command: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-e", "-c", command]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(command)")
    }
}
