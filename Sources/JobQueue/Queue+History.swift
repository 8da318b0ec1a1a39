import Postgres

/// Something that a worker has counted, for the curves of the pages.
public struct HistoryCount: Sendable, Equatable {
    /// What was counted, a measure of view `history`.
    public enum Measure: String, Sendable, CaseIterable {
        case runs, requests
        case requestSeconds = "request_seconds"
    }

    /// What was counted.
    public var measure: Measure
    /// The job or the source.
    public var subject: String
    /// The outcome or the class of answers.
    public var detail: String
    /// How much it was.
    public var value: Double

    /// A count.
    public init(_ measure: Measure, _ subject: String, _ detail: String, _ value: Double) {
        self.measure = measure
        self.subject = subject
        self.detail = detail
        self.value = value
    }
}

extension Queue {
    /// Adds to the history what a worker has counted since it last did.
    public func noteHistory(
        _ counts: [HistoryCount], deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let statement = Statement(
            "select jobrunner.note_history($1, $2, $3, $4)",
            .textArray(counts.map(\.measure.rawValue)), .textArray(counts.map(\.subject)),
            .textArray(counts.map(\.detail)), .doubleArray(counts.map(\.value)))
        try await call(statement, deadline: deadline) { _ in }
    }
}
