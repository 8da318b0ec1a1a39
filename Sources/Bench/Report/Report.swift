import JSON

/// The Markdown of some benchmarks' outcomes.
struct Report: Sendable {
    /// The benchmarks that the report has a row for, in order.
    let benchmarks: [Benchmark]
    let outcomes: [BenchmarkResult]
    let machine: String
    /// What limits a figure, written by people, by the benchmark's number.
    let limits: [Int: String]
    /// File name of the chart, as seen from the report.
    let chart: String
    /// File name of the raw numbers.
    let raw: String
    /// Other pictures: what they show, and their file names.
    var pictures: [(title: String, file: String)] = []

    var text: String {
        var parts = [head, overview]
        parts += pictures.map { "![\($0.title)](\($0.file))" }
        if let capacity = Capacity(outcomes) { parts.append(capacity.text) }
        for benchmark in benchmarks { parts.append(section(benchmark)) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var head: String {
        """
        # Benchmarks

        Written by `bin/bench`; every figure is measured on one machine that also runs PostgreSQL and the source. A figure is the median of its
        rounds; product and yardstick take turns within a round, and a ratio is the median of the rounds' ratios. [Raw numbers](\(raw)).

        **Machine:** \(machine).

        ![Each figure beside its goal](\(chart))
        """
    }

    private var overview: String {
        var lines = [
            "| # | Benchmark | Goal | Reach | Figure | Min – max | |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        ]
        for benchmark in benchmarks {
            for goal in benchmark.goals { lines.append(row(goal, of: benchmark)) }
        }
        return lines.joined(separator: "\n")
    }

    private func row(_ goal: Goal, of benchmark: Benchmark) -> String {
        let outcome = outcomes.first { $0.number == benchmark.number }
        let reach = "\(goal.comparison.rawValue) \(withUnit(goal.limit, goal.unit))"
        let start = "| \(benchmark.number) | \(benchmark.name) | \(goal.text) | \(reach) |"
        guard let summary = outcome?.summary(of: goal) else {
            return start
                + " – | – | \(outcome?.failure == nil ? "not measured" : "could not run") |"
        }
        let verdict = goal.isReached(by: summary) ? "reached" : "**not reached**"
        return start + " \(withUnit(summary.median, goal.unit)) |"
            + " \(readable(summary.least)) – \(readable(summary.greatest)) | \(verdict) |"
    }

    private func section(_ benchmark: Benchmark) -> String {
        var parts = ["## \(benchmark.number). \(benchmark.name)", benchmark.sentence]
        if let outcome = outcomes.first(where: { $0.number == benchmark.number }) {
            if let failure = outcome.failure { parts.append("**Could not run:** \(failure)") }
            if !outcome.series.isEmpty { parts.append(table(outcome.series)) }
            if !outcome.notes.isEmpty {
                parts.append(outcome.notes.map { "- \($0)" }.joined(separator: "\n"))
            }
            parts.append(
                "\(outcome.form == Form.full.rawValue ? "Full" : "Short") form, \(outcome.at), commit"
                    + " `\(outcome.commit)`, \(readable(outcome.seconds)) s.")
        } else {
            parts.append("Not measured yet.")
        }
        if let limit = limits[benchmark.number] { parts.append("**What limits it.** \(limit)") }
        return parts.joined(separator: "\n\n")
    }

    private func table(_ series: [Series]) -> String {
        var lines = ["| Figure | Median | Min – max | Rounds |", "| --- | ---: | ---: | ---: |"]
        for one in series {
            guard let summary = one.summary else { continue }
            lines.append(
                "| \(one.name) | \(withUnit(summary.median, one.unit)) |"
                    + " \(readable(summary.least)) – \(readable(summary.greatest)) |"
                    + " \(summary.count) |")
        }
        return lines.joined(separator: "\n")
    }
}

/// `2.31 ms`, `0.842 ×`, `12`.
func withUnit(_ number: Double, _ unit: String) -> String {
    unit.isEmpty ? readable(number) : "\(readable(number)) \(unit)"
}
