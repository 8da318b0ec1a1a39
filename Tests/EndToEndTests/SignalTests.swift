import Foundation
import Testing

/// A worker is told to end while its database answers nobody.
@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    /// How the program ends when it gets so many signals in a hung database.
    private func end(signals: Int, hangsFromStart: Bool = false) async throws -> Ran {
        var ran: Ran?
        try await Installation.with { installation in
            let relay = try FaultyRelay(to: installation.url)
            if hangsFromStart { relay.silenceAll() }
            let program = try installation.start("worker", ["DATABASE_URL": relay.url])
            if hangsFromStart {
                try await eventually("it connects") { relay.connections > 0 }
            } else {
                try await eventually("the worker is registered") {
                    try await installation.value("select count(*) from jobrunner.workers") == "1"
                }
                relay.silenceAll()
                try await eventually("the claim loop and the heartbeat wait for the database") {
                    relay.clientsHeldBack >= 2
                }
            }
            let process = program.process.processIdentifier
            for _ in 1...signals {
                kill(process, SIGTERM)
                // Two of the same that are pending at once are one.
                try await eventually("the signal is taken") { !isPending(SIGTERM, of: process) }
            }
            ran = try await program.end()
        }
        return try #require(ran)
    }

    /// Whether a signal waits for the process to take it; a process that has ended waits for none.
    private func isPending(_ signal: Int32, of process: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("ShdPnd:") }),
            let mask = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
        else { return false }
        return mask >> (signal - 1) & 1 == 1
    }

    /// One that has to wait for its database takes leave by itself, with 0.
    @Test func `SIGTERM ends a worker though its database hangs`() async throws {
        let ran = try await end(signals: 1)
        #expect(ran.code == 0, "\(ran.errors)")
    }

    @Test func `SIGTERM ends a worker that has not begun because its database hangs`() async throws
    {
        let ran = try await end(signals: 1, hangsFromStart: true)
        #expect(ran.code == 75, "\(ran.errors)")
    }

    @Test func `a second SIGTERM ends a worker at once though its database hangs`() async throws {
        let ran = try await end(signals: 2)
        #expect(ran.code == 75, "\(ran.errors)")
    }

    @Test func `SIGUSR1 is answered with what each slot does, whatever level is logged`()
        async throws
    {
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "faults", #"{"kind": "hang", "path": "/generic/*"}"#)
            let program = try installation.start("worker", ["JOBRUNNER_LOG_LEVEL": "error"])
            let process = program.process.processIdentifier
            try await eventually("the run asks its source, and says so") {
                kill(process, SIGUSR1)
                return try program.errorsSoFar().contains("step=asking")
            }
            let lines = try program.errorsSoFar().split(separator: "\n")
            #expect(
                lines.contains {
                    $0.contains(" info worker state ") && $0.hasSuffix("busy=1 free=49")
                })
            let slot = try #require(lines.last { $0.contains("slot state") })
            #expect(
                slot.contains(
                    /tenant=acme user=ann job=demo.items run=[0-9]+ holding_ms=[0-9.]+ entity=item page=1 step=asking since_ms=[0-9.]+$/
                ), "\(slot)")
            kill(process, SIGTERM)
            #expect(try await program.end().code == 0)
        }
    }

    @Test func `SIGUSR1 is answered also by a worker whose database hangs`() async throws {
        try await Installation.with { installation in
            let relay = try FaultyRelay(to: installation.url)
            relay.silenceAll()
            let program = try installation.start("worker", ["DATABASE_URL": relay.url])
            try await eventually("it connects") { relay.connections > 0 }
            let process = program.process.processIdentifier
            kill(process, SIGUSR1)
            try await eventually("it says what it waits for") {
                try program.errorsSoFar().contains(
                    #"worker state busy=0 free=0 not_ready="database: it has not answered yet""#)
            }
            kill(process, SIGTERM)
            #expect(try await program.end().code == 75)
        }
    }

    @Test func `a third signal changes nothing`() async throws {
        let ran = try await end(signals: 3)
        #expect(ran.code == 75, "\(ran.errors)")
    }
}
