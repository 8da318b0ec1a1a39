import JSON
import JobFiles
import Postgres
import Schema
import Testing

/// Trouble that waits for a person stays until the person acts or it is over, and what the person does is heard.
@Suite struct StandingTroubleTests {
    private static let bound = "deletes: { sweep: after_full_pass, max_fraction: 0.2 }"

    private static func file(_ page: String = "style: token, token_at: next_token, size: 20")
        -> String
    {
        World.generic(
            "token", page: page, query: #"cursor: "{page.token}", since: "{since}""#,
            mode: "newest_wins, newer_by: updated_at, \(bound)",
            incremental: "incremental: { watermark: max_seen, full_every: 24h }")
            + "\nevents: [trouble]\n"
    }

    /// A sweep of 30 of 55 rows was refused, by a list of which a full pass comes once a day.
    private func withRefusedSweep(_ body: (World) async throws -> Void) async throws {
        try await withSyncedWorld(Self.file(), videos: 55) { world in
            try await change("remove", 30, world)
            for _ in 1...2 { try await fullPass(world) }
            #expect(try await world.troubles("ann") == ["sweep_refused"])
            try await body(world)
        }
    }

    private func change(_ op: String, _ count: Int, _ world: World) async throws {
        try await world.source.command(
            "POST", "change",
            #"{"user": "ann", "op": "\#(op)", "\#(op == "add" ? "videos" : "count")": \#(count)}"#)
    }

    private func fullPass(_ world: World) async throws {
        try await world.given(.readFully(ago: "25 hours"))
        try await world.runAgain()
    }

    /// A person stores another file, and workers have it; what is due is run, and nothing else.
    private func store(_ world: World, _ words: String, _ others: String) async throws {
        let text = world.text.replacing(words, with: others)
        #expect(text != world.text)
        let file = try JobFile.parse(text, file: "changed.yaml").get()
        _ = try await Migrator(database: world.pool).migrate(jobFiles: [file])
        await (try await world.start(drains: true, files: [file])).ended()
    }

    /// An answer of 200 whose list is empty.
    private func emptyOnce(_ world: World) async throws {
        try await world.source.fault(
            #"{"kind": "status", "status": 200, "body": "{\"items\": [], \"next_token\": null}"}"#)
    }

    private func rows(_ world: World) async throws -> String? {
        try await world.value("select count(*) from synced.generic_item")
    }

    private func events(_ world: World) async throws -> [String] {
        try await world.texts(
            "select concat_ws(' ', kind, entity, detail ->> 'error_kind') from jobrunner.events order by id"
        )
    }

    @Test func `a refused sweep outlives the good pages that follow, told once`() async throws {
        try await withRefusedSweep { world in
            try await change("add", 3, world)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await world.troubles("ann") == ["sweep_refused"])
            #expect(world.lines.all.count { $0.contains("sweep refused") } == 1)
            #expect(try await events(world) == ["trouble_began item sweep_refused"])
            let trouble = try await world.row("select * from jobrunner.jobs_in_trouble")
            #expect(trouble.text("trouble") == "sweep_refused")
            #expect(trouble.text("detail")?.contains("30 of 55 rows") == true)
            let status = try await world.row("select * from jobrunner.status_of('acme', 'ann')")
            #expect(status.text("needs") == "operator")
            #expect(status.text("why")?.contains("Entity item waits for a person") == true)
            // It keeps its beginning, whatever is said anew.
            let since = try await world.value(
                "select troubles #>> '{sweep_refused,since}' from jobrunner.checkpoints")
            try await fullPass(world)
            #expect(
                try await world.value(
                    "select troubles #>> '{sweep_refused,since}' from jobrunner.checkpoints")
                    == since)
        }
    }

    @Test(arguments: [
        (bound, "deletes: { sweep: after_full_pass, max_fraction: 0.9 }", "25"),
        (bound, "deletes: { sweep: after_full_pass }", "25"),
        (", \(bound)", "", "55"), ("entity: item\n", "entity: item\n    enabled: false\n", "55"),
    ])
    func `what a person makes of a refused sweep is tried at once, in one look`(
        words: String, others: String, left: String
    ) async throws {
        try await withRefusedSweep { world in
            let runs = try await world.runs("ann").count
            try await store(world, words, others)
            #expect(try await rows(world) == left)
            #expect(try await world.troubles("ann") == [])
            #expect(try await world.runs("ann").count <= runs + 1)
            #expect(
                try await world.value("select count(*) from jobrunner.jobs_in_trouble") == "0")
        }
    }

    @Test func `a bound that is still too low is tried once, and not in each run`() async throws {
        try await withRefusedSweep { world in
            try await store(world, "max_fraction: 0.2", "max_fraction: 0.3")
            #expect(try await rows(world) == "55")
            #expect(try await world.troubles("ann") == ["sweep_refused"])
            let asked = try await world.source.asked(by: "ann").count
            let file = try JobFile.parse(
                world.text.replacing("max_fraction: 0.2", with: "max_fraction: 0.3"),
                file: "changed.yaml"
            ).get()
            try await world.makeDue()
            await (try await world.start(drains: true, files: [file])).ended()
            #expect(try await world.source.asked(by: "ann").count == asked + 1)
        }
    }

    @Test func `a refused sweep is over when its rows are shown again`() async throws {
        try await withSyncedWorld(Self.file(), videos: 55) { world in
            for trouble in ["sweep_held", "sweep_refused"] {
                try await emptyOnce(world)
                try await fullPass(world)
                #expect(try await world.troubles("ann") == [trouble])
            }
            try await fullPass(world)
            #expect(try await world.troubles("ann") == [])
            #expect(
                try await events(world).sorted() == [
                    "trouble_began item sweep_held", "trouble_began item sweep_refused",
                    "trouble_ended item sweep_held", "trouble_ended item sweep_refused",
                ])
        }
    }

    @Test func `an end that nothing proves stays in doubt until the file says how lists end`()
        async throws
    {
        try await withWorld(Self.file("style: token, token_at: next, size: 20"), videos: 20) {
            world in
            try await world.drain()
            #expect(try await world.troubles("ann") == ["end_unproven"])
            // A short page of what has changed says nothing of the list.
            try await world.runAgain()
            #expect(try await world.troubles("ann") == ["end_unproven"])
            try await store(world, "size: 20", "size: 30")
            #expect(try await world.troubles("ann") == [])
            #expect(try await world.outcomes("ann").allSatisfy { $0 == "complete" })
        }
    }

    @Test func `a file that changes elsewhere asks for no look where all is well`() async throws {
        try await withSyncedWorld(Self.file(), videos: 55) { world in
            let asked = try await world.source.asked(by: "ann").count
            try await store(world, "max_fraction: 0.2", "max_fraction: 0.3")
            #expect(try await world.source.asked(by: "ann").count == asked)
        }
    }
}
