/// A chart with a bar for each goal: how far its figure is from the goal, which is the line at 1.
struct Chart: Sendable {
    struct Bar: Sendable, Equatable {
        let label: String
        /// What stands beside the bar.
        let figure: String
        /// 1 is the goal, more is better; nil means not measured.
        let score: Double?
    }

    let bars: [Bar]

    /// A bar for each goal, in the order of the report.
    init(_ benchmarks: [Benchmark], _ outcomes: [BenchmarkResult]) {
        bars = benchmarks.flatMap { benchmark in
            let outcome = outcomes.first { $0.number == benchmark.number }
            return benchmark.goals.map { goal in
                let summary = outcome?.summary(of: goal)
                return Bar(
                    label: "\(benchmark.number) \(goal.text)",
                    figure: summary.map {
                        "\(withUnit($0.median, goal.unit)) (\(goal.comparison.rawValue)"
                            + " \(withUnit(goal.limit, goal.unit)))"
                    } ?? "not measured",
                    score: summary.map { goal.score(of: goal.deciding($0)) })
            }
        }
    }

    // Bars end at twice the goal.
    private static let scoreMax = 2.0

    /// The picture.
    var svg: String {
        Bars(
            title: "Figures beside their goals",
            rows: bars.map { bar in
                let score = bar.score ?? 0
                let part = Bars.Part(
                    style: score >= 1 ? .met : .missed,
                    share: min(score, Self.scoreMax) / Self.scoreMax)
                return Bars.Row(label: bar.label, parts: [part], figure: bar.figure)
            }, mark: (1 / Self.scoreMax, "goal")
        ).svg
    }
}
