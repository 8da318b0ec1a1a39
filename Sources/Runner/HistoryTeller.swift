import JobQueue
import Postgres
import Synchronization
import Telemetry

/// Tells the database what the worker's counters have risen by since it last did, for the curves of the pages.
///
/// Nothing is told twice: what was on its way when the answer was lost counts as told, and what the database has refused
/// is told the next time. What a worker counts in its last moments and dies with is not told.
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
        // Noted before it is told, so that a second one who tells meanwhile does not tell it, too.
        let (before, counted) = told.withLock { told in
            let before = told
            told = totals(of: metrics)
            return (before, told)
        }
        let news = counted.compactMap { key, value -> HistoryCount? in
            let risen = value - (before[key] ?? 0)
            return risen > 0 ? HistoryCount(key.measure, key.subject, key.detail, risen) : nil
        }
        guard !news.isEmpty else { return }
        do { try await queue.noteHistory(news, deadline: deadline) } catch let error
            as DatabaseError
        {
            if case .server = error.code {
                told.withLock { told in
                    for (key, value) in counted {
                        told[key, default: 0] -= value - (before[key] ?? 0)
                    }
                }
            }
            throw error
        }
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
