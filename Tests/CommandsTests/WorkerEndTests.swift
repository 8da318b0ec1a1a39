import Runner
import Testing

@testable import Commands

struct WorkerEndTests {
    @Test func `a worker without a database that works ends with 69 and the last error`() throws {
        #expect(try WorkerCommand.exitCode(of: .done) == .ok)
        let failure = #expect(throws: Failure.self) {
            try WorkerCommand.exitCode(
                of: .databaseLost(error: "server error 58P01: no library", lasting: .seconds(61)))
        }
        #expect(failure?.exitCode == .unavailable)
        #expect(
            failure?.lines == [
                "gave up after 61 s without a database that works: server error 58P01: no library"
            ])
    }
}
