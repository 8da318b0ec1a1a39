import Foundation
import Postgres
import Testing

/// Edits that meet their push at its worst moments, again and again; `JOBRUNNER_EDIT_ROUNDS` says how often each.
@Suite struct EditSoakTests {
    /// What happens between the source's acceptance and our commit.
    enum Trouble: String, CaseIterable {
        case edited = "an edit in an open transaction"
        case killed = "a kill"
        case unanswered = "a lost reply"
    }

    /// A row that an application edits and a device has too.
    enum EditedRow: String, CaseIterable {
        case article = "Luego's article"
        case status = "MeTube's status"
    }

    @Test(arguments: EditedRow.allCases, Trouble.allCases)
    func `no edit is lost whose push meets trouble`(row: EditedRow, trouble: Trouble) async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["JOBRUNNER_EDIT_ROUNDS"].flatMap { Int($0) } ?? 2
        try await withWorld(of: row) { world in
            try await world.drain()
            let program = try KilledProgram(world)
            defer { program.clear() }
            for round in 1...rounds {
                let last = try await push(2 * round, of: row, into: trouble, world, program)
                try await world.source.command("DELETE", "faults", "")
                try await world.runAgain()
                let held = try await held(row, world)
                #expect(held.here == "\(last)" && held.there == "\(last)", "round \(round)")
                #expect(
                    try await world.value("select count(*) from \(row.table) where not synced")
                        == "0")
            }
        }
    }

    private func withWorld(of row: EditedRow, _ body: (World) async throws -> Void) async throws {
        switch row {
        case .article: try await withArticles(3) { try await body($0) }
        case .status: try await withStatuses(3) { try await body($0) }
        }
    }

    /// Edits, lets a run send it and trouble come; returns the number of the last edit.
    private func push(
        _ number: Int, of row: EditedRow, into trouble: Trouble, _ world: World,
        _ program: KilledProgram
    ) async throws -> Int {
        try await world.sql(row.edit(number))
        guard trouble != .unanswered else {
            // The source takes what was sent, and no answer comes.
            try await world.source.fault(
                #"{"kind": "cut", "after": 0, "op": "records/modify", "times": 0}"#)
            try await world.runAgain()
            try await world.sql(row.edit(number + 1))
            return number + 1
        }
        try await world.source.fault(
            #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#)
        try await world.makeDue()
        if trouble == .edited {
            let worker = try await world.start()
            try await world.waitUntilHeld()
            let edit = try await OpenTransaction(world.database.url, row.edit(number + 1))
            try await world.source.command("POST", "hurry", "{}")
            try await waitForLock(in: world.database.url)
            try await edit.commit()
            try await isOver(world)
            await worker.stop()
            return number + 1
        }
        let worker = try program.start()
        try await world.waitUntilHeld()
        // So that the answer is there and the commit waits.
        let lock = try await OpenTransaction(
            world.database.url, "select from \(row.table) where \(row.key) for update")
        try await world.source.command("POST", "hurry", "{}")
        try await waitForLock(in: world.database.url)
        kill(worker.processIdentifier, SIGKILL)
        worker.waitUntilExit()
        try await lock.rollBack()
        try await eventually("its job is given up") {
            try await world.giveUpWorkers()
            return try await world.value(
                "select count(*) from jobrunner.jobs where worker_id is not null") == "0"
        }
        // Kills in a row would set the job aside.
        try await world.given(.crashed(times: 0))
        return number
    }

    private func isOver(_ world: World) async throws {
        try await eventually("the run is over") {
            try await world.value("select count(*) from jobrunner.jobs where worker_id is not null")
                == "0"
        }
    }

    /// The number of the edit that stands in the row, here and at the source.
    private func held(_ row: EditedRow, _ world: World) async throws -> (
        here: String?, there: String?
    ) {
        switch row {
        case .article: return try await world.titles("article_1")
        case .status:
            let here = try await world.local()[video(1)]?.save.position
            let there = try await world.remote()[video(1)]?.position
            return (here.map { "\(Int($0))" }, there.map { "\(Int($0))" })
        }
    }
}

extension EditSoakTests.EditedRow {
    fileprivate var table: String {
        switch self {
        case .article: "synced.article"
        case .status: "synced.watched_status"
        }
    }

    fileprivate var key: String {
        switch self {
        case .article: "record_name = 'article_1'"
        case .status: "video_id = '\(video(1))'"
        }
    }

    /// An application's edit by plain SQL; a later one has a greater number.
    fileprivate func edit(_ number: Int) -> String {
        let values =
            switch self {
            case .article: "title = '\(number)'"
            case .status:
                "playback_position = \(number), last_modified = timestamptz '2026-01-01' + \(number) * interval '1 s'"
            }
        return "update \(table) set \(values), synced = false where \(key)"
    }
}
