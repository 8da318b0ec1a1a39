import FakeSource
import Foundation
import Testing

/// What a run costs beside its statements, counted in the program that is shipped.
///
/// A debug build allocates more than a release build; the bounds are those of the build that the tests run. The number of
/// calls also depends on how many runs a thread serves each time it wakes, so that its bound is wider.
@Suite(.timeLimit(.minutes(5)))
struct RunCallsTests {
    private struct Calls {
        var allocations: Int
        var calls: Int
    }

    /// What a worker takes that does the due jobs of so many users, and ends.
    private func drain(_ users: Int, _ installation: Installation, _ library: String) async throws
        -> Calls
    {
        try await installation.given(.due(.keys((1...users).map { "u\($0)" })))
        let told = installation.folder.path + "/calls"
        let ran = try await installation.run(
            "worker --drain", ["LD_PRELOAD": library, "CALLS_FILE": told])
        try #require(ran.code == 0, "\(ran.errors)")
        let numbers = try String(contentsOfFile: told, encoding: .utf8)
            .split { $0.isWhitespace }.compactMap { Int($0) }
        try #require(numbers.count == 2)
        return Calls(allocations: numbers[0], calls: numbers[1])
    }

    @Test func `an idle run allocates a bounded number of times and makes few system calls`()
        async throws
    {
        try await Installation.withSource { installation, source in
            // Nothing becomes due by the clock meanwhile.
            _ = try installation.write(
                "jobs/shop/items.yaml",
                itemsFile(port: source.port).replacing("every: 5m", with: "every: 24h"), mode: 0o644
            )
            try await installation.ok("migrate")
            let library = try installation.library("calls")
            _ = try await installation.value(
                """
                select count(jobrunner.add_user('acme', 'u' || n, '{"demo_id": "user-000001"}'))
                from generate_series(1, 600) as n
                """)
            // First syncs, and what a first look at a database takes.
            try #require(try await installation.run("worker --drain").code == 0)
            let few = try await drain(100, installation, library)
            let many = try await drain(600, installation, library)
            let allocations = (many.allocations - few.allocations) / 500
            let calls = Double(many.calls - few.calls) / 500
            #expect((200...1750).contains(allocations))
            #expect((4...20).contains(calls))
            let idle = try await installation.value(
                "select count(*) from jobrunner.jobs where last_outcome = 'complete'")
            #expect(idle == "601")
        }
    }
}
