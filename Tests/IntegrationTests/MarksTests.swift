import JSON
import Postgres
import Testing

/// What says that a record is deleted is read by its meaning, in lists, in the view of live rows and by a second look.
@Suite struct MarksTests {
    private static let request = "path: /generic/{user.hub_user_id}/heard"

    private static func file(_ write: String, _ fields: String = "") -> String {
        World.heard(
            request: request, page: "style: single", write: "mode: overwrite, \(write)",
            fields: World.standardFields + fields)
    }

    private func item(_ id: Int, _ rest: String = "") -> String {
        #"{"id": "\#(id)", "seq": \#(id), "name": "x", "value": 1, "updated_at": null\#(rest)}"#
    }

    private func list(_ items: String...) -> String {
        #"{"items": [\#(items.joined(separator: ", "))]}"#
    }

    private func ids(_ world: World, _ table: String = "generic_item") async throws -> String? {
        try await world.value("select string_agg(id, ' ' order by id) from synced.\(table)")
    }

    @Test(arguments: ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
    func `a time by which a source writes never deletes nothing and hides nothing`(_ zero: String)
        async throws
    {
        let page = list(
            item(1, #", "gone": "\#(zero)""#), item(2, #", "gone": "2026-01-01T00:00:00Z""#),
            item(3))
        try await withWorld(Self.file("deletes: { flag_at: gone, flag_is: time }")) { world in
            try await world.addUser("ann", videos: 0)
            try await world.answerNext(page)
            try await world.drain()
            #expect(try await ids(world) == "1 3")
        }
        try await withWorld(
            Self.file("deletes: { soft_field: gone }", "\ngone: { at: gone, type: timestamp }")
        ) { world in
            try await world.addUser("ann", videos: 0)
            try await world.answerNext(page)
            try await world.drain()
            #expect(try await ids(world) == "1 2 3")
            #expect(try await ids(world, "generic_item_live") == "1 3")
        }
    }

    @Test(arguments: [
        (#"{"id": "2", "deleted": true}"#, "1", false), (#"{"id": "9"}"#, "1", false),
        ("null", "1", false),
        (#"{"item": {"id": "2"}}"#, "1 2", false), (#"{"status": "ok"}"#, "1 2", true),
    ])
    func `a second look believes what the answer says`(
        _ answer: String, _ left: String, _ isTold: Bool
    ) async throws {
        let deletes =
            #"deletes: { sweep: after_full_pass, confirm: { path: "/generic/{user.hub_user_id}/heard" } }"#
            .replacing("/heard", with: "/heard/{row.id}")
        try await withWorld(Self.file(deletes), videos: 0) { world in
            try await world.answerNext(list(item(1), item(2)))
            try await world.drain()
            // The list, the record that it shows, and the one that it lacks.
            try await world.answerNext(list(item(1)), #"{"id": "1"}"#, answer)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await ids(world) == left)
            #expect(world.lines.all.contains { $0.contains("absence unproven") } == isTold)
            #expect(try await world.troubles("ann") == (isTold ? ["absence_unproven"] : []))
            // It is over as soon as the list has the record again.
            try await world.answerNext(list(item(1), item(2)))
            try await world.runAgain()
            #expect(try await world.troubles("ann") == [])
        }
    }
}
