import JSON
import Postgres
import Secrets

extension World {
    /// A job file over one of the generic endpoints.
    static func generic(
        _ path: String, page: String, query: String = "", mode: String = "overwrite",
        source: String = "", incremental: String = "", schedule: String = "",
        fields: String = standardFields, deadline: String = "10m",
        conditional: Bool = false
    ) -> String {
        """
        version: 1
        job: generic.items
        schedule: { every: 1h, deadline: \(deadline)\(schedule) }
        source:
          id: generic
          base: http://127.0.0.1:1
          timeout: 10s
          retry: { attempts: 3, first: 10ms }
        \(indented(source, by: 2))
        entities:
          - entity: item
        \(conditional ? "    conditional: true" : "")
            request:
              path: /generic/{user.hub_user_id}/\(path)
              query: { \(query.isEmpty ? "" : query + ", ")limit: "{page.size}" }
            page: { \(page) }
        \(indented(incremental, by: 4))
            records:
              at: "items[]"
              key: [id]
              fields:
        \(indented(fields, by: 8))
            write: { table: generic_item, mode: \(mode) }
        """.split(separator: "\n").joined(separator: "\n")
    }

    /// A job file whose requests the source keeps whole in its log and answers as a test says, by `answerNext`.
    static func heard(
        request: String, page: String, parts: String = "", source: String = "",
        write: String = "mode: overwrite", at: String = "items[]",
        fields: String = standardFields, records: String = "", schedule: String = ""
    ) -> String {
        """
        version: 1
        job: generic.items
        schedule: { every: 1h, deadline: 10m\(schedule) }
        source:
          id: generic
          base: http://127.0.0.1:1
          timeout: 10s
          retry: { attempts: 1 }
        \(indented(source, by: 2))
        entities:
          - entity: item
            request:
        \(indented(request, by: 6))
            page: { \(page) }
        \(indented(parts, by: 4))
            records:
              at: "\(at)"
        \(indented(records, by: 6))
              key: [id]
              fields:
        \(indented(fields, by: 8))
            write: { table: generic_item, \(write) }
        """.split(separator: "\n").joined(separator: "\n")
    }

    static let standardFields = """
        id: { at: id, type: text, required: true }
        seq: { at: seq, type: int, required: true }
        updated_at: { at: updated_at, type: timestamp }
        name: { at: name, type: text }
        value: { at: value, type: double }
        """

    private static func indented(_ text: String, by count: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: count) + $0 }
            .joined(separator: "\n")
    }

    /// The source gives these answers to its next requests, in order.
    func answerNext(_ bodies: String..., headers: String = "{}") async throws {
        for body in bodies {
            let text = JSONValue.string(body).text
            try await source.fault(
                #"{"kind": "status", "status": 200, "headers": \#(headers), "body": \#(text)}"#)
        }
    }

    /// What the source was asked, in order: `query`, or `query body`.
    func heard() async throws -> [String] {
        try await source.log(user: "ann").map { entry in
            [entry.text("query") ?? "", entry.text("body") ?? ""].filter { !$0.isEmpty }
                .joined(separator: " ")
        }
    }

    /// The generic rows of a user equal the source's live records.
    func holdsAllItems(of user: String) async throws -> Bool {
        let expected = try await source.command("GET", "expected?user=\(user)&of=generic")
        let wanted = Set(
            (expected["items"].map { Array($0.elements) } ?? []).compactMap { $0.text("id") })
        let stored = try await rows(
            "select i.id from synced.generic_item as i join jobrunner.users as u on u.id = i.user_id where u.key = $1",
            .text(user))
        return !wanted.isEmpty && Set(stored.compactMap { $0.text("id") }) == wanted
    }
}

/// A key file that holds these bytes, each repeated, as its keys; the newest last.
func testKeeper(_ bytes: UInt8...) throws -> KeyKeeper {
    var keys = try (bytes.isEmpty ? [7] : bytes).map {
        try MasterKey(SecretValue([UInt8](repeating: $0, count: MasterKey.bytesCount)))
    }
    return KeyKeeper(ring: KeyRing(keys.removeLast(), older: keys))
}
