import Basics
import JSON
import JobFiles
import Postgres

/// Reads the secrets that an entity's records bring.
struct BroughtSecretReader: Sendable {
    /// Records of one page that bring secrets: each secret is sought in every text that leaves the run.
    static let recordsMax = 100

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
    ///
    /// Throws `PageError` where more records bring one than a page's may.
    func values(of records: [FoundValue], _ tree: JSONTree) throws -> Set<[UInt8]> {
        var values: Set<[UInt8]> = []
        var bringing = 0
        for record in records {
            let brought = secrets.compactMap { text($0.field, record, tree) }
            if brought.isEmpty { continue }
            bringing += 1
            guard bringing <= Self.recordsMax else {
                throw PageError.malformed(
                    "more than \(Self.recordsMax) records of the page bring a secret; a smaller page.size has less"
                )
            }
            values.formUnion(brought)
        }
        return values
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
