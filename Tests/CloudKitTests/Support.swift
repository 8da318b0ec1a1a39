import HTTP
import JSON
import JobQueue
import Reading
import Secrets

@testable import Asking
@testable import CloudKit
@testable import JobFiles

/// 2026-01-02T03:04:05Z, the second of the reference's vector.
let vectorSeconds = 1_767_323_045

/// A dialect whose requests a server's key signs.
func serverDialect() -> CloudKitDialect {
    CloudKitDialect(
        address: address(.public),
        authentication: .cloudkitServer(
            keyID: Template(pieces: [.placeholder(.secret("key_id"))]),
            privateKey: Template(pieces: [.placeholder(.secret("key"))])))
}

/// A dialect whose requests act for a user.
func userDialect(rotates: Bool = true) -> CloudKitDialect {
    CloudKitDialect(
        address: address(.private),
        authentication: .cloudkitUser(
            apiToken: Template(pieces: [.placeholder(.secret("api"))]), webAuthToken: "web",
            rotates: rotates))
}

func address(_ database: CloudKitAddress.Database) -> CloudKitAddress {
    CloudKitAddress(
        container: "iCloud.com.example.app", environment: .development, database: database)
}

/// Opened secrets.
func secrets(_ values: [String: String]) -> SourceSecrets {
    var opened = Values(attributes: .object([]), now: 0)
    opened.secrets = values.mapValues { SecretValue(Array($0.utf8)) }
    return SourceSecrets(opened)
}

/// An entity that reads, and perhaps writes, the given place.
func entity(_ operation: CloudKitOperation?, pushType: String? = nil) throws -> Entity {
    let text = """
        version: 1
        job: app.refresh
        schedule: { every: 1h, deadline: 5m }
        source: { id: ck, base: "https://ck.example" }
        entities:
          - entity: status
            request: { path: /x }
            page: { style: single }
            records:
              at: "records[]"
              key: [id]
              fields: { id: { at: id, type: text, required: true } }
            write: { table: status, mode: overwrite }
        """
    var entity = try JobFile.parse(text, file: "test.yaml").get().entities[0]
    entity.cloudkit = operation
    entity.push = pushType.map { type in
        Push(
            batch: 200, recordType: type, recordName: Template(pieces: []),
            operation: .createOrUpdateWithTag, resolution: .newestWins, conflictRounds: 2,
            sendsDeletes: true, debounce: nil)
    }
    return entity
}

/// The change feed of section 5.4.
let watchedZone = CloudKitOperation.zoneChanges(
    zone: "WatchedStatusZone", recordTypes: .only(["WatchedStatus"]))

/// A query as in section 5.1.
func query(_ type: String) -> CloudKitOperation {
    .query(CloudKitQuery(type: type, since: nil, filters: [], sort: []))
}

func document(_ text: String) throws -> JSONDocument {
    try JSONDocument(parsing: Array(text.utf8))
}

/// An answer, and its body as a document when it is one.
func answer(
    _ status: Int, _ body: String = "", headers: [(String, String)] = []
) -> (HTTPResponse, JSONDocument?) {
    let response = HTTPResponse(
        status: status, headers: headers.map { HTTPHeader($0.0, $0.1) }, body: Array(body.utf8))
    return (response, try? document(body))
}

extension CloudKitDialect {
    func failure(
        _ answer: (HTTPResponse, JSONDocument?), asked body: String? = nil
    ) -> SourceFailure? {
        let request = HTTPRequest(
            method: "POST", url: "https://ck.example/records/query", headers: [],
            body: body.map { Array($0.utf8) })
        return failure(in: answer.0, answer.1, to: request)
    }
}
