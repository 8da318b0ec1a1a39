import JSON
import Postgres
import Testing

/// What becomes of items that are not asked for, come back, or could not be found.
extension ItemTests {
    @Test
    func `only: changed asks for incremental items after full_every, whatever unchanged runs say`()
        async throws
    {
        let file = Self.file(
            query: #"cursor: "{page.token}", since: "{since}""#,
            each: ", only: changed, full_every: 7d", write: "mode: overwrite",
            parts: "incremental: { watermark: run_start }")
        try await withBoards(file) { world, boards in
            try await world.drain()
            try await world.runAgain()
            for board in boards { #expect(try await world.source.asked(by: board).count == 3) }
            // A run that fails for one item says of no other that it was read.
            try await world.given(.synced(ago: "6 days"))
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "edit", "count": 1, "name": "edited"}"#)
            for board in boards {
                try await world.source.fault(
                    #"{"kind": "status", "status": 500, "user": "\#(board)", "times": 100}"#)
            }
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "failed")
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.checkpoints where entity like 'item#%' and last_synced_at > now() - interval '1 day'"
                ) == "0")
            try await world.source.heal()
            try await world.given(.due(.failed))
            try await world.drain()
            try await world.runAgain()
            var counts: [Int] = []
            for board in boards { counts.append(try await world.source.asked(by: board).count) }
            try await world.given(.synced(ago: "8 days"))
            try await world.runAgain()
            for (board, count) in zip(boards, counts) {
                #expect(try await world.source.asked(by: board).count == count + 1)
            }
        }
    }

    /// The items are what an attribute of the user holds.
    private static func listed(write: String = "mode: overwrite", parts: String = "") -> String {
        file(
            query: #"cursor: "{page.token}"\#(parts.isEmpty ? "" : #", since: "{since}""#)"#,
            write: write, parts: parts
        ).replacing(
            "for_each: { rows: board, columns: [board_id]",
            with: "for_each: { user: ids, as: board_id"
        )
    }

    private func list(_ names: some Sequence<String>, _ world: World) async throws {
        let text = JSONValue.object([JSONMember("ids", .array(names.map(JSONValue.string)))]).text
        try await world.sql("select jobrunner.set_user('acme', 'ann', $1::jsonb)", .text(text))
    }

    @Test func `an item that comes back is read from where it was read, not from when it was gone`()
        async throws
    {
        let file = Self.listed(
            write: "mode: overwrite, deletes: { sweep: after_full_pass }",
            parts: "incremental: { watermark: run_start, full_every: 30d }")
        try await withBoards(file) { world, boards in
            try await list(boards, world)
            try await world.drain()
            try await list(boards.dropLast(), world)
            try await world.source.command(
                "POST", "change",
                #"{"user": "\#(boards[2])", "op": "edit", "count": 1, "name": "edited"}"#)
            try await world.runAgain()
            #expect(try await stored(world)[boards[2]] == 45)
            try await list(boards, world)
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select count(*) from synced.generic_item where name = 'edited'") == "1")
        }
    }

    @Test func `a failure to find the items is over once they are found`() async throws {
        try await withBoards(Self.listed()) { world, boards in
            try await world.drain()
            let own = "select count(*) from jobrunner.checkpoints where entity = 'item'"
            #expect(try await world.value(own) == "1")
            try await list(boards, world)
            try await world.given(.fullAsked(), .due(.failed))
            try await world.drain()
            #expect(try await stored(world).values.sorted() == [45, 45, 45])
            #expect(try await world.value(own) == "0")
            let before = try await checkpoints(world)
            try await world.runAgain()
            #expect(try await checkpoints(world) == before)
        }
    }

    @Test(arguments: ["boards[].id", "items[].board", "items.id[]"])
    func `an answer without the list of items is no empty list`(_ place: String) async throws {
        let file = Self.file().replacing(
            "for_each: { rows: board, columns: [board_id]",
            with: "for_each: { call: all, at: \"\(place)\", as: board_id"
        ).replacing(
            "source:\n",
            with: """
                calls: { all: { path: "/generic/{user.hub_user_id}/single" } }
                before: [{ call: all }]
                source:

                """)
        try await withBoards(file, boards: 1) { world, _ in
            try await world.drain()
            let error = try await world.value(
                "select last_error from jobrunner.checkpoints where entity = 'item'")
            #expect(error == "for_each: the answer of call all has nothing at \(place)")
        }
    }
}
