import JSON
import Testing

@testable import Bench

@Suite struct ReadingTests {
    @Test func `full-page images are counted apart from what the log says`() throws {
        let stats = """
            WAL statistics between 0/1 and 0/2:
            Type    N      (%)   Record size   (%)   FPI size   (%)   Combined size   (%)
            ----
            Heap    40 ( 66.67)   4000 ( 80.00)   16384 (100.00)   20384 ( 95.33)
                         --------          --------          --------          --------
            Total   60            5000 [23.38%]   16384 [76.62%]   21384 [100%]
            """
        let use = try #require(WALUse(stats: stats))
        #expect(use.records == 60 && use.bytes == 21384 && use.imageBytes == 16384)
        #expect(use.bytesWithoutImages == 5000)
        #expect(WALUse(stats: "nothing") == nil)
    }

    @Test func `a plan's buffers are those of its top node`() throws {
        let plan = try Plan(
            """
            [{"Plan": {"Node Type": "Function Scan", "Shared Hit Blocks": 40,
              "Shared Read Blocks": 2, "Plans": [{"Shared Hit Blocks": 40}]},
              "Planning Time": 9, "Execution Time": 1.25}]
            """)
        #expect(plan.buffers == 42)
        #expect(plan.milliseconds == 1.25)
        #expect(throws: BenchError.self) { try Plan("[]") }
    }

    @Test func `the durations of a statement are found in a server's log`() {
        let log = """
            2026-01-01 00:00:00.000 UTC [7] LOG:  duration: 1.250 ms  execute s1: select * from claim_jobs($1)
            2026-01-01 00:00:00.001 UTC [7] LOG:  duration: 9.000 ms  execute s2: select 1
            2026-01-01 00:00:00.002 UTC [7] LOG:  checkpoint of claim_jobs
            2026-01-01 00:00:00.003 UTC [7] LOG:  duration: 0.750 ms  execute s1: select * from claim_jobs($1)
            """
        #expect(durations(in: log, of: "claim_jobs") == [1.25, 0.75])
    }

    @Test func `the measurements keeps series in the order of their first samples`() {
        let measurements = Measurements()
        measurements.record("b", 1, "ms")
        measurements.record("a", 2, "ms")
        measurements.record("b", 3, "ms")
        measurements.remark("once")
        measurements.remark("once")
        #expect(measurements.contents.series.map(\.name) == ["b", "a"])
        #expect(measurements.contents.series[0].values == [1, 3])
        #expect(measurements.contents.notes == ["once"])
    }

    @Test func `benchmarks are chosen by name or number, and another word is told`() throws {
        #expect(try BenchOptions().chosen().count == allBenchmarks.count)
        #expect(try BenchOptions(names: ["startup", "1"]).chosen().map(\.number) == [1, 11])
        #expect(throws: BenchError.self) { try BenchOptions(names: ["drian"]).chosen() }
        #expect(Set(allBenchmarks.map(\.number)).count == allBenchmarks.count)
        #expect(Set(allBenchmarks.map(\.name)).count == allBenchmarks.count)
    }
}

@Suite struct RunRequestTests {
    @Test func `a command line names benchmarks or says --all, and its other words are options`()
        throws
    {
        #expect(try BenchCommand(["--all"]) == .run(BenchOptions()))
        let words = ["drain", "--full", "--rounds", "2", "4", "--out", "o", "--report", "r.md"]
        #expect(
            try BenchCommand(words)
                == .run(
                    BenchOptions(
                        names: ["drain", "4"], isFull: true, rounds: 2, folder: "o", report: "r.md")
                ))
        #expect(try BenchCommand(["--list"]) == .list && BenchCommand(["drain", "-h"]) == .help)
    }

    @Test(arguments: [
        [], ["drain", "--all"], ["drain", "--rounds"], ["--all", "--rounds", "0"],
        ["--all", "--rounds", "101"], ["--all", "--fast"],
    ])
    func `a command line that says nothing that could be done is refused`(_ words: [String]) {
        #expect(throws: UsageError.self) { try BenchCommand(words) }
    }
}

@Suite struct ChildProcessTests {
    @Test func `a child's end tells its code or its signal, and its processor time`() async throws {
        let fails = try ChildProcess("sh", ["-c", "exit 3"])
        #expect(await fails.wait().code == 3)
        let dies = try ChildProcess("sh", ["-c", "kill -KILL $$"])
        #expect(await dies.wait().code == -9)
        let works = try ChildProcess(
            "sh", ["-c", "n=0; while [ $n -lt 20000 ]; do n=$((n + 1)); done"])
        #expect(await works.wait().cpuSeconds > 0)
        #expect(throws: BenchError.self) { try ChildProcess("no-such-program", []) }
    }

    @Test func `a child that heeds no request is stopped all the same`() async throws {
        let path = "/tmp/jobrunner-bench-test.\(UInt32.random(in: 0 ... .max))"
        let lines = try LinePipe(path)
        defer { lines.close() }
        let child = try ChildProcess(
            "sh", ["-c", "trap '' TERM; echo deaf; while :; do :; done"], output: path)
        _ = try lines.next(containing: "deaf", within: 60)
        #expect(await child.stop(grace: .milliseconds(20)).code == -9)
        #expect(child.ended != nil)
    }

    @Test func `a child has no variable that leads to another database`() async throws {
        let child = try ChildProcess(
            "sh", ["-c", "test -z \"$DATABASE_URL$PGHOST\" && test \"$JOBRUNNER_X\" = given"],
            environment: ["JOBRUNNER_X": "given"])
        #expect(await child.wait().code == 0)
    }
}
