import Basics
import JSON
import JobFiles
import Postgres

/// Reads the secrets that an entity's records bring.
struct BroughtSecretReader: Sendable {
    private let secrets: [(name: String, field: FieldReader)]

    init(_ records: Records) {
        let isNested = records.at.steps.count { $0 == .each } > 1
        secrets = records.secrets.map { secret in
            (
                secret.name,
                FieldReader(secret.field, isNested: isNested, zone: nil, decides: false)
            )
        }
    }

    /// The records bring none.
    var isEmpty: Bool { secrets.isEmpty }

    /// Every text that stands where a secret does, whatever becomes of its record.
    func values(of records: [FoundValue], _ tree: JSONTree) -> Set<[UInt8]> {
        Set(records.flatMap { record in secrets.compactMap { text($0.field, record, tree) } })
    }

    /// Notes what a record brings that is written or was.
    func read(
        _ record: FoundValue, _ tree: JSONTree, changedAt: Int64?, into batch: inout RecordBatch
    ) {
        for (name, field) in secrets {
            guard field.raw(record, tree) != nil else { continue }
            let bytes = text(field, record, tree)
            // An empty one takes nobody's place.
            if bytes == [] { continue }
            guard let bytes, CredentialForm.line.fault(of: bytes) == nil else {
                // Its beginning would show it.
                batch.addUnread(
                    name, "no line of text, or one of more than \(CredentialForm.bytesMax) bytes")
                continue
            }
            batch.bring(BroughtValue(name: name, bytes: bytes, changedAt: changedAt))
        }
    }

    private func text(
        _ field: FieldReader, _ record: FoundValue, _ tree: JSONTree
    ) -> [UInt8]? {
        var column = BinaryArray(.text)
        guard field.read(record, tree, into: &column) == .read else { return nil }
        return column.withValue(at: 0) { $0.map { Array($0) } }
    }
}
