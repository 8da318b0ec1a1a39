/// The form in which a scraper wants its text.
public enum MetricFormat: Sendable, Equatable {
    /// OpenMetrics 1.0, which Prometheus asks for.
    case openMetrics
    /// The text format that came before it.
    case plain

    /// What an `Accept` header asks for; nil when there is none.
    public init(accept: String?) {
        self = accept?.contains("application/openmetrics-text") == true ? .openMetrics : .plain
    }

    /// The `Content-Type` of the text.
    public var contentType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .plain: "text/plain; version=0.0.4; charset=utf-8"
        }
    }

    /// A scrape: each family that has a sample with its type and its help.
    public func text(_ samples: [MetricSample]) -> String {
        var text = ""
        let byFamily = Dictionary(grouping: samples, by: \.family)
        for family in MetricFamily.allCases {
            guard let samples = byFamily[family] else { continue }
            let name = describedName(family)
            text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(typeWord(family))\n"
            for sample in samples { text += sample.line + "\n" }
        }
        return self == .openMetrics ? text + "# EOF\n" : text
    }

    /// OpenMetrics describes a counter without its `_total`, and an info without its `_info`.
    private func describedName(_ family: MetricFamily) -> String {
        let suffix =
            switch (self, family.kind) {
            case (.openMetrics, .counter): "_total"
            case (.openMetrics, .info): "_info"
            default: ""
            }
        return String(family.rawValue.dropLast(suffix.utf8.count))
    }

    private func typeWord(_ family: MetricFamily) -> String {
        self == .plain && family.kind == .info ? "gauge" : family.kind.rawValue
    }
}
