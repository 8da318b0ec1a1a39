import Foundation
import Testing

@testable import Telemetry

@Suite struct MetricTests {
    @Test func `counters and histograms are told with their labels, each family once`() {
        let metrics = Metrics()
        metrics.add(to: .runs, "shop.orders", "complete", "")
        metrics.add(2, to: .runs, "shop.orders", "complete", "")
        metrics.add(to: .runs, "shop.orders", "failed", "rejected")
        metrics.add(0, to: .runs, "shop.orders", "partial", "")
        metrics.observe(.milliseconds(30), in: .claimDuration)
        metrics.observe(.seconds(7), in: .claimDuration)
        let lines = MetricFormat.plain.text(metrics.samples()).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("# TYPE") }.count == 2)
        #expect(lines.contains("# TYPE jobrunner_runs_total counter"))
        #expect(
            lines.contains(
                #"jobrunner_runs_total{job="shop.orders",outcome="complete",error_kind=""} 3"#))
        #expect(!lines.contains { $0.contains("partial") })
        #expect(lines.contains(#"jobrunner_claim_duration_seconds_bucket{le="0.025"} 0"#))
        #expect(lines.contains(#"jobrunner_claim_duration_seconds_bucket{le="0.05"} 1"#))
        #expect(lines.contains(#"jobrunner_claim_duration_seconds_bucket{le="+Inf"} 2"#))
        #expect(lines.contains("jobrunner_claim_duration_seconds_sum 7.03"))
        #expect(lines.contains("jobrunner_claim_duration_seconds_count 2"))
    }

    @Test func `OpenMetrics names a counter without its suffix, and has an end`() {
        let samples = [
            MetricSample(.buildInfo, ["1"], 1), MetricSample(.runs, ["j", "o", ""], 1),
        ]
        let text = MetricFormat.openMetrics.text(samples)
        #expect(
            text.contains("# TYPE jobrunner_build info\njobrunner_build_info{version=\"1\"} 1\n"))
        #expect(text.contains("# TYPE jobrunner_runs counter\njobrunner_runs_total{"))
        #expect(text.hasSuffix("\n# EOF\n"))
        #expect(
            MetricFormat(accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
                == .openMetrics)
        #expect(MetricFormat(accept: "text/plain") == .plain)
        #expect(MetricFormat(accept: nil) == .plain)
    }

    @Test func `a label's value can end neither itself nor its line`() {
        let sample = MetricSample(.buildInfo, ["a\"b\\c\nd\u{1b}"], 1)
        #expect(
            MetricFormat.plain.text([sample]).contains(
                #"jobrunner_build_info{version="a\"b\\c\nd"} 1"#))
    }

    @Test func `more series than a family may have are added up as other`() {
        let metrics = Metrics()
        for number in 1...2010 { metrics.add(to: .sourceRequests, "s\(number)", "2xx") }
        let samples = metrics.samples()
        #expect(samples.count == 2001)
        #expect(
            samples.contains(MetricSample(.sourceRequests, ["other", "other"], 10)))
    }

    @Test
    func `names follow the rules: base units, _total for what only rises, no user in a label`() {
        for family in MetricFamily.allCases {
            let name = family.rawValue
            #expect(name.hasPrefix("jobrunner_") || name.hasPrefix("process_"))
            #expect(name.hasSuffix("_total") == (family.kind == .counter), "\(name)")
            #expect((family.kind == .histogram) == !family.buckets.isEmpty)
            if family.kind == .histogram { #expect(name.hasSuffix("_seconds")) }
            #expect(!family.labels.contains { $0.contains("user") })
            #expect(family.help.hasSuffix("."))
            #expect(family.buckets == family.buckets.sorted())
        }
    }
}

/// The manual's list of metrics is made of `MetricFamily`; `JOBRUNNER_REFRESH_SNAPSHOT=1` makes it anew.
@Suite struct MetricManualTests {
    private var manual: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/operating/metrics.md")
    }

    private var table: String {
        let rows = MetricFamily.allCases.map { family in
            let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
            return
                "| `\(family.rawValue)` | \(family.kind.rawValue) | \(labels) | \(family.help) |\n"
        }
        return "<!-- metrics -->\n| Metric | Kind | Labels | |\n| --- | --- | --- | --- |\n"
            + rows.joined() + "<!-- end -->\n"
    }

    @Test func `the manual lists each metric with its kind, its labels and what it tells`() throws {
        var text = try String(contentsOf: manual, encoding: .utf8)
        if ProcessInfo.processInfo.environment["JOBRUNNER_REFRESH_SNAPSHOT"] == "1" {
            let begin = try #require(text.range(of: "<!-- metrics -->\n"))
            let end = try #require(
                text.range(of: "<!-- end -->\n", range: begin.upperBound..<text.endIndex))
            text.replaceSubrange(begin.lowerBound..<end.upperBound, with: table)
            try text.write(to: manual, atomically: true, encoding: .utf8)
        }
        #expect(text.contains(table))
    }
}
