import Foundation
import JSON
import Testing

@Suite struct AgainstTests {
    /// The shop's orders as a synced store, in a folder of their own.
    private func write(_ folder: String, _ changes: [(String, String)], _ home: Installation)
        throws -> String
    {
        var text = shopFiles["orders", default: ""] + "stores:\n  shop_order: { kind: synced }\n"
        for (old, new) in changes { text = text.replacingOccurrences(of: old, with: new) }
        let path = home.folder.appendingPathComponent(folder)
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        return try home.write("\(folder)/orders.yaml", text, mode: 0o644)
    }

    @Test func `PO11 a file that only adds to a synced store is fine against what it was`()
        async throws
    {
        try await Installation.with(migrated: false) { home in
            let old = try write("old", [], home)
            let field = "        id: { at: id, type: text, required: true }"
            let new = try write(
                "new", [(field, field + "\n        note: { at: note, type: text }")], home)
            let words = "1 file, no mistakes, nothing lost\n"
            #expect(try await home.ok("validate \(new) --against \(old)") == words)
            #expect(
                try await home.ok("validate \(new) --against \(home.folder.path)/old") == words)
        }
    }

    @Test func `PO11 what a synced store would lose is a line each, and exit code 65`() async throws
    {
        try await Installation.with(migrated: false) { home in
            let field = "        id: { at: id, type: text, required: true }"
            let more =
                field + "\n        note: { at: note, type: text }"
                + "\n        price: { at: price, type: int }"
            let old = try write("old", [(field, more)], home)
            let new = try write(
                "new", [(field, field + "\n        price: { at: price, type: text }")], home)
            let ran = try await home.run("validate \(new) --against \(old)")
            #expect(ran.code == 65)
            #expect(ran.output == "")
            #expect(ran.errorLines.count == 2, "\(ran.errors)")
            #expect(ran.errorLines.allSatisfy { $0.hasPrefix(new + ":") })
            #expect(
                ran.errors.contains("column \"note\" of the synced store \"shop_order\" is gone"))
            #expect(ran.errors.contains("was int and must stay that, not text"))
            let json = try await home.json("validate \(new) --against \(old)")
            #expect(json.elements?.count == 2)
        }
    }

    /// A field of each app that a next version of its file might lose: the file, the line, its column.
    private static let fields = [
        ("metube/status", "        playback_position:", "playback_position", "watched_status"),
        ("luego/refresh", "        is_favorite:", "is_favorite", "article"),
        ("popcorn/refresh", "        media_type:", "media_type", "search_history"),
    ]

    @Test(arguments: Self.fields)
    func `OW11 a column that a user's own data would lose is named, for every app`(
        _ file: String, _ line: String, _ column: String, _ table: String
    ) async throws {
        try await Installation.with(migrated: false) { home in
            let shipped = packageFolder.appendingPathComponent("jobs/\(file).yaml")
            let lines = try String(contentsOf: shipped, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            // Its rule of merging goes with the field.
            let less = lines.filter { !$0.hasPrefix(line) && !$0.contains("  \(column): or") }
            #expect(less.count < lines.count)
            let new = try home.write("next.yaml", less.joined(separator: "\n"), mode: 0o644)
            let ran = try await home.run("validate \(new) --against \(shipped.path)")
            #expect(ran.code == 65)
            #expect(
                ran.errors.contains(
                    "column \"\(column)\" of the synced store \"\(table)\" is gone"),
                "\(ran.errors)")
        }
    }

    @Test func `PO11 migrate refuses what a synced store would lose, and changes nothing`()
        async throws
    {
        try await Installation.with(migrated: false) { home in
            _ = try write("old", [], home)
            let migrated = try await home.run(
                "migrate", ["JOBRUNNER_JOBS": home.folder.path + "/old"])
            #expect(migrated.code == 0, "\(migrated.errors)")
            let before = try await home.fingerprint()
            let field = "        id: { at: id, type: text, required: true }"
            _ = try write(
                "new",
                [
                    (field, field.replacingOccurrences(of: "id:", with: "number:")),
                    ("[id]", "[number]"),
                ], home)
            let ran = try await home.run("migrate", ["JOBRUNNER_JOBS": home.folder.path + "/new"])
            #expect(ran.code == 65)
            #expect(ran.errors.contains("may only be added to"), "\(ran.errors)")
            #expect(try await home.fingerprint() == before)
        }
    }
}
