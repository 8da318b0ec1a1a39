import JSON
import JobQueue
import Postgres
import Testing
import Writing

/// An attribute that a job file requires, and has made where the application gave none.
@Suite struct MadeAttributeTests {
    private let made = "select made ->> 'hub_user_id' from jobrunner.users where key = 'ann'"

    /// Adds a user of whom the application says nothing but its channels.
    private func addBareUser(in world: World) async throws {
        try await world.sql("select jobrunner.add_user('acme', 'ann')")
        try await world.sql(
            "select jobrunner.replace_list('acme', 'ann', 'hub_channel', 'channel_id', '{c1,c2}')")
    }

    private func paths(_ world: World) async throws -> Set<String> {
        Set(
            try await world.source.asked().filter { $0.what != "health" }.map {
                $0.path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
            })
    }

    @Test
    func `MH29 a user without a hub id is registered under one that the first run makes for good`()
        async throws
    {
        try await withWorld { world in
            try await addBareUser(in: world)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let id = try #require(try await world.value(made))
            #expect(id.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
            #expect(try await world.source.registeredChannels(of: id) == ["c1", "c2"])
            // Whatever the application says of the person afterwards.
            for attributes in [
                #"{"nick": "a"}"#, #"{"hub_user_id": "another"}"#, #"{"hub_user_id": null}"#,
                #"{"hub_user_id": ""}"#,
            ] {
                try await world.sql(
                    "select jobrunner.set_user('acme', 'ann', $1::text::jsonb)", .text(attributes))
                try await world.runAgain()
            }
            try await world.sql("select jobrunner.add_users('acme', '{ann}')")
            try await world.sql("select jobrunner.reset_jobs('acme', 'ann')")
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            #expect(try await world.value(made) == id)
            #expect(try await paths(world) == [id])
            #expect(
                try await world.queue.users(tenant: "acme", limit: 1).first?["attributes"]?[
                    "hub_user_id"]?.string == id)
        }
    }

    @Test func `MH29 a hub id that the application gave is the one, and none is made`() async throws
    {
        try await withWorld { world in
            try await world.addUser("ann", videos: 5, hubID: "hub-7")
            let user = "select ctid::text || xmin from jobrunner.users where key = 'ann'"
            let before = try await world.value(user)
            try await world.drain()
            #expect(try await world.value(made) == nil)
            #expect(try await paths(world) == ["hub-7"])
            #expect(try await world.value(user) == before)
        }
    }

    @Test func `MH29 a made hub id costs the runs that follow no statement and no row version`()
        async throws
    {
        try await withWorld { world in
            try await addBareUser(in: world)
            try await world.drain()
            let user = "select ctid::text || xmin from jobrunner.users where key = 'ann'"
            let before = try await world.value(user)
            // Whoever asked for it once more would fail.
            try await world.sql("drop function jobrunner.make_attribute")
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.value(user) == before)
        }
    }

    @Test func `MH29 two jobs of a user that start together ask under one and the same hub id`()
        async throws
    {
        try await withWorld { world in
            let second = World.metube([
                ("job: metube.refresh", "job: metube.again"), ("id: metube-hub", "id: hub-again"),
            ])
            try await world.also(second)
            try await addBareUser(in: world)
            // Neither makes it before the other wants it too.
            let holding = try await OpenTransaction(
                world.database.url,
                "select from jobrunner.users where key = 'ann' for no key update")
            let worker = try await world.start(drains: true)
            try await waitForLock(in: world.database.url, sessions: 2)
            try await holding.commit()
            await worker.ended()
            let id = try #require(try await world.value(made))
            #expect(try await world.unfinished() == [])
            #expect(try await paths(world) == [id])
            #expect(try await world.source.asked("channels").count == 2)
        }
    }

    @Test func `MH29 a hub id that was made goes with its user`() async throws {
        try await withWorld { world in
            try await addBareUser(in: world)
            try await world.drain()
            let first = try await world.value(made)
            try await world.sql("select jobrunner.remove_user('acme', 'ann')")
            try await addBareUser(in: world)
            try await world.drain()
            let second = try await world.value(made)
            #expect(first != nil && second != nil && first != second)
        }
    }

    @Test func `a dry run makes no attribute, and says that a run would`() async throws {
        try await withWorld { world in
            try await addBareUser(in: world)
            let report = try await world.dryRun("ann")
            #expect(report.outcome == "skipped")
            #expect(
                report.error
                    == "user attribute 'hub_user_id' is not made yet; the first run makes it")
            #expect(try await world.value(made) == nil)
            #expect(try await world.source.asked().isEmpty)
            try await world.drain()
            #expect(try await world.dryRun("ann").outcome == "complete")
        }
    }
}
