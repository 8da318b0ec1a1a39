import JSON
import Testing

@testable import Bench

private let goals = [
    Goal.ratio("rate beside bare SQL", "rate", to: "bare", .atLeast, 0.8),
    Goal.figure("memory", "memory", .atMost, 60, "MB"),
]

private func benchmark(_ number: Int = 1) -> Benchmark {
    Benchmark(
        number: number, name: "drain", sentence: "Due jobs are drained.", goals: goals,
        measure: { _ in })
}

private func outcome(rate: [Double], memory: [Double], failure: String? = nil) -> BenchmarkResult {
    BenchmarkResult(
        number: 1, name: "drain", form: "short", at: "2026-01-02 03:04 UTC", commit: "abc+",
        seconds: 12.3,
        series: [
            Series(name: "rate", unit: "jobs/s", values: rate),
            Series(name: "bare", unit: "jobs/s", values: [100, 200, 100]),
            Series(name: "memory", unit: "MB", values: memory),
        ], notes: ["A note."], extras: [JSONMember("plan", .array([.number("1.5")]))],
        failure: failure)
}

private func report(_ outcomes: [BenchmarkResult], limits: [Int: String] = [:]) -> String {
    Report(
        benchmarks: [benchmark()], outcomes: outcomes, machine: "2 cores", limits: limits,
        chart: "c.svg", raw: "r.json"
    ).text
}

@Suite struct ReportTests {
    @Test func `a goal is judged by the median of the rounds' ratios`() {
        let text = report([outcome(rate: [90, 100, 85], memory: [50, 70, 61])])
        #expect(
            text.contains(
                "| 1 | drain | rate beside bare SQL | ≥ 0.800 × | 0.850 × | 0.500 – 0.900 | reached |"
            ))
        #expect(text.contains("| memory | ≤ 60 MB | 61 MB | 50 – 70 | **not reached** |"))
    }

    @Test func `a benchmark that was not measured, or could not be, keeps its rows`() {
        #expect(report([]).contains("| memory | ≤ 60 MB | – | – | not measured |"))
        #expect(report([]).contains("Not measured yet."))
        let text = report([outcome(rate: [], memory: [], failure: "no server")])
        #expect(text.contains("| memory | ≤ 60 MB | – | – | could not run |"))
        #expect(text.contains("**Could not run:** no server"))
    }

    @Test func `a section tells samples, notes, when, and what people say limits it`() {
        let text = report(
            [outcome(rate: [90], memory: [50])], limits: [1: "The log's writing."])
        #expect(text.contains("| rate | 90 jobs/s | 90 – 90 | 1 |"))
        #expect(text.contains("\n- A note.\n"))
        #expect(text.contains("Short form, 2026-01-02 03:04 UTC, commit `abc+`, 12.3 s."))
        #expect(text.contains("**What limits it.** The log's writing."))
        #expect(text.contains("**Machine:** 2 cores."))
        #expect(text.contains("](c.svg)") && text.contains("](r.json)"))
    }

    @Test func `raw numbers are read back as they were written`() throws {
        let before = outcome(rate: [90.25, 1e-9], memory: [50], failure: "half")
        let document = try JSONDocument(parsing: before.json.bytes)
        let after = try #require(document.root.value.flatMap { BenchmarkResult($0) })
        #expect(after.series == before.series)
        #expect(after.notes == before.notes && after.extras == before.extras)
        #expect(after.failure == "half" && after.seconds == 12.3 && after.commit == "abc+")
        #expect(BenchmarkResult(.object([])) == nil)
    }

    @Test func `a goal is reached at its limit`() {
        #expect(goals[0].isReached(by: 0.8) && !goals[0].isReached(by: 0.79))
        #expect(goals[1].isReached(by: 60) && !goals[1].isReached(by: 60.1))
        #expect(goals[0].score(of: 1.6) == 2)
        #expect(goals[1].score(of: 120) == 0.5)
    }
}

@Suite struct ChartTests {
    @Test func `the chart has a bar for each goal, as long as its score up to twice the goal`() {
        let chart = Chart([benchmark()], [outcome(rate: [80, 160, 80], memory: [20, 20, 20])])
        #expect(chart.bars.map(\.label) == ["1 rate beside bare SQL", "1 memory"])
        #expect(chart.bars.map(\.score) == [1, 3])
        #expect(chart.bars[1].figure == "20 MB (≤ 60 MB)")
        #expect(chart.svg.contains(#"<rect class="met" x="330" y="28" width="150" height="16"/>"#))
        #expect(chart.svg.contains(#"<rect class="met" x="330" y="52" width="300" height="16"/>"#))
    }

    @Test func `a figure without samples has no bar, and its text is escaped`() {
        let odd = Benchmark(
            number: 2, name: "odd", sentence: "",
            goals: [.figure("a < b & c", "x", .atMost, 1, "")], measure: { _ in })
        let chart = Chart([odd], [])
        #expect(chart.bars[0].figure == "not measured")
        #expect(chart.svg.contains(#"width="0" height="16""#))
        #expect(chart.svg.contains("2 a &lt; b &amp; c"))
        #expect(chart.svg.contains("prefers-color-scheme: dark"))
    }
}

private func idleRuns(_ figures: [String: Double]) -> BenchmarkResult {
    BenchmarkResult(
        number: 3, name: "idle-runs", form: "short", at: "", commit: "", seconds: 1,
        series: figures.map { Series(name: $0.key, unit: "", values: [$0.value]) }, notes: [],
        extras: [], failure: nil)
}

@Suite struct CapacityTests {
    private static let openLoop = [
        "open loop worker CPU": 150.0, "open loop PostgreSQL CPU": 300, "open loop log": 1000,
        "open loop growth": -3, "open loop sessions": 6,
    ]

    @Test func `what a machine carries is a run's cost times the runs`() throws {
        let text = try #require(Capacity([idleRuns(Self.openLoop)])).text
        #expect(
            text.contains("| 100,000 | 5 minutes | 333 | 0.050 | 0.100 | 28.8 GB | 0 GB | 12 |"))
        #expect(
            text.contains("| 1,000 | 1 day | 0.012 | < 0.001 | < 0.001 | 0.001 GB | 0 GB | 12 |"))
        #expect(report([idleRuns(Self.openLoop)]).contains("## What a machine carries"))
    }

    @Test func `without an open loop nothing is said of what a machine carries`() {
        #expect(Capacity([]) == nil)
        #expect(Capacity([idleRuns(["open loop worker CPU": 1])]) == nil)
        #expect(!report([]).contains("carries"))
    }
}

@Suite struct PictureTests {
    @Test func `a run's time is a bar of two parts, and the longest one fills the room`() throws {
        let outcome = idleRuns([
            "worker CPU, 304": 100, "PostgreSQL CPU, 304": 50, "open loop worker CPU": 200,
            "open loop PostgreSQL CPU": 100,
        ])
        let picture = try #require(Picture.all(of: [outcome]).first)
        #expect(
            picture.name == "run"
                && picture.bars.rows.map(\.label) == ["drained, 304", "open loop"])
        #expect(picture.bars.rows[0].figure == "100 + 50 µs")
        let svg = picture.bars.svg
        #expect(svg.contains(#"<rect class="first" x="330" y="52" width="200" height="16"/>"#))
        #expect(svg.contains(#"<rect class="second" x="530" y="52" width="100" height="16"/>"#))
        #expect(svg.contains(">PostgreSQL</text>"))
    }

    @Test func `what was not measured has no picture`() {
        #expect(Picture.all(of: [outcome(rate: [1], memory: [1])]).isEmpty)
    }
}
