import JSON
import Postgres
import Testing

/// Whatever is done to a record on both sides, both hold in the end what the rules say, and whatever gave way was told
/// (docs/decisions/0058): a table of cells, each a record of its own.
@Suite struct TwoSidesTests {
    @Test(arguments: Moment.allCases, Policy.all)
    func `every cell of the table of two sides settles as the rules say`(
        _ moment: Moment, _ policy: Policy
    ) async throws {
        let cells = Cell.all(moment)
        try await withStatuses(0, changes: changes(policy)) { world in
            let sides = TwoSides(world: world, cells: cells)
            try await sides.begin()
            try await world.drain()
            try await sides.doOurs()
            if moment == .after { try await world.runAgain() }
            try await sides.doTheirs(during: moment == .between)
            for _ in 1...4 { try await world.runAgain() }
            let found = try await sides.found()
            for (index, cell) in cells.enumerated() {
                let expected = cell.settled(moment, policy)
                #expect(
                    found[index] == expected,
                    "ours \(cell.ours), theirs \(cell.theirs) \(moment), \(policy)")
            }
            let lost = cells.reduce(0) { sum, cell in
                sum + cell.settled(moment, policy).winners.count { $0 == "theirs" }
            }
            #expect(
                try await world.value(
                    "select coalesce(sum((counters).edits_lost), 0)::text from jobrunner.runs")
                    == "\(lost)")
            #expect(
                try await world.value(
                    "select count(*)::text from synced.watched_status where not synced or pending_delete"
                ) == "0")
        }
    }

    private func changes(_ policy: Policy) -> [(String, String)] {
        [
            ("entities:\n", "events: [conflicts]\n\nentities:\n"),
            ("    push:\n", "    push:\n      deletes: true\n"),
            ("unsent: delete", "unsent: \(policy.deletionsWin ? "delete" : "local_edit_wins")"),
            (
                "resolve: newest_wins",
                "resolve: \(policy.isRemoteWins ? "remote_wins" : "newest_wins")"
            ),
        ]
    }

    @Test(arguments: [1, 200])
    func `of two records with one key the one that lives is shown when the other is deleted`(
        size: Int
    ) async throws {
        try await withStatuses(0, changes: [("size: 200", "size: \(size)")]) { world in
            let sides = TwoSides(world: world, cells: [Cell(ours: .nothing, theirs: .duplicate)])
            try await sides.begin()
            try await sides.doTheirs(during: false)
            try await world.drain()
            #expect(try await sides.found()[0].here == ["k": 2])
            try await world.runAgain()
            #expect(try await sides.found()[0].here == ["k": 2])
            try await world.deviceDeletes("q-000")
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await sides.found()[0].here == ["k": 0])
            try await world.deviceDeletes("r-000")
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await sides.found()[0].here == [:])
        }
    }

    @Test
    func
        `a key goes to the record that lives though a lost token hid the deletion`()
        async throws
    {
        try await withStatuses(0) { world in
            let sides = TwoSides(
                world: world,
                cells: [Cell(ours: .nothing, theirs: .duplicate)]
                    + Array(repeating: Cell(ours: .nothing, theirs: .nothing), count: 9))
            try await sides.begin()
            try await sides.doTheirs(during: false)
            try await world.drain()
            // Both are noted by their names, though one row stands for them.
            #expect(
                try await world.value(
                    "select sum(cardinality(keys))::text from jobrunner.seen_pages") == "11")
            #expect(try await sides.found()[0].here == ["k": 2])
            try await world.cloud(
                .metube, "delete",
                #"""
                "user": "user-000001", "zone": "WatchedStatusZone", "names": ["q-000"], "untold": true
                """#)
            try await world.cloud(.metube, "expire", #""what": ["sync_tokens"]"#)
            for _ in 1...4 { try await world.runAgain() }
            #expect(try await sides.found()[0].here == ["k": 0])
            #expect(
                try await world.value("select count(*)::text from synced.watched_status") == "10")
        }
    }

    @Test func `OW12 the record whose edit gave way is told, and not the one that took its key`()
        async throws
    {
        try await withStatuses(0, changes: [("entities:\n", "events: [conflicts]\n\nentities:\n")])
        { world in
            let sides = TwoSides(world: world, cells: [Cell(ours: .edit, theirs: .duplicate)])
            try await sides.begin()
            try await world.drain()
            try await sides.doOurs()
            try await sides.doTheirs(during: false)
            try await world.runAgain()
            #expect(
                try await world.texts(
                    "select concat_ws(' ', detail ->> 'record', detail ->> 'winner') from jobrunner.events where kind = 'conflict_decided'"
                )
                    == ["r-000 theirs"])
        }
    }

    // MARK: A key that is taken

    private func rows(_ world: World) async throws -> [String] {
        try await world.texts(
            "select concat_ws(' ', video_id, record_name, playback_position::integer) from synced.watched_status order by 1"
        )
    }

    /// Another device gives the record `r` the key `taken`.
    private func rename(_ world: World) async throws {
        try await world.cloud(
            .metube, "edit",
            #"""
            "user": "user-000001", "zone": "WatchedStatusZone", "records": [{"recordName": "r", "recordType": "WatchedStatus", "fields": {
              "videoId": {"value": "taken", "type": "STRING"}, "lastModified": {"value": \#(statusBegin + 9000), "type": "TIMESTAMP"},
              "playbackPosition": {"value": 2, "type": "DOUBLE"}}}]
            """#)
    }

    private func withRecord(
        beside other: Bool, _ body: (World) async throws -> Void
    ) async throws {
        let deletes = [
            ("    push:\n", "    push:\n      deletes: true\n")
        ]
        try await withStatuses(0, changes: deletes) { world in
            let names = [("r", "old", 1)] + (other ? [("q", "taken", 7)] : [])
            for (name, key, value) in names {
                try await world.cloud(
                    .metube, "edit",
                    #"""
                    "user": "user-000001", "zone": "WatchedStatusZone", "records": [{"recordName": "\#(name)", "recordType": "WatchedStatus", "fields": {
                      "videoId": {"value": "\#(key)", "type": "STRING"}, "status": {"value": "watched", "type": "STRING"},
                      "lastModified": {"value": \#(statusBegin), "type": "TIMESTAMP"}, "playbackPosition": {"value": \#(value), "type": "DOUBLE"}}}]
                    """#)
            }
            try await world.drain()
            try await body(world)
        }
    }

    @Test func `a record whose new key another one has keeps its row until the other lets go`()
        async throws
    {
        try await withRecord(beside: true) { world in
            try await rename(world)
            try await world.runAgain()
            #expect(try await rows(world) == ["old r 1", "taken q 7"])
            try await world.deviceDeletes("q")
            for _ in 1...3 { try await world.runAgain() }
            #expect(try await rows(world) == ["taken r 2"])
        }
    }

    @Test func `a record whose new key a row made here has is shown when that row is deleted`()
        async throws
    {
        try await withRecord(beside: false) { world in
            try await world.weSave(Save("taken", "watched", statusBegin, position: 5))
            try await rename(world)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await rows(world) == ["old r 1", "taken taken 5"])
            try await world.sql("delete from synced.watched_status where video_id = 'taken'")
            for _ in 1...3 { try await world.runAgain() }
            #expect(try await rows(world) == ["taken r 2"])
        }
    }

    @Test func `an edit of a row that stands where a record goes is not lost with it`() async throws
    {
        try await withRecord(beside: true) { world in
            try await world.sql(
                "update synced.watched_status set playback_position = 8 where video_id = 'taken'")
            try await rename(world)
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await rows(world) == ["old r 1", "taken q 8"])
        }
    }

    @Test func `a new row under the name of a renamed record is refused, and both stay`()
        async throws
    {
        try await withRecord(beside: false) { world in
            try await world.weSave(Save("name", "watched", statusBegin, position: 3))
            try await world.runAgain()
            try await world.sql(
                "update synced.watched_status set video_id = 'moved' where video_id = 'name'")
            try await world.runAgain()
            try await world.weSave(Save("name", "watched", statusBegin, position: 4))
            for _ in 1...2 { try await world.runAgain() }
            #expect(try await rows(world) == ["moved name 3", "name 4", "old r 1"])
            #expect(
                try await world.value(
                    "select left(push_error, 10) from synced.watched_status where not synced")
                    == "NAME_TAKEN")
            #expect(
                try await world.texts("select trouble from jobrunner.jobs_in_trouble") == [
                    "edits_refused"
                ])
        }
    }
}

/// The records of a table of cells, and what is done to them.
private struct TwoSides {
    private static let device = "WatchedStatus"

    let world: World
    let cells: [Cell]
    /// Milliseconds since 1970.
    private let begun = statusBegin

    private func name(_ letter: String, _ cell: Int) -> String {
        letter + "-" + String(repeating: "0", count: 3 - String(cell).count) + String(cell)
    }

    func begin() async throws {
        try await save(
            cells.indices.map { record("r", $0, key: "k", value: 0, at: begun) }, later: "")
    }

    // MARK: Here

    func doOurs() async throws {
        for (number, cell) in cells.enumerated() {
            let key = name("k", number)
            let row = "video_id = '\(key)'"
            switch cell.ours {
            case .nothing: continue
            case .edit:
                try await world.sql(
                    "update synced.watched_status set playback_position = 1 where \(row)")
            case .delete: try await world.sql("delete from synced.watched_status where \(row)")
            case .makeAnew:
                try await world.sql("delete from synced.watched_status where \(row)")
                try await add(key)
            case .rename:
                try await world.sql(
                    "update synced.watched_status set video_id = '\(name("k3", number))' where \(row)"
                )
            case .copy: try await add(name("kc", number))
            }
        }
    }

    private func add(_ key: String) async throws {
        try await world.sql(
            """
            insert into synced.watched_status (user_id, video_id, status, playback_position)
            select id, '\(key)', 'watched', 1 from jobrunner.users where key = $1
            """, .text(userName(1)))
    }

    // MARK: There

    /// `during`: between the look of the next run and its push.
    func doTheirs(during: Bool) async throws {
        let later = during ? #", "after_requests": 1, "after_op": "changes/zone""# : ""
        let now =
            Int(
                try await world.value("select (extract(epoch from now()) * 1000)::bigint::text")
                    ?? "") ?? 0
        var gone: [String] = []
        var saved: [String] = []
        for (number, cell) in cells.enumerated() {
            let ahead = now + 3_600_000
            switch cell.theirs {
            case .nothing: continue
            case .editEarlier:
                saved.append(record("r", number, key: "k", value: 2, at: begun + 1000))
            case .editLater: saved.append(record("r", number, key: "k", value: 2, at: ahead))
            case .delete: gone.append(name("r", number))
            case .makeAnew:
                gone.append(name("r", number))
                saved.append(record("r", number, key: "k", value: 2, at: ahead))
            case .rename: saved.append(record("r", number, key: "k2", value: 2, at: ahead))
            case .duplicate: saved.append(record("q", number, key: "k", value: 2, at: ahead))
            }
        }
        let names = gone.map { "\"\($0)\"" }.joined(separator: ", ")
        try await world.cloud(.metube, "delete", #"\#(place), "names": [\#(names)]\#(later)"#)
        try await save(saved, later: later)
    }

    private let place = #""user": "user-000001", "zone": "WatchedStatusZone""#

    private func save(_ records: [String], later: String) async throws {
        try await world.cloud(
            .metube, "edit",
            #"\#(place), "records": [\#(records.joined(separator: ", "))]\#(later)"#)
    }

    private func record(_ letter: String, _ cell: Int, key: String, value: Int, at: Int) -> String {
        """
        {"recordName": "\(name(letter, cell))", "recordType": "WatchedStatus", "fields": {
          "videoId": {"value": "\(name(key, cell))", "type": "STRING"}, "status": {"value": "watched", "type": "STRING"},
          "lastModified": {"value": \(at), "type": "TIMESTAMP"}, "playbackPosition": {"value": \(value), "type": "DOUBLE"}}}
        """
    }

    // MARK: What came of it

    func found() async throws -> [Settled] {
        var found = cells.map { _ in Settled() }
        func note(_ text: String, _ into: (Int, String) -> Void) {
            let parts = text.split(separator: "-")
            if let cell = parts.last.flatMap({ Int($0) }), found.indices.contains(cell) {
                into(cell, String(parts[0]))
            }
        }
        for row in try await world.rows(
            "select video_id as key, playback_position::bigint as value from synced.watched_status where not pending_delete"
        ) {
            note(row.text("key") ?? "") { found[$0].here[$1] = row.int("value") }
        }
        for (name, record) in try await world.cloudRecords(
            .metube, user: userName(1), zone: "WatchedStatusZone")
        {
            let key =
                record["fields"]?["videoId"]?["value"]?.string?.split(separator: "-").first ?? ""
            let value =
                record["fields"]?["playbackPosition"]?["value"]?.numberText.flatMap(Double.init)
                ?? -1
            note(name) { found[$0].there[$1] = "\(key) \(Int(value))" }
        }
        for event in try await world.rows(
            """
            select detail ->> 'record' as record, detail ->> 'winner' as winner
            from jobrunner.events where kind = 'conflict_decided' order by transaction_id, id
            """)
        {
            note(event.text("record") ?? "") { cell, _ in
                found[cell].winners.append(event.text("winner") ?? "")
            }
        }
        return found
    }
}
