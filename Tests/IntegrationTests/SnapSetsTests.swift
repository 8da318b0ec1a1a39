import JSON
import JobQueue
import Postgres
import TestSupport
import Testing

/// A user's saved, created and favourite recipes: kept here, told to the source, counted once.
@Suite struct SnapSetsTests {
    @Test func `SC23 sets are edited at once and sent soon, without a look at the source`()
        async throws
    {
        try await withRecipes(6) { world in
            try await world.drain()
            let calls = try await world.cloudCalls {
                try await world.editSet("favorited", add: ["b", "a"])
                try await world.editSet("created", add: ["c"])
                #expect(
                    try await world.texts("select recipe_id from synced.snap_favorited order by 1")
                        == ["a", "b"])
                // The job is due when the debounce is over, and once.
                #expect(
                    try await world.value(
                        "select due_at > now() and due_at <= now() + interval '1 s' from jobrunner.jobs"
                    )
                        == "true")
                try await world.runAgain()
            }
            #expect(calls.map(\.operation) == ["records/lookup", "records/modify"])
            #expect(
                try await world.profile() == [
                    "createdRecipeIDs": #"["c"]"#, "favoritedRecipeIDs": #"["a","b"]"#,
                ])
            // Nothing has changed since: nothing is sent.
            #expect(try await world.cloudCalls { try await world.runAgain() }.isEmpty)
            try await world.editSet("favorited", add: ["d"], remove: ["a"])
            try await world.editSet("created", remove: ["c"])
            try await world.runAgain()
            #expect(try await world.profile() == ["favoritedRecipeIDs": #"["b","d"]"#])
            // Sets that have become empty are sent once.
            try await world.editSet("favorited", remove: ["b", "d"])
            try await world.runAgain()
            #expect(try await world.profile() == [:])
            #expect(try await world.cloudCalls { try await world.runAgain() }.isEmpty)
        }
    }

    @Test func `SC23 an item of a set with columns says whether the source has it`() async throws {
        let columns = [
            ("column: recipe_id\n", "column: recipe_id\n    columns: { reason: text }\n")
        ]
        try await withRecipes(3, changes: columns) { world in
            try await world.drain()
            try await world.editSet("saved", add: ["a"])
            #expect(try await world.value("select synced from synced.snap_saved") == "false")
            try await world.runAgain()
            #expect(try await world.value("select synced from synced.snap_saved") == "true")
        }
    }

    @Test func `SC23 what other devices keep in the record stays`() async throws {
        try await withRecipes(3) { world in
            try await world.drain()
            try await world.share([
                """
                {"recordName": "profile_\(firstUser)", "recordType": "UserProfile", "fields": {
                  "nickname": {"value": "Ann"}, "savedRecipeIDs": {"value": ["x"], "type": "STRING_LIST"}}}
                """
            ])
            // What a device has made is the server's to write where a role says so.
            try await world.cloud(
                .snapchef, "schema", #""keys_write": ["Recipe", "UserProfile"]"#)
            try await world.editSet("favorited", add: ["a"])
            try await world.runAgain()
            #expect(
                try await world.profile() == [
                    "favoritedRecipeIDs": #"["a"]"#, "nickname": #""Ann""#,
                ])
        }
    }

    @Test func `SC23 of two devices that edit a set at once both have their way`() async throws {
        try await withRecipes(3) { world in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask { try await world.editSet("saved", add: ["r\(number)"]) }
                }
                try await group.waitForAll()
            }
            #expect(
                try await world.texts("select recipe_id from synced.snap_saved order by 1")
                    == (1...8).map { "r\($0)" })
        }
    }

    @Test func `SC23 a worker that has read an older set does not put it over a newer one`()
        async throws
    {
        try await withRecipes(3) { world in
            try await world.drain()
            try await world.editSet("favorited", add: ["old"])
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/lookup"}"#)
            try await world.makeDue()
            let job = try await world.claim()
            let stale = Task { try await world.run(job) }
            try await world.waitUntilHeld()
            // Its set is on its way; meanwhile another worker has the job, and sends a newer one.
            try await world.giveUpWorkers()
            try await world.editSet("favorited", add: ["new"], remove: ["old"])
            try await world.runAgain()
            #expect(try await world.profile() == ["favoritedRecipeIDs": #"["new"]"#])
            try await world.source.command("POST", "hurry", "{}")
            _ = try await stale.value
            #expect(try await world.profile() == ["favoritedRecipeIDs": #"["new"]"#])
            // It knew of no record, was refused, and has looked again at record and set.
            #expect(try await world.calls().filter { $0 == "records/lookup" }.count == 3)
        }
    }

    @Test func `SC24 a save raises the recipe's public count once for each user`() async throws {
        try await withCloud(.snapchef, #""records": 3"#, users: 3) { world in
            try await world.setCount(41)
            for user in 1...3 {
                try await world.editSet("saved", add: [popular], user: userName(user))
            }
            try await world.drain()
            #expect(try await world.count() == 44)
            // Taken away and saved again it is no second save.
            try await world.editSet("saved", remove: [popular])
            try await world.runAgain()
            try await world.editSet("saved", add: [popular])
            try await world.runAgain()
            #expect(try await world.count() == 44)
        }
    }

    /// The first write of a run is of the profile, the second of the count: it is taken, and nobody hears of it.
    @Test(arguments: [[#""times": 0"#, #""nth": 2, "times": 0"#], [#""nth": 2, "times": 1"#]])
    func `SC24 a save whose answer is lost is sent again and counts once`(faults: [String])
        async throws
    {
        try await withRecipes(3) { world in
            try await world.drain()
            try await world.editSet("saved", add: [popular])
            for fault in faults {
                try await world.source.command("DELETE", "faults", "")
                try await world.source.fault(
                    #"{"kind": "cut", "after": 0, "op": "records/modify", \#(fault)}"#)
                try await world.runAgain()
            }
            #expect(try await world.count() == 1)
            #expect(try await world.job(firstUser).text("last_outcome") != "complete")
            try await world.source.command("DELETE", "faults", "")
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await world.count() == 1)
            #expect(try await world.job(firstUser).text("last_outcome") == "complete")
        }
    }

    @Test func `SC24 saves of many users at once are all counted`() async throws {
        try await withCloud(.snapchef, #""records": 2"#, users: 12) { world in
            try await world.drain()
            try await world.setCount(100)
            for user in 1...12 {
                try await world.editSet("saved", add: [popular], user: userName(user))
            }
            try await world.given(.due())
            let workers = [
                try await world.start(), try await world.start(), try await world.start(),
            ]
            try await eventually("all have arrived") {
                // Who met the others again and again is put off, which nobody waits for here.
                try await world.given(.undeferred(.putOff), .dueNow(.putOff))
                return try await world.value(
                    "select count(*) from jobrunner.raised_counts where arrived_at is not null")
                    == "12"
            }
            for worker in workers { await worker.stop() }
            #expect(try await world.count() == 112)
        }
    }

    @Test func `SC24 a save on its way meets that of a device, and both are counted`() async throws
    {
        try await withRecipes(2) { world in
            try await world.drain()
            try await world.editSet("saved", add: [popular])
            // The first look is at the profile.
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/lookup", "nth": 2}"#)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitUntilHeld()
            try await world.setCount(5)
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("it has arrived") {
                try await world.value("select arrived_at is not null from jobrunner.raised_counts")
                    == "true"
            }
            await worker.stop()
            #expect(try await world.count() == 6)
        }
    }

    @Test func `SC24 a recipe that is gone is counted nowhere, and asked for once`() async throws {
        try await withRecipes(3) { world in
            try await world.drain()
            try await world.editSet("saved", add: ["gone", popular])
            try await world.runAgain()
            #expect(try await world.count() == 1)
            #expect(try await world.cloudRecords(.snapchef)["gone"] == nil)
            #expect(try await world.cloudCalls { try await world.runAgain() }.isEmpty)
        }
    }

    @Test func `SC24 a refused save fails the run by name, after the rows are stored`()
        async throws
    {
        try await withRecipes(3) { world in
            try await world.editSet("saved", add: [popular])
            // Apple gives nobody the right to write what others have created.
            try await world.cloud(.snapchef, "schema", #""keys_write": []"#)
            try await world.drain()
            #expect(try await world.recipes().count == 3)
            let job = try await world.job(firstUser)
            #expect(job.text("last_outcome") == "failed")
            #expect(
                job.text("last_error")?.contains("raise_counts: record \(popular): ACCESS_DENIED")
                    == true)
        }
    }
}

/// A recipe of the first user's that everybody saves.
private let popular = "recipe_\(firstUser)_0"

extension World {
    /// Edits one of a user's sets, as an application does.
    fileprivate func editSet(
        _ set: String, add: [String] = [], remove: [String] = [], user: String = firstUser
    ) async throws {
        try await sql(
            "select jobrunner.edit_list('acme', $1, $2, 'recipe_id', $3, $4)", .text(user),
            .text("snap_\(set)"), .textArray(add), .textArray(remove))
    }

    /// What the user's record at the source holds, by field.
    fileprivate func profile() async throws -> [String: String] {
        let record = try await cloudRecords(.snapchef)["profile_\(firstUser)"]
        var fields: [String: String] = [:]
        for member in record?["fields"].map({ Array($0.members) }) ?? [] {
            fields[member.name.string ?? ""] = member.value["value"]?.value?.text
        }
        return fields
    }

    fileprivate func count() async throws -> Int {
        try await cloudRecords(.snapchef)[popular]?["fields"]?["saveCount"]?["value"]?.int ?? 0
    }

    /// Devices have saved it as well.
    fileprivate func setCount(_ count: Int) async throws {
        try await share([
            #"{"recordName": "\#(popular)", "fields": {"saveCount": {"value": \#(count)}}}"#
        ])
    }
}
