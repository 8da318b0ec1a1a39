import Basics
import Foundation
import JSON
import Postgres
import TestJobFiles
import Testing

/// Both sides edit, delete and make anew at random, with clocks hours apart.
///
/// The source keeps another form of texts, refuses single records and loses answers. Then it is quiet, and every edit made here has either arrived, or was replaced here by a
/// later one, or was told as lost.
///
/// `JOBRUNNER_SIDES_SECONDS` makes it longer, in worlds of fifteen seconds each, `JOBRUNNER_SIDES_SEED` other.
@Suite struct TwoSidesSoakTests {
    @Test func `no edit of either side vanishes without a word, whatever the sides do at once`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["JOBRUNNER_SIDES_SECONDS"].flatMap { Int($0) } ?? 5
        let seed = environment["JOBRUNNER_SIDES_SEED"].flatMap { UInt64($0) } ?? 1
        for round in 0..<max(1, seconds / Self.roundSeconds) {
            try await soak(
                .seconds(min(seconds, Self.roundSeconds)), seed: seed &* 1000 &+ UInt64(round))
        }
    }

    /// The history of a longer one is more than is read at once.
    private static let roundSeconds = 15

    private func soak(_ span: Duration, seed: UInt64) async throws {
        let changes = [
            ("entities:\n", "events: [conflicts]\n\nentities:\n"),
            ("    push:\n", "    push:\n      deletes: true\n"),
            ("unsent: delete", "unsent: local_edit_wins"),
            ("  rate:\n", "  retry: { first: 5ms }\n  rate:\n"),
            ("          one_of: [unknown, unwatched, watched, skipped]\n", ""),
        ]
        try await withStatuses(0, changes: changes) { world in
            var sides = MovingSides(world, seed: seed)
            try await world.settings(#""normalises": true"#)
            let worker = try await world.start()
            let end = ContinuousClock.now + span
            while ContinuousClock.now < end { try await sides.move() }
            try await world.source.command("DELETE", "faults", "")
            await worker.stop()
            try await sides.settle()
            try await sides.check()
        }
    }
}

/// What one side holds of a record; `modified` in milliseconds since 1970.
private struct Version: Equatable {
    var text: String
    var modified: Int
}

/// What both sides do, and what must be true of it afterwards.
private struct MovingSides {
    private static let records = 12

    private let world: World
    private var random: SplitMix
    private var number = 0
    /// What was done here to each key, in order: the text of an edit; nil: a deletion.
    private var ours: [String: [String?]] = [:]

