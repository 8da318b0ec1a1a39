import JobFiles
import JobQueue
import Reading
import Telemetry

/// What is told of records that do not become rows: once a run each, and not again while the runs of a
/// job find the same.
final class RecordWarnings {
    private let subject: Subject
    private let log: Log
    private var toldTypes: Set<String> = []
    /// Entities whose incompatible records were told.
    private var toldIncompatible: Set<String> = []
    /// Entities of which a remark was told.
    private var toldRemarks: Set<String> = []
    /// Entities and fields of which unread values were told.
    private var toldUnread: Set<String> = []
    /// By entity, the first field that did not fit a record.
    private var misfits: [String: String] = [:]

    init(_ subject: Subject, _ log: Log) {
        self.subject = subject
        self.log = log
    }

    /// Tells of types that are ignored, and of the first incompatible records of an entity.
    ///
    /// `isKnown`: its checkpoint says already that it has such records.
    func tell(of batch: RecordBatch, entity: String, isKnown: Bool) {
        for type in batch.foreignTypes.subtracting(toldTypes).sorted() {
            toldTypes.insert(type)
            log.emit(.recordsIgnored(subject, entity: entity, type: type))
        }
        if let misfit = batch.misfit { misfits[entity] = misfits[entity] ?? misfit }
        let incompatible = batch.counts.skippedIncompatible - batch.failures.count
        guard incompatible > 0, toldIncompatible.insert(entity).inserted, !isKnown else { return }
        log.emit(
            .recordsIncompatible(
                subject, entity: entity, incompatible: incompatible,
                fetched: batch.counts.fetched, field: batch.misfit ?? ""))
    }

    /// Tells of fields of which values could not be read.
    func tellUnread(
        _ unread: [String: UnreadValues], _ entity: String, known: [String: UnreadValues]
    ) {
        for (field, values) in unread.sorted(by: { $0.key < $1.key })
        where known[field] == nil && toldUnread.insert("\(entity).\(field)").inserted {
            switch values.kind {
            case .unread:
                log.emit(
                    .valuesUnread(
                        subject, entity: entity, field: field, count: values.count,
                        example: values.example))
            case .cut:
                log.emit(
                    .listCut(subject, entity: entity, field: field, sign: values.example))
            case .rounded:
                log.emit(
                    .valuesRounded(
                        subject, entity: entity, field: field, count: values.count,
                        example: values.example))
            case .absent:
                log.emit(
                    .fieldAbsent(subject, entity: entity, field: field, records: values.count))
            }
        }
    }

    /// Tells of a record that is stored and yet not as it should be; false: it is known, and nothing need be kept.
    func tellRemarks(of batch: RecordBatch, _ entity: String, isKnown: Bool) -> Bool {
        guard let remark = batch.remarks.first, !isKnown, toldRemarks.insert(entity).inserted else {
            return false
        }
        log.emit(
            .recordAhead(subject, entity: entity, record: remark.record, reason: remark.reason))
        return true
    }

    /// How a pass ends of which not one record can be read.
    func endOfUnreadable(_ entity: String) -> RunEnd {
        let field =
            misfits[entity].map { "; the first one that does not fit is \"\($0)\"" } ?? ""
        return .failed(
            .incompatible,
            "not one record that the source gave has the fields and types of the job file\(field)")
    }
}
