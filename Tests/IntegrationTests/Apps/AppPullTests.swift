import JSON
import JobFiles
import Postgres
import Testing

/// What comes in from the source, asked of every shipped job.
@Suite struct AppPullTests {
    @Test(arguments: AppCase.all)
    func `ST34 LU27 PO15 every column of every table is what the source holds, pulled and pushed`(
        _ app: AppCase
    ) async throws {
        try await app.open(isCrowded: true, users: 2) { world in
            try await world.cloud(app.app, "records", app.place + #""records": [\#(app.odd)]"#)
            for statement in app.besides { try await world.sql(statement) }
            try await world.drain()
            try await app.compare(world, withAll: true)
            guard let edit = app.oddEdit else { return }
            // What was edited here and sent is what the source holds then, by its own words.
            let names = try await app.names(world)
            try await world.sql(
                "update synced.\(app.table) set \(edit), synced = false where \(app.key) = any ($1)",
                .textArray(names[100...102] + names.filter { $0.hasPrefix("odd") }))
            try await world.runAgain()
            try await app.compare(world, withAll: true)
        }
    }

    @Test(arguments: AppCase.all)
    func
        `MS1 SC19 ST14 ST35 a second run on unchanged data writes no row version, and is a success`(
            _ app: AppCase
        ) async throws
    {
        try await app.open { world in
            #expect(try await world.value("select due_at <= now() from jobrunner.jobs") == "true")
            try await world.drain()
            // It is due once its period is over, and asks nothing before.
            #expect(
                try await world.value(
                    "select due_at > now() and due_at <= now() + every from jobrunner.jobs")
                    == "true")
            let asked = try await world.calls().count
            try await world.drain()
            #expect(try await world.calls().count == asked)
            let first = try await world.versions()
            #expect(!first.isEmpty)
            try await world.makeStale()
            try await world.runAgain()
            #expect(try await world.versions() == first)
            // It leaves no row; its job says when it ran.
            #expect(try await world.outcomes(app.user) == ["complete"])
            #expect(
                try await world.value(
                    "select last_success_at > (select max(ended_at) from jobrunner.runs) from jobrunner.jobs"
                ) == "true")
            #expect(try await world.job(app.user).int("consecutive_failures") == 0)
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.all)
    func
        `MS7 MS13 MS15 SC2 SC22 what devices edit and add comes with the next look, and is not sent back`(
            _ app: AppCase
        ) async throws
    {
        try await app.open { world in
            try await world.drain()
            let before = try await world.versions()
            // A pass does not end at what is known.
            let name = try #require(try await app.names(world).last)
            for edit in 0...1 {
                try await app.deviceEdits([name], edit, in: world)
                try await app.deviceAdds(["new_\(edit)"], in: world)
                try await app.look(world)
                #expect(try await app.here(name, in: world) == edit)
                let run = try #require(try await world.runs(app.user).last)
                #expect(run.int("inserted") == 1 && run.int("updated") == 1)
            }
            #expect(try await world.versions().intersection(before).count == before.count - 1)
            #expect(!(try await world.calls().contains("records/modify")))
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.all)
    func `MS16 ST31 SC20 what devices delete goes once it is told of or two full passes lack it`(
        _ app: AppCase
    ) async throws {
        try await app.open { world in
            try await world.drain()
            let names = try await app.names(world)
            // One that comes again, and one that nobody here has seen.
            try await app.deviceAdds(["brief"], in: world)
            try await app.deviceDeletes([names[1], names[5], names[7], "brief"], in: world)
            try await app.deviceAdds([names[7]], in: world)
            for pass in 1...app.looksUntilGone {
                #expect(try await app.names(world) == names)
                try await app.look(world, forDeletions: true)
                guard pass == app.looksUntilGone else { continue }
                let run = try #require(try await world.runs(app.user).last)
                #expect(run.int(app.looksUntilGone == 1 ? "deleted" : "swept") == 2)
            }
            #expect(try await app.names(world).count == names.count - 2)
            try await app.compare(world)
        }
    }

    enum Passes: CaseIterable { case whole, inPieces, withAnUnreadRecord }

    @Test(arguments: AppCase.asked(.sweeps), Passes.allCases)
    func `ST16 ST31 what no feed tells of goes with the second full pass that could have shown it`(
        _ app: AppCase, _ passes: Passes
    ) async throws {
        try await app.open { world in
            try await world.drain()
            let names = try await app.names(world)
            try await app.deviceDeletes([names[1], names[5]], untold: true, in: world)
            if passes == .withAnUnreadRecord {
                try await app.spoil(names[3], in: world)
                try await app.passFully(world)
                #expect(try await world.runs(app.user).last?.int("skipped_incompatible") == 1)
            }
            for _ in 1...2 {
                #expect(try await app.names(world) == names)
                if passes == .inPieces {
                    try await world.enqueue(app.user, full: true, force: true)
                    try await app.interrupt(
                        .stopped, at: app.places[app.places.count / 2], in: world)
                    #expect(try await app.names(world) == names)
                    try await world.runAgain()
                } else {
                    try await app.passFully(world)
                }
            }
            #expect(try await world.runs(app.user).last?.int("swept") == 2)
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.asked(.sweeps))
    func `ST31 SC20 full passes that lack more than the file allows delete nothing and say so`(
        _ app: AppCase
    ) async throws {
        try await app.open { world in
            try await world.drain()
            let names = try await app.names(world)
            let doomed = Array(names.prefix(names.count * 11 / 20))
            try await app.deviceDeletes(doomed, untold: true, in: world)
            for _ in 1...2 { try await app.passFully(world) }
            #expect(try await app.names(world) == names)
            let error = try await world.checkpoint(of: app.entity)["troubles"]?["sweep_refused"]
            #expect(
                error?.text("error")?.contains("\(doomed.count) of \(names.count)") == true)
            #expect(try await world.unfinished() == [])
        }
    }

    @Test(arguments: AppCase.all, ["a full pass", "a reset"])
    func `PO4 rows that were lost here come back from the source`(
        _ app: AppCase, _ way: String
    ) async throws {
        try await app.open { world in
            try await world.drain()
            try await world.sql("truncate synced.\(app.table)")
            if way == "a reset" {
                try await world.sql("select jobrunner.reset_jobs('acme')")
                try await world.runAgain()
            } else {
                try await app.passFully(world)
            }
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.all)
    func `MS9 pages go on while more is coming, also through empty ones`(_ app: AppCase)
        async throws
    {
        try await app.open { world in
            try await app.fault(
                #""kind": "empty_page""#, at: app.places[app.places.count / 2], times: 3, in: world)
            try await world.drain()
            #expect(try await app.pulls(world).count == app.pulls + 3)
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.asked(.feed), ["BAD_REQUEST", "CHANGE_TOKEN_EXPIRED"])
    func `MS10 an expired token costs one full pass, and unsent edits outlive it`(
        _ app: AppCase, _ answer: String
    ) async throws {
        try await app.open { world in
            try await world.cloud(app.app, "settings", #""expired_token": "\#(answer)""#)
            try await world.drain()
            let names = try await app.names(world)
            try await world.cloud(app.app, "expire", #""what": ["sync_tokens"]"#)
            try await app.deviceDeletes([names[1]], untold: true, in: world)
            let isSent = app.does(.pushes)
            if isSent {
                try await app.weEdit("mine", 0, app.made, in: world)
                try await app.weEdit(names[3], 1, in: world)
            }
            let before = try await app.pulls(world).count
            try await world.runAgain()
            // Each entity's token is refused, and then its pages come anew.
            let entities = world.file.entities.count
            let pulls = try await app.pulls(world).count - before
            #expect(pulls == app.pulls + entities)
            #expect(try await app.names(world).contains(names[1]))
            if isSent {
                #expect(try await app.there("mine", in: world) == app.edited.values[0].there)
                #expect(try await app.there(names[3], in: world) == app.edited.values[1].there)
            }
            #expect(try await world.unfinished() == [])
            // The second look, which a feed would not take by itself.
            try await world.runAgain()
            let isSwept = app.does(.sweeps)
            #expect(try await app.names(world).contains(names[1]) == !isSwept)
            guard isSwept else { return }
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.asked(.unfit))
    func
        `MS12 ST15 SC11 LU16 PO8 a record that can't be kept is counted, and the others are stored`(
            _ app: AppCase
        ) async throws
    {
        try await app.open { world in
            try await app.deviceAddsUnfit(world)
            try await app.deviceAdds(["last"], in: world)
            try await world.drain()
            let run = try #require(try await world.runs(app.user).last)
            #expect(run.text("outcome") == "complete")
            let counts = run["entities"]?[app.entity]
            #expect(counts?.int("skipped_incompatible") == app.unfit.count)
            #expect(counts?.int("inserted") == app.records + 1)
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.all)
    func
        `ST16 SC12 a record that the source could not give is counted, and comes with the next run`(
            _ app: AppCase
        ) async throws
    {
        try await app.open { world in
            try await world.drain()
            let name = try await app.names(world)[3]
            try await app.deviceEdits([name], in: world)
            try await app.deviceAdds(["new"], in: world)
            try await app.spoil(name, in: world)
            try await app.look(world)
            let run = try #require(try await world.runs(app.user).last)
            #expect(run.text("outcome") == "complete")
            #expect(run.int("skipped_incompatible") == 1)
            #expect(try await app.here(name, in: world) == nil)
            let failures = try await world.checkpoint(of: app.entity)["record_failures"]
            #expect(failures?.elements.map { $0.text("record") } == [name])
            #expect(failures?.elements.map { $0.text("code") } == ["INTERNAL_ERROR"])
            // Nothing has changed since, and yet no probe excuses the run from reading.
            try await world.makeStale("40 minutes")
            try await world.runAgain()
            #expect(try await app.here(name, in: world) == 0)
            try await app.compare(world)
        }
    }
}

extension AppCase {
    /// A pass that reads everything, whether or not it is time.
    func passFully(_ world: World) async throws {
        try await world.enqueue(user, full: true, force: true)
        try await world.drain()
    }

    /// The source can't give a record in the pull that is to show it.
    fileprivate func spoil(_ name: String, in world: World) async throws {
        let type = isShared ? #", "record_type": "\#(type)""# : ""
        try await world.source.fault(
            #"""
            {"kind": "record_error", "op": "\#(pull)", "code": "INTERNAL_ERROR", "reason": "because",
             "record_name": "\#(name)", "nth": \#(firstPull)\#(type)}
            """#)
    }
}
