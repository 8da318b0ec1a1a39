import JSON
import Postgres
import Testing

/// Entities that are read for each of several items.
@Suite struct ItemTests {
    /// Boards of a user, and the items of each board, which the fake source keeps as users of their own.
    static func file(
        page: String = "style: token, token_at: next_token, size: 20", path: String = "token",
        query: String = #"cursor: "{page.token}""#, each: String = "",
        write: String = "mode: overwrite, deletes: { sweep: after_full_pass }", parts: String = ""
    ) -> String {
        """
        version: 1
        job: generic.items
        schedule: { every: 1h, deadline: 10m }
        source:
          id: generic
          base: http://127.0.0.1:1
          timeout: 10s
          retry: { attempts: 1 }
        entities:
          - entity: board
            request: { path: "/generic/{user.hub_user_id}/single" }
            page: { style: single }
            records:
              at: "items[]"
              key: [board_id]
              fields:
                board_id: { at: id, type: text, required: true }
                name: { at: name, type: text }
            write: { table: generic_board, mode: overwrite, deletes: { sweep: after_full_pass } }
          - entity: item
            for_each: { rows: board, columns: [board_id]\(each) }
            request:
              path: "/generic/{each.board_id}/\(path)"
              query: { \(query.isEmpty ? "" : query + ", ")limit: "{page.size}" }
            page: { \(page) }
            \(parts)
            records:
              at: "items[]"
              key: [id]
              fields:
                board_id: { each: board_id, type: text }
                id: { at: id, type: text, required: true }
                name: { at: name, type: text }
            write: { table: generic_item, \(write) }
        """
    }

