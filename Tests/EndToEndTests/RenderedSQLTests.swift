import Foundation
import Testing

/// What `explain FILE --sql` prints is what `migrate` makes and what runs send, so that a change of it is seen in review.
///
/// Refresh with `JOBRUNNER_REFRESH_SNAPSHOT=1 swift test --filter RenderedSQLTests`.
@Suite struct RenderedSQLTests {
    @Test(arguments: ["metube/refresh", "metube/status", "metube/worker"])
    func `the SQL of a job file is the one that was reviewed`(job: String) async throws {
        let file = packageFolder.appending(path: "jobs/\(job).yaml").path
        let printed = try await RunningProgram(["explain", file, "--sql"], environment: [:]).end()
        #expect(printed.code == 0, "\(printed.errors)")
        let name = job.split(separator: "/").joined(separator: ".")
        let reviewed = packageFolder.appending(path: "Tests/EndToEndTests/RenderedSQL/\(name).sql")
        if ProcessInfo.processInfo.environment["JOBRUNNER_REFRESH_SNAPSHOT"] != nil {
            try Data(printed.output.utf8).write(to: reviewed)
        }
        #expect(try String(contentsOf: reviewed, encoding: .utf8) == printed.output)
    }
}
