import FakeSource
import Foundation
import HTTP
import Testing

/// A job of a source that runs beside the test, with token pages of 25 and a full pass that sweeps.
func itemsFile(port: UInt16, page: String = "style: token, token_at: next_token, size: 25")
    -> String
{
    """
    version: 1
    job: demo.items
    schedule: { every: 5m, deadline: 30s }
    source: { id: demo, base: "http://127.0.0.1:\(port)", retry: { attempts: 1 } }
    entities:
      - entity: item
        request:
          path: /generic/{user.demo_id}/token
          query: { since: "{since}", cursor: "{page.token}", limit: "{page.size}" }
        page: { \(page) }
        incremental: { watermark: max_seen, full_every: 24h }
        records:
          at: items[]
          key: [item_id]
          fields:
            item_id: { at: id, type: text, required: true }
            name: { at: name, type: text }
            updated_at: { at: updated_at, type: timestamp, required: true }
        write:
          table: demo_item
          mode: newest_wins
          newer_by: updated_at
          deletes: { sweep: after_full_pass, max_fraction: 1 }

    """
}

extension Installation {
    /// Runs the body with the items of user-000001 at a source, and ann who syncs them.
    static func withSource(
        _ body: (Installation, FakeSourceServer) async throws -> Void
    ) async throws {
        var options = FakeSourceOptions()
        options.users = 2
        options.videosMin = 60
        options.videosMax = 60
        let source = try FakeSourceServer(options)
        defer { source.stop() }
        try await with { installation in
            try await TestDatabase.makeScratch(beside: installation.url)
            _ = try installation.write(
                "jobs/shop/items.yaml", itemsFile(port: source.port), mode: 0o644)
            let migrated = try await installation.run("migrate")
            try #require(migrated.code == 0, "\(migrated.errors)")
            try await installation.ok("tenant add acme --job demo.items")
            try await installation.ok("user add ann --tenant acme --set demo_id=user-000001")
            try await body(installation, source)
        }
    }

    /// Sends a command to the source.
    func command(_ source: FakeSourceServer, _ path: String, _ body: String) async throws {
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let response = try await client.send(
            HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(source.port)/_control/\(path)",
                body: Array(body.utf8)), deadline: .now + .seconds(10))
        try #require(
            response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    }
}
