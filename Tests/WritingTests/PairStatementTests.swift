import Foundation
import JSON
import JobFiles
import JobQueue
import Reading
import Testing

@testable import Postgres
@testable import Writing

/// Hands the statements that runs make to the runner of interleavings (`bin/chaos --pairs`), which
/// shares no code with the product.
///
/// Where a value belongs to one run, it is a stand-in that the runner knows by its bytes.
@Suite struct PairStatementTests {
    @Test func `the statements of pages, sweeps and pushes can be handed to the runner of pairs`()
        throws
    {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let files = try JobFile.load(directory: "/\(tests)/Chaos/pairs/jobs").get()
        var entities: [JSONMember] = []
        for file in files {
            for entity in file.entities {
                let statements = try StandIns(job: file.name, entity: entity).statements
                entities.append(JSONMember("\(file.name)/\(entity.name)", statements))
            }
        }
        #expect(entities.count >= 3)
        if let path = ProcessInfo.processInfo.environment["JOBRUNNER_PAIR_STATEMENTS"] {
            try JSONValue.object(entities).text.write(
                toFile: path, atomically: true, encoding: .utf8)
        }
    }
}

/// The statements of one entity, with stand-ins for what a run fills in.
private struct StandIns {
    private static let pageNumber = 0x5041_4745
    private static let passNumber = 0x5041_5353
    private static let fullRequest = 0x4655_4C4C
    private static let generation: Int64 = 0x5041_4952_0000_0003
    /// 2026-01-01, when the pass began and what it shows was changed.
    private static let passStartedAt: Int64 = 1_767_225_600_000_000

    private let entity: Entity
    private let claim: Claim

    init(job: String, entity: Entity) {
        self.entity = entity
        claim = Claim(
            userID: 0x5041_4952_0000_0001, name: job, fence: 0x5041_4952_0000_0002,
            nonce: Array(repeating: 0x5A, count: 16))
    }

    var statements: JSONValue {
        get throws {
            var all: [(String, Statement)] = [("hold", claim.holdStatement)]
            let writes = EntityStatements(entity)
            for (name, keys, isEnd) in [
                ("page_first", ["n01", "n02", "n03"], false),
                ("page", ["n04", "n05", "n06"], false),
                ("page_last", ["n04", "n05", "n06"], true),
            ] {
                let batch = batch(keys)
                all.append(
                    (
                        name,
                        writes.upsert.statement(
                            PageWrite(batch, commit(isEnd: isEnd)), for: claim)
                    ))
                all.append(("\(name)_look", writes.upsert.changesAnything(batch, for: claim)))
            }
            for isRepair in [false, true] where entity.sweeps {
                all.append(
                    (
                        isRepair ? "sweep_repair" : "sweep",
                        Sweep(entity, isRepair: isRepair).statement(
                            commit(isEnd: true), for: claim)
                    ))
            }
            if let push = entity.push { all += pushes(PushStatements(entity, push)) }
            return .object(try all.map { JSONMember($0.0, try $0.1.described) })
        }
    }

    private func pushes(_ statements: PushStatements) -> [(String, Statement)] {
        let row = UnsentRow(
            values: values("KEY", tag: "OLD-TAG", body: "SENT"), version: "VERSION",
            recordName: "NAME", changeTag: "OLD-TAG", isDeleted: false)
        let user = claim.userID
        return [
            ("push_read", statements.take(after: nil, limit: 200, userID: user)),
            (
                "saved",
                statements.saved(
                    [(row, AnsweredRecord(tag: "TAG", modifiedAt: Self.passStartedAt, row.values))],
                    user)
            ),
            (
                "saved_otherwise",
                statements.saved(
                    [
                        (
                            row,
                            AnsweredRecord(
                                tag: "TAG", modifiedAt: Self.passStartedAt,
                                values("KEY", tag: "TAG", body: "REMOTE"))
                        )
                    ], user)
            ),
            ("removed", statements.removed([row], .editsGiveWay, claim)),
            ("gone", statements.removed([row], .editsStay, claim)),
            (
                "replaced",
                statements.replaced(
                    [(row, RemoteRecord(values("KEY", tag: "TAG", body: "REMOTE")))], claim)
            ), ("refused", statements.refused([(row, "REFUSED", .growing)], user)),
        ]
    }

    private func batch(_ keys: [String]) -> RecordBatch {
        var batch = RecordBatch(
            entity, rows: keys.map { values($0, tag: "page-\($0)", body: "of the page") })
        batch.counts.fetched = keys.count
        return batch
    }

    private func commit(isEnd: Bool) -> PageCommit {
        var position = PassPosition()
        position.generation = Self.generation
        position.pageNumber = Self.pageNumber
        position.passNumber = Self.passNumber
        position.passKind = .full
        position.passStartedAt = Self.passStartedAt
        position.cursor = isEnd ? nil : "next"
        position.watermark = isEnd ? "2026-01-01T00:00:00Z" : nil
        position.fullRequest = Self.fullRequest
        return PageCommit(entity: entity.name, position, isEnd: isEnd)
    }

    private func values(_ key: String, tag: String, body: String) -> [FieldValue?] {
        entity.records.fields.map { field in
            if entity.records.key.contains(field.name) || field.name == entity.recordNameColumn {
                return .text(key)
            }
            if field.name == entity.changeTagColumn { return .text(tag) }
            return switch field.kind {
            case .text, .url: .text(body)
            case .timestamp: .timestamp(Self.passStartedAt)
            default: nil
            }
        }
    }
}

extension Statement {
    /// The text, and for each bind its type and its bytes in hexadecimal.
    fileprivate var described: JSONValue {
        get throws {
            let encoded = try EncodedBinds(binds)
            let values = zip(encoded.oids, encoded.spans).map { oid, span in
                JSONValue.object([
                    JSONMember("type", .number(String(oid))),
                    JSONMember(
                        "hex",
                        span.map { span in
                            .string(encoded.bytes[span].map { String(format: "%02x", $0) }.joined())
                        } ?? .null),
                ])
            }
            return .object([
                JSONMember("sql", .string(sql)), JSONMember("binds", .array(Array(values))),
            ])
        }
    }
}
