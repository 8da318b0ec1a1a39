/// One benchmark: what it shows, what it must reach, and what takes its samples.
struct Benchmark: Sendable {
    /// As in the table of docs/evidence/BENCHMARKS.md.
    let number: Int
    /// The word on the command line.
    let name: String
    /// What is measured, one sentence.
    let sentence: String
    let goals: [Goal]
    /// Puts samples into the context's measurements; what was put there before an error is kept.
    let measure: @Sendable (BenchmarkContext) async throws -> Void
}

/// A figure and what it must reach.
struct Goal: Sendable, Equatable {
    enum Comparison: String, Sendable { case atLeast = "≥", atMost = "≤" }

    /// What the figure says, for a row of the report.
    let text: String
    /// The series of the measurements that is judged by its median.
    let series: String
    /// Divided by this one, round by round, before the median is taken; nil means as it is.
    let yardstick: String?
    let comparison: Comparison
    let limit: Double
    /// Of the figure; `×` for a ratio.
    let unit: String
    /// No round may miss it.
    let inEachRound: Bool

    /// The median of a series; with `inEachRound` its worst sample must reach the limit.
    static func figure(
        _ text: String, _ series: String, _ comparison: Comparison, _ limit: Double, _ unit: String,
        inEachRound: Bool = false
    ) -> Goal {
        Goal(
            text: text, series: series, yardstick: nil, comparison: comparison, limit: limit,
            unit: unit, inEachRound: inEachRound)
    }

    /// The median of the rounds' ratios of a series to its yardstick.
    static func ratio(
        _ text: String, _ series: String, to yardstick: String, _ comparison: Comparison,
        _ limit: Double
    ) -> Goal {
        Goal(
            text: text, series: series, yardstick: yardstick, comparison: comparison, limit: limit,
            unit: "×", inEachRound: false)
    }

    func isReached(by summary: Summary) -> Bool {
        isReached(by: deciding(summary))
    }

    /// What of a series is judged.
    func deciding(_ summary: Summary) -> Double {
        guard inEachRound else { return summary.median }
        return comparison == .atMost ? summary.greatest : summary.least
    }

    func isReached(by figure: Double) -> Bool {
        switch comparison {
        case .atLeast: figure >= limit
        case .atMost: figure <= limit
        }
    }

    /// 1 is the goal, more is better.
    func score(of figure: Double) -> Double {
        switch comparison {
        case .atLeast: limit > 0 ? figure / limit : 1
        case .atMost: figure > 0 ? limit / figure : .infinity
        }
    }
}
