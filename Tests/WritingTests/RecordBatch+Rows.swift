import JobFiles

@testable import Reading

extension RecordBatch {
    /// A batch of rows that are to be written.
    init(_ entity: Entity, rows: [[FieldValue?]]) {
        self.init(entity)
        for row in rows { append(row) }
    }
}
