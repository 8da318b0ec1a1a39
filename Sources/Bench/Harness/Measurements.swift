import JSON
import Synchronization

/// What a benchmark has measured so far; safe to write to from any task.
final class Measurements: Sendable {
    struct Contents: Sendable {
        /// In the order of their first samples.
        var series: [Series] = []
        /// Sentences for the report.
        var notes: [String] = []
        /// What explains the figures: latencies, plans, settings.
        var extras: [JSONMember] = []
    }

    private let state = Mutex(Contents())

    var contents: Contents { state.withLock { $0 } }

    /// Adds a sample; the n-th samples of product and yardstick make the n-th ratio.
    func record(_ name: String, _ value: Double, _ unit: String) {
        state.withLock { contents in
            if let index = contents.series.firstIndex(where: { $0.name == name }) {
                contents.series[index].values.append(value)
            } else {
                contents.series.append(Series(name: name, unit: unit, values: [value]))
            }
        }
    }

    /// Adds a sentence to the report, once.
    func remark(_ sentence: String) {
        state.withLock { contents in
            if !contents.notes.contains(sentence) { contents.notes.append(sentence) }
        }
    }

    /// Keeps raw numbers for the JSON.
    func keep(_ name: String, _ value: JSONValue) {
        state.withLock { $0.extras.append(JSONMember(name, value)) }
    }
}