    init(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed)
    }

    mutating func move() async throws {
        number += 1
        let key = "v-\(Int.random(in: 1...Self.records, using: &random))"
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: try await edit(key)
        case 7..<9: try await delete(key)
        case 9..<14: try await deviceSaves(key)
        case 14: try await world.deviceDeletes(key)
        case 15: try await disturb()
        default: try await world.makeDue()
        }
    }

    private mutating func edit(_ key: String) async throws {
        // Blanks that the source takes away.
        let text = "  ours \(number)"
        try await world.sql(
            """
            insert into synced.watched_status as t (user_id, video_id, status)
            select id, $2, $3 from jobrunner.users where key = $1
            on conflict (user_id, video_id) do update set status = excluded.status, pending_delete = false
            """, .text(userName(1)), .text(key), .text(text))
        ours[key, default: []].append("ours \(number)")
    }

    private mutating func delete(_ key: String) async throws {
        let there = try await world.rows(
            "with gone as (select from synced.watched_status where video_id = '\(key)' and not pending_delete) select count(*) as n from gone"
        )
        try await world.sql("delete from synced.watched_status where video_id = '\(key)'")
        if there.first?.int("n") == 1 { ours[key, default: []].append(nil) }
    }

    /// Its clock is up to two hours off.
    private mutating func deviceSaves(_ key: String) async throws {
        let now = Int(Date().timeIntervalSince1970 * 1000)
        let at = now + Int.random(in: -7_200_000...7_200_000, using: &random)
        try await world.deviceSaves(Save(key, "theirs \(number)", at))
    }

    private mutating func disturb() async throws {
        try await world.source.command("DELETE", "faults", "")
        let faults = [
            #"{"kind": "record_error", "code": "QUOTA_EXCEEDED", "op": "records/modify", "every": 2, "times": 2}"#,
            #"{"kind": "record_error", "code": "TRY_AGAIN_LATER", "retry_after": 1, "op": "records/modify", "every": 3, "times": 2}"#,
            #"{"kind": "cut", "after": 0, "op": "records/modify", "times": 1}"#,
            #"{"kind": "record_error", "code": "CONFLICT", "op": "records/modify", "every": 2, "times": 1}"#,
        ]
        try await world.source.fault(faults.randomElement(using: &random) ?? faults[0])
    }

    /// Runs until nothing waits.
    func settle() async throws {
        for _ in 1...12 {
            try await world.sql(
                "update synced.watched_status set push_pause = null where push_pause is not null")
            try await world.runAgain()
        }
        #expect(
            try await world.texts(
                "select concat_ws(' ', video_id, push_error) from synced.watched_status where not synced or pending_delete"
            )
                == [])
    }

    func check() async throws {
        #expect(number > 20)
        let (here, there) = (try await here(), try await there())
        // A device whose clock is behind writes what is older by the rule: here the newer one stays, and that is counted.
        let differences = Set(here.keys).union(there.keys).filter { key in
            guard let ours = here[key], let theirs = there[key] else { return true }
            return ours.text != theirs.text && ours.modified <= theirs.modified
        }.map { key in
            "\(key): here \(here[key].map { "\($0)" } ?? "-"), there \(there[key].map { "\($0)" } ?? "-")"
        }
        #expect(differences == [])
        let lost = try await world.rows(
            """
            select detail ->> 'record' as record, count(*) as n from jobrunner.events
            where kind = 'conflict_decided' and detail ->> 'winner' = 'theirs' group by 1
            """)
        let lostByKey = Dictionary(
            lost.map { ($0.text("record") ?? "", $0.int("n") ?? 0) }, uniquingKeysWith: +)
        let history = try await history()
        for (key, edits) in ours {
            // What a later one of ours replaced before it was sent need not have arrived.
            guard let last = edits.last else { continue }
            let arrived = history[key] ?? [nil]
            #expect(
                arrived.contains(last) || lostByKey[key, default: 0] > 0,
                "\(key): the last of \(edits.count) edits, \(last ?? "a deletion"), is not there, and nobody was told"
            )
        }
        #expect(
            try await world.value(
                "select coalesce(sum((counters).edits_lost), 0)::text from jobrunner.runs")
                == "\(lostByKey.values.reduce(0, +))")
    }

    private func here() async throws -> [String: Version] {
        let rows = try await world.rows(
            """
            select video_id, status, floor(extract(epoch from last_modified) * 1000)::bigint as modified
            from synced.watched_status
            """)
        return Dictionary(
            rows.map { row in
                let version = Version(
                    text: row.text("status") ?? "", modified: row.int("modified") ?? 0)
                return (row.text("video_id") ?? "", version)
            }, uniquingKeysWith: { $1 })
    }

    private func there() async throws -> [String: Version] {
        try await world.cloudRecords(.metube, user: userName(1), zone: "WatchedStatusZone")
            .mapValues { record in
                let fields = record["fields"]
                return Version(
                    text: fields?["status"]?["value"]?.string ?? "",
                    modified: fields?["lastModified"]?["value"]?.int ?? 0)
            }
    }

    /// What each record was, oldest first; nil: deleted.
    private func history() async throws -> [String: [String?]] {
        let answer = try await world.source.command(
            "GET",
            "cloudkit/records?container=\(CloudApp.metube.container)&database=private&user=\(userName(1))"
                + "&zone=WatchedStatusZone&history=true&deleted=true")
        var all: [String: [String?]] = [:]
        for record in answer["records"].map({ Array($0.elements) }) ?? [] {
            all[record.text("recordName") ?? ""] = record["history"]?.elements.map {
                $0["fields"]?["status"]?["value"]?.string
            }
        }
        return all
    }
}
