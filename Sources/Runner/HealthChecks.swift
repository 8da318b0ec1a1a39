public import JobFiles
public import JobQueue
public import Telemetry

/// What a worker may spend on one check.
private let patience = Duration.seconds(5)

/// Logs what the files' checks find; a clean table is not spoken of.
///
/// A worker does it when it starts, and one of them each day. No check is waited for longer than a few seconds.
public func logHealth(_ queue: Queue, files: [JobFile], _ log: Log) async {
    for check in files.flatMap(\.health) {
        guard !Task.isCancelled else { return }
        let count = try? await queue.countDuplicates(
            in: check.table, by: check.by, first: 1, deadline: .now + patience)
        guard let count, count.values > 0 else { continue }
        log.emit(
            .duplicatesFound(
                Subject(), table: check.table, columns: check.by, values: count.values,
                rows: count.rows))
    }
}
