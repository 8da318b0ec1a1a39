import JobQueue
import Synchronization
import Telemetry

/// Tells the database what the worker's counters have risen by since it last did, for the curves of the pages.
///
/// What could not be told is told the next time; what a worker counts in its last moments and dies with is not told.
final class HistoryTeller: Sendable {
    private struct Key: Hashable {
        var measure: HistoryCount.Measure
        var subject: String
        var detail: String
    }

    private let told = Mutex<[Key: Double]>([:])

    /// Tells what is new; asks nothing of the database when there is nothing.
    func tell(
        _ metrics: Metrics, _ queue: Queue, deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let counted = totals(of: metrics)
        let before = told.withLock { $0 }
        let news = counted.compactMap { key, value -> HistoryCount? in
            let risen = value - (before[key] ?? 0)
            return risen > 0 ? HistoryCount(key.measure, key.subject, key.detail, risen) : nil
        }
        guard !news.isEmpty else { return }
        try await queue.noteHistory(news, deadline: deadline)
        told.withLock { $0 = counted }
    }

    private func totals(of metrics: Metrics) -> [Key: Double] {
        var totals: [Key: Double] = [:]
        for (labels, value) in metrics.totals(of: .runs) {
            let key = Key(measure: .runs, subject: labels[0], detail: labels[1])
            totals[key, default: 0] += value
        }
        for (labels, value) in metrics.totals(of: .sourceRequests) {
            totals[Key(measure: .requests, subject: labels[0], detail: labels[1])] = value
        }
        for (labels, value) in metrics.totals(of: .sourceDuration) {
            totals[Key(measure: .requestSeconds, subject: labels[0], detail: "")] = value
        }
        return totals
    }
}
