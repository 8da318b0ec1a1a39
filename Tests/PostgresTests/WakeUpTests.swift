import CLibPQ
import Foundation
import TestSupport
import Testing

@testable import Postgres

/// Wake-ups that were made while the process had no descriptor left.
@Suite(.timeLimit(.minutes(10))) struct WakeUpTests {
    @Test func `who sleeps without a descriptor looks by itself`() {
        #expect(!EventFD { -1 }.sleep(until: nil))
        #expect(EventFD { -1 }.timeout(until: .now + .seconds(600)) == 100)
        #expect(EventFD { -1 }.timeout(until: .now) == 0)
        #expect(EventFD().timeout(until: nil) == -1)
    }

    @Test func `a statement is cancelled though its session has no descriptor to be woken by`()
        async throws
    {
        let configuration = try DatabaseConfiguration(
            conninfo: TestCluster.shared.url, applicationName: "test", lanes: 1)
        let interruption = Interruption(deadline: nil)
        let code: DatabaseError.Code? = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let session = Session(configuration, wake: EventFD { -1 }, counters: Counters())
                session.connection.interruption = interruption
                do {
                    try session.connectIfNeeded()
                    interruption.cancelSoon()
                    _ = try session.int("select 1 from pg_sleep(600)")
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: (error as? DatabaseError)?.code)
                }
                session.connection.close()
            }
        }
        #expect(code == .cancelled)
    }
}

extension Interruption {
    /// By another thread, at whatever moment of what this one does next.
    fileprivate func cancelSoon() {
        Thread.detachNewThread { [self] in cancel() }
    }
}
