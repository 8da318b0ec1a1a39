import Postgres
import Testing

/// What an application is told of its users' runs since a cursor, beside writers and readers of all sorts.
@Suite("Events since a cursor")
struct EventsSinceTests {
    /// One reader's place.
    private struct Reader {
        var cursor: String?

        /// What is new, as `kind run`; keeps the place.
        mutating func read(_ world: Told, of tenant: String = "acme", limit: Int = 1000)
            async throws -> [String]
        {
            let ask = Statement(
                """
                select concat_ws(' ', e.kind, e.run), e.cursor from jobrunner.events_since($1, $2, $3) as e
                """,
                binds: [.text(tenant), .optional(cursor, Bind.text), .int(limit)], cached: false)
            let rows = try await world.pool.run { session in
                try session.query(ask).map { (try $0.text(0), try $0.text(1)) }
            }
            cursor = rows.last?.1 ?? cursor
            return rows.map(\.0)
        }
    }

    @Test func `each event is told once, of the own tenant alone, page by page`() async throws {
        try await Told.lend { world async throws in
            var reader = Reader()
            for run in 1...5 { try await world.given(.told("sync_ended", user: 1, run: run)) }
            try await world.given(.told("sync_ended", user: 3, run: 9))
            #expect(try await reader.read(world, limit: 2) == ["begin", "sync_ended 1"])
            #expect(try await reader.read(world, limit: 2) == ["sync_ended 2", "sync_ended 3"])
            #expect(try await reader.read(world, limit: 1) == ["sync_ended 4"])
            #expect(try await reader.read(world) == ["sync_ended 5"])
            #expect(try await reader.read(world) == [])
            var other = Reader()
            #expect(try await other.read(world, of: "globex") == ["begin", "sync_ended 9"])
            // A cursor is good for what it was given for.
            #expect(
                await world.code(
                    "select jobrunner.events_since('globex', '\(reader.cursor ?? "")')") == "JR017")
            #expect(await world.code("select jobrunner.events_since('acme', 'x')") == "JR017")
            #expect(
                await world.code(
                    "select jobrunner.events_since('acme', '\(reader.cursor ?? "").00')") == "JR017"
            )
            #expect(await world.code("select jobrunner.events_since('acme', null, 0)") == "JR017")
            #expect(await world.code("select jobrunner.events_since('nobody')") == "JR010")
        }
    }

    @Test func `no open transaction keeps events back, and what commits late is told`() async throws
    {
        try await Told.lend { world async throws in
            var reader = Reader()
            #expect(try await reader.read(world) == ["begin"])
            let early = try await OpenTransaction(
                world.url, "\(Given.told("sync_began", user: 1, run: 1))")
            // Whoever holds a snapshot, in whatever database, keeps the view's horizon where it is.
            let idle = try await OpenTransaction(world.url, "select pg_current_xact_id()")
            try await world.given(.told("sync_began", user: 2, run: 2))
            #expect(try await world.texts("select kind from jobrunner.told_events") == [])
            #expect(try await reader.read(world) == ["sync_began 2"])
            try await early.commit()
            #expect(try await reader.read(world) == ["sync_began 1"])
            try await idle.rollBack()
            #expect(try await reader.read(world) == [])
        }
    }

    @Test
    func
        `a reader that has the turn is waited for by nobody, and its undone numbers are drawn anew`()
        async throws
    {
        try await Told.lend { world async throws in
            var reader = Reader()
            _ = try await reader.read(world)
            try await world.given(.told("sync_began", user: 1, run: 1))
            let place = reader.cursor ?? ""
            let holder = try await OpenTransaction(
                world.url, "select * from jobrunner.events_since('acme', '\(place)')")
            #expect(try await reader.read(world) == [])
            try await holder.rollBack()
            #expect(try await reader.read(world) == ["sync_began 1"])
            #expect(
                await world.code(
                    "begin transaction read only; select jobrunner.events_since('acme'); commit")
                    == "25006")
        }
    }

    @Test func `who has not read for a week begins anew, whether the events had numbers or none`()
        async throws
    {
        try await Told.lend { world async throws in
            for isNumbered in [true, false] {
                var behind = Reader()
                _ = try await behind.read(world)
                try await world.given(.told("sync_began", user: 1, run: 1))
                if isNumbered {
                    var other = Reader()
                    _ = try await other.read(world)
                }
                try await world.given(.eventsEarlier("8 days"))
                try await world.given(.told("sync_ended", user: 1, run: 2))
                try await world.script("select jobrunner.maintain_runs()")
                #expect(try await behind.read(world) == ["begin", "sync_ended 2"], "\(isNumbered)")
                #expect(try await behind.read(world) == [])
                try await world.given(.noEvents())
            }
        }
    }
}

extension Told {
    fileprivate func code(_ sql: String) async -> String? {
        do {
            try await script(sql)
            return nil
        } catch { return (error as? DatabaseError)?.sqlstate ?? "\(error)" }
    }
}
