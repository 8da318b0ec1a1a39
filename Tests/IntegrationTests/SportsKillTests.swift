import Foundation
import JSON
import JobFiles
import Postgres
import TestSupport
import Testing

@Suite struct SportsKillTests {
    /// `bin/chaos --app sportstime` does it more often, with deadlines and edits between.
    @Test
    func
        `ST32 after kills at any moment the rows are the source's, and no page came twice but the one in flight`()
        async throws
    {
        try await withSports("\"records\": 1300") { world in
            let program = try KilledProgram(world)
            defer { program.clear() }
            // So slow that a kill falls into a page, its commit, or between two.
            try await world.source.fault(#"{"kind": "slow", "delay_ms": 15, "times": 0}"#)
            var dice = SystemRandomNumberGenerator()
            var moments: [String] = []
            for _ in 1...10 {
                let before = try await world.queries().count
                let pages = Int.random(in: 1...2, using: &dice)
                let late = Int.random(in: 0...25, using: &dice)
                let worker = try program.start()
                try await eventually("it asks for \(pages) pages") {
                    try await world.queries().count >= before + pages
                }
                try await Task.sleep(for: .milliseconds(late), clock: .continuous)
                kill(worker.processIdentifier, SIGKILL)
                worker.waitUntilExit()
                moments.append("\(before) + \(pages) pages, \(late) ms")
                // The server may still be at the dead worker's last transaction.
                try await eventually("its job is given up") {
                    try await world.giveUpWorkers()
                    return try await world.job("*").text("state") != "running"
                }
                // Kills in a row before a page would set it aside, and who asks for it asks for all anew.
                try await world.given(.crashed(times: 0))
                guard try await world.queries().count < 13 else { break }
            }
            try await world.source.heal()
            try await world.given(.dueNow())
            try await world.drain()
            #expect(try await world.unfinished() == [], "\(moments)")
            try await world.compareSports()
            let asked = try await world.queries().filter { $0.status != 0 }.count
            #expect(asked <= 13 + moments.count, "\(asked): \(moments)")
            #expect(
                try await world.value("select sum((counters).inserted) from jobrunner.runs")
                    == "1787",
                "\(moments)")
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.runs where error_kind = 'crashed'")
                    == "\(moments.count)")
        }
    }
}
