import JSON
import Postgres
import Testing

@Suite struct HealthAndRegistrationTests {
    @Test func `MH1 an unhealthy hub ends the run before any other call`() async throws {
        try await withWorld(videos: 20) { world in
            try await world.source.fault(#"{"kind": "status", "status": 503, "path": "/health"}"#)
            try await world.drain()
            #expect(try await world.source.asked().map(\.what) == ["health"])
            #expect(try await world.outcomes("ann") == ["failed unavailable"])
            #expect(try await world.job("ann").int("consecutive_failures") == 1)
        }
    }

    @Test func `MH2 a hub without any channel is given the list although it had been registered`()
        async throws
    {
        try await withSyncedWorld(videos: 20) { world in
            try await world.source.command("POST", "forget", #"{"all": true}"#)
            try await world.runAgain()
            #expect(
                try await world.source.story(of: "ann")
                    == ["channels", "reconcile", "feed", "channels", "feed"])
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `MH3 the list is sent when it never was or when it has changed, and not otherwise`()
        async throws
    {
        try await withWorld { world in
            try await world.addUser("ann", videos: 20, channels: ["a", "b"])
            try await world.drain()
            #expect(try await world.source.asked("channels").count == 1)
            try await world.runAgain()
            #expect(try await world.source.asked("channels").count == 1)
            try await setChannels(["b", "c"], of: "ann", in: world)
            try await world.runAgain()
            #expect(try await world.source.asked("channels").count == 2)
            #expect(try await world.source.registeredChannels(of: "ann") == ["b", "c"])
            try await world.runAgain()
            #expect(try await world.source.asked("channels").count == 2)
        }
    }

    @Test func `MH4 the whole list of 216 channels goes out in one request`() async throws {
        try await withWorld { world in
            let channels = (100..<316).map { "UC\($0)" }
            try await world.addUser("ann", videos: 20, channels: channels)
            try await world.drain()
            let sent = try await world.source.asked("channels")
            #expect(sent.map(\.records) == [216])
            #expect(try await world.source.registeredChannels(of: "ann") == channels)
        }
    }

    @Test
    func
        `MH34 a channel is kept with all that the app knows of it, and the ids are a view of that`()
        async throws
    {
        try await withWorld { world in
            try await world.addUser("ann", videos: 20, channels: [])
            func save(_ id: String, _ name: String) async throws {
                try await world.sql(
                    """
                    insert into synced.hub_channel as c (
                      user_id, channel_id, name, thumbnail_url, description, uploads_playlist_id)
                    select u.id, $1, $2, 'https://img/' || $1, 'About ' || $2, 'UU' || $1
                    from jobrunner.users as u where u.key = 'ann'
                    on conflict (user_id, channel_id) do update
                    set name = excluded.name, last_modified = now()
                    """, .text(id), .text(name))
            }
            func channels() async throws -> [String] {
                try await world.texts(
                    "select concat_ws(' ', channel_id, name, uploads_playlist_id, synced) from synced.hub_channel order by 1"
                )
            }
            try await save("a", "One")
            try await save("b", "Two")
            #expect(try await channels() == ["a One UUa f", "b Two UUb f"])
            try await world.drain()
            #expect(try await world.source.registeredChannels(of: "ann") == ["a", "b"])
            #expect(try await channels() == ["a One UUa t", "b Two UUb t"])
            // Another name is no other list.
            try await save("b", "Second")
            try await world.runAgain()
            #expect(try await world.source.asked("channels").count == 1)
            #expect(try await channels() == ["a One UUa t", "b Second UUb t"])
            try await save("c", "Three")
            #expect(try await channels().last == "c Three UUc f")
            try await world.runAgain()
            #expect(try await world.source.registeredChannels(of: "ann") == ["a", "b", "c"])
            #expect(try await channels().allSatisfy { $0.hasSuffix(" t") })
            #expect(
                try await world.value(
                    "select bool_and(inserted_at <= last_modified) from synced.hub_channel")
                    == "true")
            // A list of ids alone knows no more of those that it brings.
            try await setChannels(["c", "d"], of: "ann", in: world)
            #expect(try await channels() == ["c Three UUc t", "d f"])
        }
    }

    @Test func `MH5 without channels the registration is skipped, not sent empty`() async throws {
        try await withWorld { world in
            try await world.addUser("ann", videos: 20, channels: [])
            try await world.source.command(
                "POST", "users", #"{"id": "ann", "videos": 20, "registered": true}"#)
            try await world.drain()
            #expect(try await world.source.story(of: "ann") == ["reconcile", "feed"])
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `MH29 every request of every worker bears the user's stored hub id`() async throws {
        try await withWorld { world in
            try await world.addUser("ann", videos: 30, hubID: "hub-7")
            try await world.drain()
            try await world.sql("select jobrunner.reset_jobs('acme', 'ann')")
            try await world.runAgain()
            let asked = try await world.source.asked().filter { $0.what != "health" }
            #expect(asked.count == 6)
            #expect(asked.allSatisfy { $0.path.hasPrefix("/api/users/hub-7/") })
            #expect(
                try await world.value("select attributes ->> 'hub_user_id' from jobrunner.users")
                    == "hub-7")
        }
    }

    /// Each device that signs a person up brings an id of its own, all at the same time.
    @Test func `MH29 a hub id is made once: of devices that sign up at once one's is stored`()
        async throws
    {
        try await withWorld { world in
            for device in 1...8 {
                try await world.source.command(
                    "POST", "users", #"{"id": "hub-\#(device)", "videos": 5, "registered": false}"#)
            }
            let others = Database(try world.database.configuration(lanes: 8))
            let made = await withTaskGroup(of: String?.self) { group in
                for device in 1...8 {
                    group.addTask {
                        let add = Statement(
                            "select jobrunner.add_user('acme', 'ann', jsonb_build_object('hub_user_id', $1::text))",
                            .text("hub-\(device)"))
                        do {
                            _ = try await others.run { try $0.query(add) }
                            return "hub-\(device)"
                        } catch {
                            return (error as? DatabaseError)?.sqlstate
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1 ?? "?") }
            }
            await others.close()
            #expect(made.filter { $0 == "JR013" }.count == 7)
            let id = try #require(made.first { $0.hasPrefix("hub-") })
            // What else is stored of the person later leaves it alone.
            try await world.sql(#"select jobrunner.set_user('acme', 'ann', '{"nick": "a"}')"#)
            try await setChannels(["c1"], of: "ann", in: world)
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            let paths = try await world.source.asked().filter { $0.what != "health" }.map(\.path)
            #expect(!paths.isEmpty && paths.allSatisfy { $0.hasPrefix("/api/users/\(id)/") })
        }
    }

    @Test func `MH31 after a registration that timed out the next run heals without anyone`()
        async throws
    {
        try await withWorld(World.metube([("timeout: 30s", "timeout: 400ms")]), videos: 20) {
            world in
            try await world.source.fault(
                #"{"kind": "hang", "path": "/api/users/*/channels", "times": 3}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed timed_out"])
            #expect(try await world.source.asked("feed").isEmpty)
            try await world.runAgain()
            #expect(try await world.outcomes("ann") == ["failed timed_out", "complete"])
            let job = try await world.job("ann")
            #expect(job.int("consecutive_failures") == 0)
            #expect(job.isNull("last_error"))
        }
    }
}

func setChannels(_ channels: [String], of user: String, in world: World) async throws {
    try await world.sql(
        "select jobrunner.replace_list('acme', $1, 'hub_channel', 'channel_id', $2)", .text(user),
        .textArray(channels))
}
