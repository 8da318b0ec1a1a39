import Postgres
import Testing

/// Writers and readers of changes, each in a session of its own, in the orders that could lose one.
@Suite("Changes beside one another")
struct ChangeInterleavingTests {
    private func insert(_ key: String, user: Int = 1) -> String {
        "insert into synced.recipe (user_id, recipe_id, body) values (\(user), '\(key)', '1')"
    }

    private func told(_ keys: String...) -> [String] {
        keys.map { #"upsert ann {"recipe_id": "\#($0)"}"# }
    }

    @Test
    func `a writer that is open holds up no reader, and what it wrote first comes when it commits`()
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            let early = try await OpenTransaction(world.url, insert("early"))
            let other = try await OpenTransaction(world.url, insert("other", user: 3))
            try await world.script(insert("late"))
            #expect(try await mirror.read(world) == told("late"))
            try await early.commit()
            #expect(try await mirror.read(world) == told("early"))
            // Neither does one that began in between, and one that is undone leaves nothing.
            let undone = try await OpenTransaction(world.url, insert("undone"))
            var late = Mirror()
            #expect(try await late.read(world) == ["begin"] + told("early", "late"))
            try await undone.rollBack()
            try await other.commit()
            try await late.catchUp(world)
            #expect(late.contents == mirror.contents)
            #expect(try await mirror.read(world) == [])
        }
    }

    @Test
    func `a change that commits while a page of the present rows is read is told behind them`()
        async throws
    {
        try await Told.lend { world async throws in
            try await world.script("\(insert("b")); \(insert("d"))")
            let open = try await OpenTransaction(
                world.url, insert("a"), "update synced.recipe set body = '2' where recipe_id = 'b'",
                "delete from synced.recipe where recipe_id = 'd'")
            var mirror = Mirror()
            #expect(try await mirror.read(world, limit: 2) == ["begin"] + told("b"))
            try await open.commit()
            try await mirror.catchUp(world, limit: 2)
            #expect(try await mirror.contents == world.recipes())
        }
    }

    @Test func `what a reader was told and rolled back is told again, by greater numbers`()
        async throws
    {
        try await Told.lend { world async throws in
            var (kept, mirror) = (Mirror(), Mirror())
            try await kept.read(world)
            try await mirror.read(world)
            try await world.script(insert("a"))
            let reader = try await OpenTransaction(world.url)
            #expect(try kept.hear(try await reader.query(kept.question())) == told("a"))
            try await reader.rollBack()
            try await world.script(insert("b"))
            #expect(try await mirror.read(world) == told("a", "b"))
            #expect(try await world.int("select min(number) from jobrunner.changes") > 1)
            // The cursor that was kept against the rule has missed nothing.
            #expect(try await kept.read(world) == told("a", "b"))
        }
    }

    @Test func `while one reader has the turn another one waits for nobody, and misses nothing`()
        async throws
    {
        try await Told.lend { world async throws in
            var (first, second, bob) = (Mirror(), Mirror(), Mirror(user: "bob"))
            try await first.read(world)
            try await second.read(world)
            try await bob.read(world)
            // The first turn of all makes its row, which is no reason to wait either.
            for round in ["a", "b"] {
                try await world.script(insert(round))
                let reader = try await OpenTransaction(world.url)
                #expect(try first.hear(try await reader.query(first.question())) == told(round))
                try await world.script("\(insert(round + "2")); \(insert(round, user: 2))")
                #expect(try await second.read(world) == [])
                #expect(try await bob.read(world) == [])
                try await reader.commit()
                #expect(try await second.read(world, limit: 1) == told(round))
                try await first.catchUp(world)
                try await second.catchUp(world)
                try await bob.catchUp(world)
                #expect(
                    first.contents == second.contents && bob.rows.count == (round == "a" ? 1 : 2))
            }
            #expect(try await first.contents == world.recipes())
        }
    }

    @Test func `a turn is of one tenant and table`() async throws {
        try await Told.lend { world async throws in
            var (mirror, globex, article) = (Mirror(), Mirror(of: "globex"), Mirror("article"))
            try await mirror.read(world)
            try await globex.read(world)
            try await article.read(world)
            try await world.script("\(insert("a")); \(insert("b", user: 3))")
            try await world.asRun(
                "insert into synced.article (user_id, record_name) values (1, 'x')")
            let reader = try await OpenTransaction(world.url)
            try mirror.hear(try await reader.query(mirror.question()))
            #expect(try await globex.read(world) == [#"upsert ann {"recipe_id": "b"}"#])
            #expect(try await article.read(world) == [#"upsert ann {"record_name": "x"}"#])
            try await reader.commit()
        }
    }

    @Test(arguments: ["repeatable read", "serializable"])
    func `a reader whose snapshot lacks numbers is refused the turn, and tries again`(level: String)
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            try await world.script(insert("first"))
            try await mirror.read(world)
            var other = mirror
            // The earlier entry is seen by the other reader alone, which gives it a number.
            let early = try await OpenTransaction(world.url, insert("early"))
            try await world.script(insert("late"))
            let reader = try await OpenTransaction(
                world.url, "set transaction isolation level \(level)", "select from synced.recipe")
            try await early.commit()
            #expect(try await other.read(world, limit: 1) == told("early"))
            do {
                let answer = try await reader.query(mirror.question())
                Issue.record("\(answer.count) rows behind a number that it has not seen")
            } catch let error as DatabaseError {
                #expect(error.sqlstate == "40001")
            }
            try await reader.rollBack()
            #expect(try await mirror.read(world) == told("early", "late"))
        }
    }

    @Test
    func
        `a reader at repeatable read that has the turn misses nothing, whatever commits meanwhile`()
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            let early = try await OpenTransaction(world.url, insert("early"))
            try await world.script(insert("late"))
            let reader = try await OpenTransaction(
                world.url, "set transaction isolation level repeatable read",
                "select from synced.recipe")
            try await early.commit()
            #expect(try mirror.hear(try await reader.query(mirror.question())) == told("late"))
            #expect(try mirror.hear(try await reader.query(mirror.question())) == [])
            try await reader.commit()
            #expect(try await mirror.read(world) == told("early"))
        }
    }

    @Test
    func `one that begins on an old snapshot is told afterwards what others have read already`()
        async throws
    {
        try await Told.lend { world async throws in
            var (mirror, other) = (Mirror(), Mirror())
            try await world.script(insert("a"))
            try await other.catchUp(world)
            let reader = try await OpenTransaction(
                world.url, "set transaction isolation level repeatable read",
                "select from synced.recipe")
            try await world.script(
                "\(insert("b")); delete from synced.recipe where recipe_id = 'a'")
            try await other.catchUp(world)
            #expect(
                try mirror.hear(try await reader.query(mirror.question())) == ["begin"] + told("a"))
            try await reader.commit()
            try await mirror.catchUp(world)
            #expect(mirror.contents == other.contents)
            #expect(try await mirror.contents == world.recipes())
        }
    }

    @Test
    func
        `who writes and reads in one transaction is told its own, and nobody else before the commit`()
        async throws
    {
        try await Told.lend { world async throws in
            var (own, other) = (Mirror(), Mirror())
            try await own.read(world)
            try await other.read(world)
            let both = try await OpenTransaction(world.url, insert("a"))
            #expect(try own.hear(try await both.query(own.question())) == told("a"))
            try await both.run(insert("b"))
            #expect(try own.hear(try await both.query(own.question())) == told("b"))
            try await world.script(insert("c"))
            #expect(try await other.read(world) == [])
            try await both.commit()
            try await own.catchUp(world)
            try await other.catchUp(world)
            #expect(own.contents == other.contents && own.rows.count == 3)
        }
    }

    @Test
    func `a number that was read is never taken back by a crash, and nothing new is not written`()
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            let reader = try await OpenTransaction(world.url, "set synchronous_commit = off")
            let state = Statement.unprepared(
                "select current_setting('synchronous_commit') || ' ' || (pg_current_xact_id_if_assigned() is null)"
            )
            try mirror.hear(try await reader.query(mirror.question()))
            #expect(try await reader.query(state).only().text(0) == "off true")
            try await world.script(insert("a"))
            try mirror.hear(try await reader.query(mirror.question()))
            #expect(try await reader.query(state).only().text(0) == "on false")
            try await reader.commit()
        }
    }

    @Test func `a migrate that makes the triggers anew and a reader do not lock each other out`()
        async throws
    {
        try await Told.lend { world async throws in
            var mirror = Mirror()
            try await mirror.read(world)
            try await world.script(
                "\(insert("a")); drop trigger jobrunner_tells_deletes on synced.recipe")
            let reader = try await OpenTransaction(world.url)
            try mirror.hear(try await reader.query(mirror.question(limit: 1)))
            let migrating = Task { try await world.pool.migrate(toldFiles()) }
            try await waitForLock(in: world.url)
            #expect(try mirror.hear(try await reader.query(mirror.question())) == [])
            try await reader.commit()
            _ = try await migrating.value
            #expect(try await mirror.read(world) == ["begin"] + told("a"))
            #expect(try await mirror.read(world) == [])
        }
    }
}
