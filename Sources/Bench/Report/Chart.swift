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

    // Widths and heights in pixels; bars end at twice the goal.
    private static let labelWidth = 330
    private static let barWidth = 300
    private static let figureWidth = 210
    private static let rowHeight = 24
    private static let scoreMax = 2.0

    /// The picture; its colours follow the reader's choice of light or dark.
    var svg: String {
        let width = Self.labelWidth + Self.barWidth + Self.figureWidth
        let height = Self.rowHeight * (bars.count + 2)
        let goal = Self.labelWidth + Int(Double(Self.barWidth) / Self.scoreMax)
        let rows = bars.enumerated().map { row($1, at: Self.rowHeight * ($0 + 1)) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-label="Figures beside their goals">
            <style>
            text { font: 12px system-ui, sans-serif; fill: #24292f }
            .page { fill: #ffffff } .met { fill: #2da44e } .missed { fill: #d4762c } .goal { stroke: #57606a }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 } .page { fill: #0d1117 } .met { fill: #3fb950 } .missed { fill: #e3893f }
            .goal { stroke: #8b949e }
            }
            </style>
            <rect class="page" width="\(width)" height="\(height)"/>
            <text x="\(goal)" y="16" text-anchor="middle">goal</text>
            \(rows.joined(separator: "\n"))
            <line class="goal" x1="\(goal)" x2="\(goal)" y1="20" y2="\(height - Self.rowHeight + 4)" \
            stroke-dasharray="4 3"/>
            </svg>

            """
    }

    private func row(_ bar: Bar, at top: Int) -> String {
        let score = min(max(bar.score ?? 0, 0), Self.scoreMax)
        let width = Int(score / Self.scoreMax * Double(Self.barWidth))
        let word = (bar.score ?? 0) >= 1 ? "met" : "missed"
        let x = Self.labelWidth
        return """
            <text x="\(x - 8)" y="\(top + 16)" text-anchor="end">\(escaped(bar.label))</text>
            <rect class="\(word)" x="\(x)" y="\(top + 4)" width="\(width)" height="16"/>
            <text x="\(x + Self.barWidth + 8)" y="\(top + 16)">\(escaped(bar.figure))</text>
            """
    }
}

private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
}
