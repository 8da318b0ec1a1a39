import JSON
import JobFiles
import Postgres
import Runner
import Testing
import TestSupport

/// What is sent to the source, asked of every shipped job that sends.
@Suite struct AppPushTests {
    private static let all = AppCase.asked(.pushes)

    @Test(arguments: all)
    func `MS18 MS23 PO14 what is added, edited and deleted here is sent, and nothing else`(
        _ app: AppCase
    ) async throws {
        try await app.open { world in
            try await world.drain()
            let before = try await app.there(world)
            let names = try await app.names(world)
            try await app.weEdit("mine", 0, app.made, in: world)
            try await app.weEdit(names[3], 1, in: world)
            #expect(Set(try await app.unsent(world)) == ["mine", names[3]])
            #expect(
                try await world.value(
                    "select bool_and(last_modified > now() - interval '1 minute') from synced.\(app.table) where not synced"
                ) == "true")
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.filter { $0.operation == "records/modify" }.map(\.items) == [2])
            #expect(try await world.runs(app.user).last?.int("pushed") == 2)
            let after = try await app.there(world)
            #expect(app.changed(before, after) == ["mine", names[3]])
            #expect(try await app.there("mine", in: world) == app.edited.values[0].there)
            #expect(try await app.there(names[3], in: world) == app.edited.values[1].there)
            try await app.compare(world)
            // What comes back is the version that is here.
            let rows = try await world.versions()
            let pushes = try await app.pushes(world)
            try await app.passFully(world)
            #expect(try await world.versions() == rows)
            #expect(try await app.pushes(world) == pushes)
            guard app.does(.pushesDeletions) else { return }
            try await app.weDelete("mine", in: world)
            try await app.weDelete(names[4], in: world)
            try await world.runAgain()
            #expect(app.changed(after, try await app.there(world)) == ["mine", names[4]])
            #expect(try await app.names(world) == names.filter { $0 != names[4] })
            try await app.compare(world)
        }
    }

    @Test(arguments: all)
    func `MS11 LU14 rows of one name of two users are two`(_ app: AppCase) async throws {
        try await app.open(records: 3, users: 2) { world in
            try await world.drain()
            for number in 1...2 {
                let name = app.zone == nil ? "same \(number)" : "same"
                let owned = app.made.mapValues {
                    $0.replacing(firstUser, with: userName(number))
                }
                try await app.weEdit(name, 0, owned, user: userName(number), in: world)
            }
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select count(*) from synced.\(app.table) where \(app.key) like 'same%'") == "2"
            )
            try await app.compare(world)
        }
    }

    /// How the source answers to what exists already, and to what has changed.
    static let conflicts = [
        ("EXISTS", "client oplock error updating record", false),
        ("EXISTS", "client oplock error updating record", true),
        ("CONFLICT", "record to update already exists with a different change tag", false),
        ("CONFLICT", "record to update already exists with a different change tag", true),
    ]

    @Test(arguments: all, conflicts)
    func `MS20 LU18 of two edits the one that the file says wins on both sides`(
        _ app: AppCase, _ conflict: (existing: String, stale: String, isLate: Bool)
    ) async throws {
        try await app.open(records: 5) { world in
            try await world.drain()
            try await world.cloud(
                app.app, "settings",
                #""insert_existing": "\#(conflict.existing)", "stale_tag": "\#(conflict.stale)""#)
            let names = try await app.names(world)
            // Devices come after the pull and before the push, so that only the tag can tell; both have made one.
            try await app.weEdit(names[1], 1, in: world)
            try await app.weEdit(names[3], 1, in: world)
            try await app.weEdit("both", 1, app.made, in: world)
            let later =
                app.look == .eachDay
                ? "" : #", "after_requests": \#(app.resumedPull), "after_op": "\#(app.pull)""#
            try await app.deviceEdits(
                [names[3], "both"], isLate: conflict.isLate, isNew: true, later: later, in: world)
            let calls = try await world.cloudCalls { try await world.runAgain() }
            let isOurs = app.winner == .ours || app.winner == .newer && !conflict.isLate
            for (name, winner) in [
                (names[1], 1), (names[3], isOurs ? 1 : 0), ("both", isOurs ? 1 : 0),
            ] {
                #expect(try await app.here(name, in: world) == winner, "\(name)")
                #expect(
                    try await app.there(name, in: world) == app.edited.values[winner].there)
            }
            let pushed = calls.filter { $0.operation.hasPrefix("records/") }
                .map { "\($0.operation) \($0.items)" }
            let again = isOurs ? ["records/modify 2"] : []
            #expect(
                pushed == ["records/modify 3"]
                    + (app.winner == .ours ? [] : ["records/lookup 2"] + again))
            let run = try #require(try await world.runs(app.user).last)
            #expect(run.int("pushed") == (isOurs ? 3 : 1) && run.int("push_failed") == 0)
            #expect(try await app.unsent(world) == [])
            // An edit that the pull itself meets fares no better.
            guard app.look == .always else { return }
            try await app.weEdit(names[3], 1, in: world)
            try await app.deviceEdits([names[3]], 2, isLate: conflict.isLate, in: world)
            try await world.runAgain()
            #expect(try await app.here(names[3], in: world) == (isOurs ? 1 : 2))
            try await app.compare(world)
        }
    }

    @Test(arguments: all)
    func `MS21 a row that is edited while its push is in flight stays unsent`(_ app: AppCase)
        async throws
    {
        try await app.open(records: 5) { world in
            try await world.drain()
            let names = try await app.names(world)
            for name in names[1...2] { try await app.weEdit(name, 0, in: world) }
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitFor("records/modify")
            try await app.weEdit(names[1], 1, in: world)
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("the push is noted") {
                try await app.unsent(world) == [names[1]]
            }
            await worker.stop()
            // It has the new tag, so that the next push meets no conflict.
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(
                calls.filter { $0.operation.hasPrefix("records/") }.map(\.operation)
                    == ["records/modify"])
            #expect(try await app.versions(of: names[1], in: world) == [nil, 0, 1])
            try await app.compare(world)
        }
    }

    @Test(arguments: all)
    func
        `MS22 OW1 LU26 of a batch that fails in part the good rows are clean, the bad ones say why`(
            _ app: AppCase
        ) async throws
    {
        try await app.open(records: 9) { world in
            try await world.drain()
            for name in try await app.names(world) { try await app.weEdit(name, 0, in: world) }
            try await world.source.fault(
                #"{"kind": "record_error", "code": "QUOTA_EXCEEDED", "reason": "no room", "op": "records/modify", "every": 3}"#
            )
            try await world.runAgain()
            let unsent = try await app.unsent(world)
            #expect(unsent.count == 3)
            #expect(
                Set(
                    try await world.texts(
                        "select \(app.key) from synced.\(app.table) where push_error = 'QUOTA_EXCEEDED: no room'"
                    )) == Set(unsent))
            let run = try #require(try await world.runs(app.user).last)
            #expect(run.int("pushed") == 6 && run.int("push_failed") == 3)
            #expect(
                try await world.unfinished() == [
                    "\(world.file.name) partial quota_exceeded the user's store at the source is full, so that 3 edits wait: QUOTA_EXCEEDED: no room"
                ])
            // Pulls go on in their rhythm: that edits wait is no failure of theirs.
            #expect(
                try await world.value(
                    "select consecutive_failures || ' ' || (due_at > now()) || ' ' || (last_success_at = last_run_at) from jobrunner.jobs"
                ) == "0 true true")
            #expect(
                try await world.texts(
                    "select concat_ws(' ', entity, trouble, detail) from jobrunner.jobs_in_trouble")
                    == [
                        "\(app.entity) quota_exceeded quota_exceeded: the user's store at the source is full: 3 edits made here wait until there is room"
                    ])
            #expect(
                try await world.value(
                    "select string_agg(needs, ' ') from jobrunner.status_of('acme', $1)",
                    .text(app.user)) == "user")
            let kept = try await world.checkpoint(of: app.entity)["record_failures"]?.elements
            #expect(Set(kept?.map { $0.text("code") } ?? []) == ["QUOTA_EXCEEDED"])
            let names = kept?.compactMap { $0.text("record") } ?? []
            #expect(names.allSatisfy(unsent.contains))
            // The next run sends them, and the trouble is over.
            let calls = try await world.cloudCalls { try await world.runAgain() }
            #expect(calls.filter { $0.operation == "records/modify" }.map(\.items) == [3])
            #expect(try await world.texts("select trouble from jobrunner.jobs_in_trouble") == [])
            try await app.compare(world)
        }
    }

    @Test(arguments: all)
    func `MS26 a cancel between batches keeps what was sent, and nothing is sent twice`(
        _ app: AppCase
    ) async throws {
        try await app.open(records: 250) { world in
            try await world.drain()
            for name in try await app.names(world) { try await app.weEdit(name, 0, in: world) }
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify", "nth": 2}"#)
            try await world.makeDue()
            let worker = try await world.start()
            try await world.waitFor("records/modify", 2)
            #expect(try await app.unsent(world).count == 50)
            #expect(try await world.value("select jobrunner.cancel_jobs('acme')") == "1")
            try await eventually("the run ends") {
                try await world.outcomes(app.user).contains("partial cancelled")
            }
            #expect(try await world.enqueue(app.user) == "due")
            try await eventually("it goes on") { try await app.unsent(world).isEmpty }
            await worker.stop()
            try await world.runAgain()
            // What was cancelled had arrived.
            let versions = try await app.versions(world)
            #expect(versions.count == 250)
            #expect(versions.values.allSatisfy { $0 == [nil, 0] })
            try await app.compare(world)
        }
    }

    @Test(arguments: all)
    func `AL2 a push whose claim was taken away writes nothing, and what it sent counts once`(
        _ app: AppCase
    ) async throws {
        try await app.open(records: 6) { world in
            try await world.drain()
            let names = try await app.names(world)
            for name in names.prefix(3) { try await app.weEdit(name, 0, in: world) }
            try await app.weEdit("mine", 0, app.made, in: world)
            try await world.source.fault(
                #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
            try await world.makeDue()
            let stale = try await world.start(concurrency: 1) { $0.lease = .seconds(3600) }
            try await world.waitFor("records/modify")
            // The source has taken the batch; nobody here has heard it.
            #expect(try await app.there("mine", in: world) == app.edited.values[0].there)
            #expect(try await app.unsent(world).count == 4)
            // One of them is edited meanwhile.
            try await app.weEdit(names[2], 1, in: world)
            try await world.giveUpWorkers()
            try await world.drain()
            let pushed = try await world.runs(app.user).compactMap { $0.int("pushed") }
            // Where the source's copy wins, the pull has met what was sent.
            #expect(pushed.reduce(0, +) == (app.winner == .theirs ? 1 : 4), "\(pushed)")
            try await app.compare(world)
            #expect(try await app.versions(of: names[0], in: world) == [nil, 0])
            #expect(try await app.versions(of: "mine", in: world) == [0])
            #expect(try await app.versions(of: names[2], in: world) == [nil, 0, 1])
            // An edit that the stale run must not take for sent.
            try await app.weEdit(names[0], 2, in: world)
            let before = try await world.everything(app.table)
            try await world.source.command("POST", "hurry", "{}")
            try await eventually("the stale run finds out") {
                world.lines.all.contains { $0.contains("run lost") }
            }
            await stale.stop()
            #expect(try await world.everything(app.table) == before)
            try await world.runAgain()
            try await app.compare(world)
            #expect(try await app.versions(of: names[0], in: world) == [nil, 0, 2])
        }
    }

    @Test(arguments: AppCase.asked(.pushes, .feed))
    func `MS17 LU19 OW12 an edit of what a device has deleted goes with it, which is counted`(
        _ app: AppCase
    ) async throws {
        try await app.open(records: 5) { world in
            // A pass that had no watermark after it would be a full one, which takes the edit for a new row.
            try await world.secondPasses()
            try await world.drain()
            let name = try await app.names(world)[2]
            try await app.weEdit(name, 0, in: world)
            try await app.deviceDeletes([name], in: world)
            try await world.runAgain()
            #expect(!(try await app.names(world).contains(name)))
            #expect(try await app.there(world)[name] == nil)
            #expect(try await world.runs(app.user).last?.int("edits_lost") == 1)
            try await app.compare(world)
        }
    }

    @Test(arguments: all)
    func `MS25 a run whose push fails has pulled, and is a success when both are done`(
        _ app: AppCase
    ) async throws {
        try await app.open(records: 7) { world in
            try await app.weEdit("mine", 0, app.made, in: world)
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "ACCESS_DENIED", "op": "records/modify"}"#)
            try await world.drain()
            #expect(try await world.outcomes(app.user) == ["failed access_denied"])
            #expect(try await app.names(world).count == 8)
            #expect(try await world.runs(app.user).last?.int("pushed") == 0)
            #expect(try await world.job(app.user).isNull("last_success_at"))
            try await world.runAgain()
            #expect(try await world.runs(app.user).last?.int("pushed") == 1)
            #expect(!(try await world.job(app.user).isNull("last_success_at")))
            try await app.compare(world)
        }
    }

    @Test(arguments: AppCase.asked(.pushes, .feed, .sweeps))
    func `LU21 MS30 a repair pulls all, pushes what the source lacks and pulls again`(
        _ app: AppCase
    ) async throws {
        try await app.open(records: 5) { world in
            try await world.drain()
            let names = try await app.names(world)
            try await app.deviceDeletes([names[4]], untold: true, in: world)
            try await app.weEdit(names[1], 0, in: world)
            try await app.weEdit("mine", 1, app.made, in: world)
            try await world.sql("select jobrunner.repair_jobs('acme', $1)", .text(app.user))
            let calls = try await world.cloudCalls { try await world.drain() }
            // What the source lacked, the edit, and what it never had.
            #expect(calls.filter { $0.operation == "records/modify" }.map(\.items) == [3])
            #expect(calls.last?.operation == app.pull)
            #expect(Set(try await app.there(world).keys) == Set(names + ["mine"]))
            #expect(try await app.there(names[1], in: world) == app.edited.values[0].there)
            try await app.compare(world)
            // It is over: the next run asks only for what is new.
            let rows = try await world.versions()
            try await world.runAgain()
            #expect(try await world.versions() == rows)
        }
    }
}

