import JSON
import Postgres
import Testing

/// What is an item's own: its failure before any request, its rows once it is gone, and its age.
extension ItemTests {
    /// The items are those of ann's attribute `ids`; each names a user of the fake source.
    private static func listed(_ more: String = "", type: String = "text") -> String {
        file(write: "mode: overwrite, deletes: { sweep: after_full_pass\(more) }").replacing(
            "for_each: { rows: board, columns: [board_id]",
            with: "for_each: { user: ids, as: board_id"
        ).replacing("each: board_id, type: text", with: "each: board_id, type: \(type)")
    }

    private func list(_ items: [JSONValue], _ world: World) async throws {
        let text = JSONValue.object([JSONMember("ids", .array(items))]).text
        try await world.sql("select jobrunner.set_user('acme', 'ann', $1::jsonb)", .text(text))
    }

    private func failures(_ world: World) async throws -> [String] {
        try await world.rows(
            "select entity || ': ' || last_error as words from jobrunner.checkpoints where last_error is not null order by 1"
        ).compactMap { $0.text("words") }
    }

    @Test func `an item that is too long fails by itself, and the others are read`() async throws {
        try await withBoards(Self.listed()) { world, boards in
            let long = String(repeating: "long", count: 250)
            try await list((boards + [long]).map(JSONValue.string), world)
            for _ in 1...2 {
                try await world.given(.staler("2 hours"), .due(.failed))
                try await world.runAgain()
                #expect(try await stored(world).values.sorted() == [45, 45, 45])
                let failures = try await failures(world)
                #expect(failures.count == 1)
                let failure = try #require(failures.first)
                #expect(failure.hasPrefix("item#") && failure.utf8.count < 200, "\(failure)")
                #expect(failure.hasSuffix("for_each: an item is longer than 1000 bytes"))
            }
            // Its failure goes with it.
            try await list(boards.map(JSONValue.string), world)
            try await world.given(.staler("2 hours"), .due(.failed))
            try await world.runAgain()
            #expect(try await failures(world).isEmpty)
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `an item of another type fails by itself, and the others are read`() async throws {
        try await withBoards(Self.listed(type: "int"), boards: 1) { world, _ in
            for name in ["7", "8"] {
                try await world.source.command(
                    "POST", "users", #"{"id": "\#(name)", "videos": 45, "registered": false}"#)
            }
            try await list([.integer(7), .string("x9"), .integer(8)], world)
            try await world.drain()
            #expect(try await stored(world) == ["7": 45, "8": 45])
            #expect(
                try await failures(world) == [
                    "item#x9: for_each: an item is no int, as field \"board_id\" wants it"
                ])
        }
    }

    @Test func `rows of an item that is gone go whatever max_fraction says of those that are read`()
        async throws
    {
        try await withBoards(Self.listed(", max_fraction: 0.1")) { world, boards in
            try await list(boards.map(JSONValue.string), world)
            try await world.drain()
            try await world.runAgain()
            try await list(boards.dropLast().map(JSONValue.string), world)
            try await world.runAgain()
            // Two looks, as everywhere; the first is nothing for a person.
            #expect(try await stored(world).count == 3)
            #expect(try await world.troubles("ann").isEmpty)
            try await world.runAgain()
            #expect(try await stored(world).count == 2)
            #expect(try await world.troubles("ann").isEmpty)
            let before = try await checkpoints(world)
            #expect(before?.split(separator: ",").count == 2)
        }
    }

    @Test func `an item's own list is judged by max_fraction, though others are gone`()
        async throws
    {
        try await withBoards(Self.listed(", max_fraction: 0.1")) { world, boards in
            try await list(boards.map(JSONValue.string), world)
            for _ in 1...2 { try await world.runAgain() }
            try await world.source.command(
                "POST", "change", #"{"user": "\#(boards[0])", "op": "remove", "count": 20}"#)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await stored(world)[boards[0]] == 45)
            #expect(try await world.troubles("ann") == ["sweep_refused"])
        }
    }

    @Test func `items are as fresh as their job's last complete run, and are not asked for then`()
        async throws
    {
        let file = Self.file().replacing(
            "source:\n", with: "freshness: { soft: 30m, hard: 1h }\nsource:\n")
        try await withBoards(file) { world, boards in
            try await world.drain()
            try await world.given(.due(.waiting))
            try await world.drain()
            for board in boards { #expect(try await world.source.asked(by: board).count == 3) }
            // Who asks for all of it has it, however fresh the rows are.
            try await world.sql(
                "select jobrunner.enqueue('acme', 'ann', 'generic.items', in_full => true, in_entity => 'item')"
            )
            try await world.drain()
            for board in boards { #expect(try await world.source.asked(by: board).count == 6) }
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.checkpoints where entity = 'item' or full_asked > full_begun"
                ) == "0")
            try await world.given(.staler("2 hours"))
            try await world.runAgain()
            for board in boards { #expect(try await world.source.asked(by: board).count == 9) }
        }
    }

    @Test func `checkpoints of items that were of other columns go at once, and their rows stay`()
        async throws
    {
        try await withBoards { world, boards in
            try await world.drain()
            try await world.runAgain()
            let other = "item#\(boards[0]),more"
            try await world.given(.checkpoint("\"\(other)\""), .rowLacking(other))
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.checkpoints where entity like '%,more'") == "0")
            #expect(try await stored(world).values.sorted() == [45, 45, 45])
        }
    }

    /// A full pass over the boards that shows all but one.
    private func lackOnce(_ board: String, of boards: [String], _ world: World) async throws {
        let rest = boards.filter { $0 != board }.map { #"{"id": "\#($0)", "name": "x"}"# }
        try await world.answerNext(#"{"items": [\#(rest.joined(separator: ","))]}"#)
        try await world.runAgain()
    }

    @Test
    func
        `an item whose row was lacking once is not asked for in that run alone, and keeps its rows`()
        async throws
    {
        let file = Self.file().replacing(
            "request: { path: \"/generic/{user.hub_user_id}/single\" }",
            with: """
                request: { path: "/generic/{user.hub_user_id}/single", query: { since: "{since}" } }
                    incremental: { watermark: run_start, full_every: 30d }
                """)
        try await withBoards(file) { world, boards in
            try await world.drain()
            try await world.runAgain()
            try await world.given(.fullAsked())
            let asked = try await world.source.asked(by: boards[1]).count
            try await lackOnce(boards[1], of: boards, world)
            #expect(try await world.source.asked(by: boards[1]).count == asked)
            // They read what is new of the boards, which proves no absence.
            for run in 1...3 {
                try await world.runAgain()
                #expect(try await world.source.asked(by: boards[1]).count == asked + 3 * run)
            }
            #expect(try await stored(world).values.sorted() == [45, 45, 45])
            try await world.source.fault(
                #"{"kind": "status", "status": 500, "user": "ann", "times": 100}"#)
            for _ in 1...2 {
                try await world.given(.staler("2 hours"), .due(.failed))
                try await world.runAgain()
            }
            #expect(try await stored(world).values.sorted() == [45, 45, 45])
        }
    }

    @Test func `a board that was lacking once is no look at what is on it`() async throws {
        let file = Self.file(page: "style: single", path: "heard", query: "")
            .replacing("limit: \"{page.size}\"", with: "n: \"1\"")
        try await withBoards(file, boards: 2, items: 0) { world, boards in
            func answer(_ lists: [(String, String)]) async throws {
                for (board, ids) in lists {
                    let items = ids.map { #"{"id": "\#($0)", "name": "n"}"# }
                        .joined(separator: ",")
                    let body = JSONValue.string(#"{"items": [\#(items)]}"#).text
                    try await world.source.fault(
                        #"{"kind": "status", "status": 200, "user": "\#(board)", "body": \#(body)}"#
                    )
                }
            }
            for _ in 1...2 {
                try await answer([(boards[0], "ab"), (boards[1], "c")])
                try await world.runAgain()
            }
            try await answer([(boards[1], "c")])
            try await lackOnce(boards[0], of: boards, world)
            // The board is back, and its own list lacks b for the first time.
            try await answer([(boards[0], "a"), (boards[1], "c")])
            try await world.runAgain()
            #expect(try await stored(world) == [boards[0]: 2, boards[1]: 1])
            try await answer([(boards[0], "a"), (boards[1], "c")])
            try await world.runAgain()
            #expect(try await stored(world) == [boards[0]: 1, boards[1]: 1])
        }
    }

    @Test
    func `what is below a row that its list never shows and the source confirms is asked for`()
        async throws
    {
        let file = Self.file().replacing(
            "deletes: { sweep: after_full_pass } }\n  - entity: item",
            with:
                "deletes: { sweep: after_full_pass, confirm: { path: \"/generic/{user.hub_user_id}/item/{row.board_id}\" } } }\n  - entity: item"
        )
        try await withBoards(file) { world, boards in
            try await world.drain()
            try await world.runAgain()
            for run in 1...3 {
                let before = try await world.source.asked(by: boards[1]).count
                try await lackOnce(boards[1], of: boards, world)
                #expect(try await world.source.asked(by: boards[1]).count > before, "\(run)")
            }
            #expect(
                try await world.value("select count(*)::text from synced.generic_board") == "3")
        }
    }
}