    /// Runs `body` in a world where ann has boards, each with so many items.
    func withBoards(
        _ file: String = Self.file(), boards: Int = 3, items: Int = 45,
        _ body: @Sendable (World, [String]) async throws -> Void
    ) async throws {
        try await withWorld(file, videos: boards) { world in
            let names = try await boardNames(world)
            for name in names {
                try await world.source.command(
                    "POST", "users",
                    #"{"id": "\#(name)", "videos": \#(items), "registered": false}"#)
            }
            try await body(world, names)
        }
    }

    private func boardNames(_ world: World) async throws -> [String] {
        let expected = try await world.source.command("GET", "expected?user=ann&of=generic")
        return expected["items"].map { Array($0.elements) }?.compactMap { $0.text("id") }.sorted()
            ?? []
    }

    func stored(_ world: World) async throws -> [String: Int] {
        let rows = try await world.rows(
            "select board_id::text, count(*) as items from synced.generic_item group by board_id")
        return Dictionary(
            uniqueKeysWithValues: rows.map { ($0.text("board_id") ?? "", $0.int("items") ?? 0) })
    }

    private func versions(_ world: World) async throws -> String? {
        try await world.value(
            """
            select md5(string_agg(v, ',' order by v))
            from (
              select id || xmin::text as v from synced.generic_item
            ) as v
            """)
    }

    @Test func `the items of each stored row are read, and an unchanged run writes nothing`()
        async throws
    {
        try await withBoards { world, boards in
            try await world.drain()
            #expect(
                try await stored(world) == Dictionary(uniqueKeysWithValues: boards.map { ($0, 45) })
            )
            let checkpoints = try await world.rows(
                "select entity from jobrunner.checkpoints order by entity"
            ).compactMap { $0.text("entity") }
            #expect(checkpoints == ["board"] + boards.map { "item#\($0)" })
            // The second full pass is the look that a sweep needs; then nothing moves.
            try await world.runAgain()
            let before = try await versions(world)
            try await world.runAgain()
            #expect(try await versions(world) == before)
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    func checkpoints(_ world: World) async throws -> String? {
        try await world.value(
            "select string_agg(xmin::text, ',' order by entity) from jobrunner.checkpoints where entity like 'item#%'"
        )
    }

    @Test func `an unchanged round of items with several pages each moves no checkpoint of theirs`()
        async throws
    {
        try await withBoards(Self.file(write: "mode: overwrite")) { world, boards in
            try await world.drain()
            let before = try await checkpoints(world)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await checkpoints(world) == before)
            for board in boards { #expect(try await world.source.asked(by: board).count == 9) }
            try await world.source.command(
                "POST", "change",
                #"{"user": "\#(boards[0])", "op": "edit", "count": 1, "name": "edited"}"#)
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select count(*) from synced.generic_item where name = 'edited'")
                    == "1")
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `an item that fails keeps nobody else's position, and is told by its name`()
        async throws
    {
        try await withBoards { world, boards in
            try await world.source.fault(
                #"{"kind": "status", "status": 500, "user": "\#(boards[1])", "times": 100}"#)
            try await world.drain()
            #expect(try await stored(world) == [boards[0]: 45, boards[2]: 45])
            let failing = try await world.rows(
                "select entity, last_error_kind as kind from jobrunner.checkpoints where last_error_kind is not null"
            )
            #expect(failing.compactMap { $0.text("entity") } == ["item#\(boards[1])"])
            try await world.source.heal()
            try await world.given(.due(.failed))
            let asked = try await world.source.asked(by: boards[0]).count
            try await world.drain()
            #expect(try await stored(world).values.sorted() == [45, 45, 45])
            // What the run before has read is not read again.
            #expect(try await world.source.asked(by: boards[0]).count == asked)
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `a run that is cut off in the middle of an item goes on at its page`() async throws {
        try await withBoards { world, boards in
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "headers": {"Retry-After": "3600"}, "user": "\#(boards[1])", "nth": 2}"#
            )
            try await world.drain()
            #expect(try await stored(world)[boards[1]] == 20)
            try await world.source.heal()
            try await world.given(.undeferred(.waiting), .due(.waiting))
            try await world.drain()
            #expect(try await stored(world).values.sorted() == [45, 45, 45])
            // One page before the cut, the one that was refused, and the two behind it.
            #expect(try await world.source.asked(by: boards[1]).count == 4)
        }
    }

    @Test func `rows of an item that is gone go with it, after a second look`() async throws {
        try await withBoards { world, boards in
            try await world.drain()
            try await world.runAgain()
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "remove", "count": 1}"#)
            let left = try await boardNames(world)
            let gone = try #require(Set(boards).subtracting(left).first)
            let known = try await world.source.asked(by: gone).count
            try await world.source.fault(
                #"{"kind": "status", "status": 404, "user": "\#(gone)", "times": 100}"#)
            // The row of the board goes at the second look, and its items with it. Meanwhile nothing is asked of the board,
            // which the source knows no more.
            for left in [45, nil] {
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == "complete")
                #expect(try await stored(world)[gone] == left)
            }
            #expect(try await stored(world)[gone] == nil)
            #expect(try await stored(world).count == left.count)
            let rest = try await world.value(
                "select count(*)::text from jobrunner.checkpoints where entity = $1",
                .text("item#\(gone)"))
            #expect(rest == "0")
            #expect(try await world.source.asked(by: gone).count == known)
        }
    }

    @Test func `items of boards that could not be read are not taken for gone`() async throws {
        try await withBoards { world, boards in
            try await world.drain()
            try await world.runAgain()
            try await world.sql("delete from synced.generic_board")
            try await world.source.fault(
                #"{"kind": "status", "status": 500, "user": "ann", "times": 100}"#)
            // Each run is of another tick: of one tick none is read twice.
            for _ in 1...3 {
                try await world.given(.staler("2 hours"), .due(.failed))
                try await world.runAgain()
            }
            #expect(try await stored(world).count == boards.count)
        }
    }

    @Test
    func `a record that moves to another item goes with it, in whichever order they are read`()
        async throws
    {
        let file = Self.file(page: "style: single", path: "heard", query: "")
            .replacing("limit: \"{page.size}\"", with: "n: \"1\"")
        try await withBoards(file, boards: 2, items: 0) { world, boards in
            func answer(_ first: String, _ second: String) async throws {
                for (board, ids) in [(boards[0], first), (boards[1], second)] {
                    let items = ids.map { #"{"id": "\#($0)", "name": "n"}"# }.joined(separator: ",")
                    let body = JSONValue.string(#"{"items": [\#(items)]}"#).text
                    try await world.source.fault(
                        #"{"kind": "status", "status": 200, "user": "\#(board)", "body": \#(body)}"#
                    )
                }
            }
            try await answer("ab", "c")
            try await world.drain()
            for _ in 1...3 {
                try await answer("a", "bc")
                try await world.runAgain()
                #expect(try await stored(world) == [boards[0]: 1, boards[1]: 2])
            }
            for _ in 1...3 {
                try await answer("abc", "")
                try await world.runAgain()
                #expect(try await stored(world)[boards[0]] == 3)
            }
        }
    }

    @Test func `only: changed asks for items whose row has changed, and for all after full_every`()
        async throws
    {
        try await withBoards(Self.file(each: ", only: changed, full_every: 7d")) { world, boards in
            try await world.drain()
            for board in boards { #expect(try await world.source.asked(by: board).count == 3) }
            try await world.source.command(
                "POST", "change", #"{"user": "ann", "op": "edit", "count": 1, "name": "edited"}"#)
            try await world.runAgain()
            var counts: [Int] = []
            for board in boards { counts.append(try await world.source.asked(by: board).count) }
            #expect(counts.sorted() == [3, 3, 6])
            try await world.given(.staler("8 days"))
            try await world.runAgain()
            for (board, count) in zip(boards, counts) {
                #expect(try await world.source.asked(by: board).count == count + 3)
            }
        }
    }

    @Test func `more items than at_most fail the entity by name, and none is asked for`()
        async throws
    {
        try await withBoards(Self.file(each: ", at_most: 2")) { world, boards in
            try await world.drain()
            #expect(try await stored(world).isEmpty)
            for board in boards { #expect(try await world.source.asked(by: board).isEmpty) }
            let error = try await world.value(
                "select last_error from jobrunner.checkpoints where entity = 'item'")
            #expect(
                error
                    == "for_each: there are 3 items or more, and at_most is 2; nothing was asked for"
            )
        }
    }

    @Test
    func
        `five hundred items of an attribute are read in their turns, and an unchanged run moves no checkpoint`()
        async throws
    {
        let file = World.heard(
            request: """
                path: "/generic/{user.hub_user_id}/single"
                query: { of: "{each.n}" }
                """, page: "style: single",
            parts: "for_each: { user: numbers, as: n, at_most: 1000 }",
            fields: """
                id: { at: id, type: text, required: true }
                n: { each: n, type: int }
                """
        ).replacing("key: [id]", with: "key: [id, n]")
        try await withWorld(file, videos: 1) { world in
            let numbers = (1...500).map(String.init).joined(separator: ",")
            try await world.sql(
                "select jobrunner.set_user('acme', 'ann', $1::jsonb)",
                .text("{\"numbers\": [\(numbers)]}"))
            try await world.drain()
            #expect(
                try await world.value("select count(*)::text from synced.generic_item") == "500")
            let before = try await world.value(
                "select md5(string_agg(xmin::text, ',' order by entity)) from jobrunner.checkpoints"
            )
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select md5(string_agg(xmin::text, ',' order by entity)) from jobrunner.checkpoints"
                )
                    == before)
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }
}