extension AppCase {
    /// The names of records that are not the same.
    fileprivate func changed(
        _ before: [String: JSONNode], _ after: [String: JSONNode]
    ) -> Set<String> {
        Set(before.keys).union(after.keys).filter {
            before[$0]?.text("recordChangeTag") != after[$0]?.text("recordChangeTag")
        }
    }

    fileprivate func pushes(_ world: World) async throws -> Int {
        try await world.calls().count { $0 == "records/modify" }
    }

    /// Which of the edits each version of each record has, oldest first; nil: another value.
    fileprivate func versions(_ world: World) async throws -> [String: [Int?]] {
        var query = "container=\(app.container)&type=\(type)&history=true"
        query += app.isPublic ? "&database=public" : "&database=private&user=\(user)"
        if let zone { query += "&zone=\(zone)" }
        let answer = try await world.source.command("GET", "cloudkit/records?\(query)")
        var all: [String: [Int?]] = [:]
        for record in answer["records"].map({ Array($0.elements) }) ?? [] {
            var edits: [Int?] = []
            for version in record["history"].map({ Array($0.elements) }) ?? [] {
                let value = version["fields"]?[edited.field]?["value"]?.rawText
                let edit = edited.values.firstIndex { $0.there == value }
                // What is forced may be written twice, and is the same then.
                if winner != .ours || edits.isEmpty || edits.last != edit { edits.append(edit) }
            }
            all[record.text("recordName") ?? ""] = edits
        }
        return all
    }

    fileprivate func versions(of name: String, in world: World) async throws -> [Int?]? {
        try await versions(world)[name]
    }
}

extension World {
    /// Everything that a run could touch.
    fileprivate func everything(_ table: String) async throws -> [String] {
        var state: [String] = []
        for table in [
            "jobrunner.jobs", "jobrunner.checkpoints", "jobrunner.call_memory",
            "jobrunner.secrets", "synced.\(table)", "jobrunner.runs",
        ] {
            state += try await rows(
                "select *, xmin::text as row_version from \(table) order by 1, 2, 3"
            ).map(\.rawText)
        }
        return state
    }
}
