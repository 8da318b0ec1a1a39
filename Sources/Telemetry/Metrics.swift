import Synchronization

/// Numbers that a process measures: counters and histograms, kept from its start on.
///
/// Labels are the words of job files and of fixed lists, so that their number is bounded: a user's key, an attribute or a
/// text from a source is never one.
public final class Metrics: Sendable {
    /// More series of one family than this are not begun: what comes then is added up under `other`.
    private static let seriesMax = 2_000
    /// The value of every label of what has no series of its own.
    private static let other = "other"

    private struct Histogram {
        var counts: [Int]
        var sum = 0.0
    }

    private struct State {
        var counters: [MetricFamily: [[String]: Double]] = [:]
        var histograms: [MetricFamily: [[String]: Histogram]] = [:]
    }

    private let state = Mutex(State())

    /// Nothing is measured yet.
    public init() {}

    /// Adds to a counter; `labels` are the values of the family's labels, in their order.
    public func add(_ number: Int = 1, to family: MetricFamily, _ labels: String...) {
        guard number > 0 else { return }
        state.withLock { state in
            let series = Self.series(labels, in: state.counters[family]?.keys)
            state.counters[family, default: [:]][series, default: 0] += Double(number)
        }
    }

    /// Begins a counter at 0, so that the first thing it counts is seen as a rise.
    public func begin(_ family: MetricFamily, _ labels: String...) {
        state.withLock { state in
            let series = Self.series(labels, in: state.counters[family]?.keys)
            state.counters[family, default: [:]][series, default: 0] += 0
        }
    }

    /// Puts a span into a histogram; one below zero counts as zero.
    public func observe(_ span: Duration, in family: MetricFamily, _ labels: String...) {
        let seconds = max(0, span / .seconds(1))
        let buckets = family.buckets
        let place = buckets.firstIndex { seconds <= $0 } ?? buckets.count
        state.withLock { state in
            let series = Self.series(labels, in: state.histograms[family]?.keys)
            var histogram =
                state.histograms[family]?[series]
                ?? Histogram(counts: Array(repeating: 0, count: buckets.count + 1))
            histogram.counts[place] += 1
            histogram.sum += seconds
            state.histograms[family, default: [:]][series] = histogram
        }
    }

    private static func series<Known: Collection<[String]>>(
        _ labels: [String], in known: Known?
    ) -> [String] {
        guard let known, known.count >= seriesMax, !known.contains(labels) else { return labels }
        return labels.map { _ in other }
    }

    /// All samples of what was measured, by family and series.
    public func samples() -> [MetricSample] {
        let state = state.withLock { $0 }
        var samples: [MetricSample] = []
        for family in MetricFamily.allCases {
            for (labels, value) in sorted(state.counters[family]) {
                samples.append(MetricSample(family, labels, value))
            }
            for (labels, histogram) in sorted(state.histograms[family]) {
                samples += MetricSample.all(of: family, labels, histogram.counts, histogram.sum)
            }
        }
        return samples
    }

    /// What each series of a counter has counted, or of a histogram has added up.
    public func totals(of family: MetricFamily) -> [[String]: Double] {
        state.withLock { state in
            state.counters[family] ?? state.histograms[family]?.mapValues(\.sum) ?? [:]
        }
    }

    private func sorted<Value>(_ series: [[String]: Value]?) -> [([String], Value)] {
        (series ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            ($0.key, $0.value)
        }
    }
}
