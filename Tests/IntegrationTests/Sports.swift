import JSON
import JobFiles
import Postgres
import Testing
import TestSupport

/// SportsTime over its fixture, without waits and with games of any age.
///
/// Every record of the fixture is whole unless `fixture` says otherwise.
func withSports(
    _ fixture: String = "\"records\": 450", app: CloudApp = .sportstime,
    changes: [(String, String)] = [], agesOut: Bool = false, _ body: (World) async throws -> Void
) async throws {
    let quick = [
        ("  rate:\n", "  retry: { first: 10ms }\n  rate:\n")
    ]
    let isDaily = app.file == CloudApp.sportstime.file
    let timeless =
        agesOut
        ? [] : ["younger_than"] + (isDaily ? ["older_than"] : [])
    // A busy machine may take longer than the file allows, unless the deadline is what the test is about.
    let patient =
        changes.contains { $0.0.hasPrefix("deadline") }
        ? [] : [(isDaily ? "deadline: 5m" : "deadline: 25s", "deadline: 10m")]
    let broken = fixture.contains("broken") ? "" : ", \"broken\": 0"
    try await withCloud(
        app, fixture + broken,
        changes: quick + timeless.map { ("\($0): 400d", "\($0): 30000d") } + patient + changes
    ) { world in
        try await world.expectTruth()
        try await body(world)
    }
}

/// SportsTime's record types.
enum SportsType {
    /// In the order of the file, each with its table.
    static let all = [
        ("Stadium", "st_stadium"), ("LeagueStructure", "st_league_structure"), ("Team", "st_team"),
        ("TeamAlias", "st_team_alias"), ("StadiumAlias", "st_stadium_alias"), ("Game", "st_game"),
        ("Sport", "st_sport"),
    ]
    static let order = all.map(\.0)
    static let tables = Dictionary(uniqueKeysWithValues: all)
}

/// One query that the source was asked.
struct SportsQuery: Equatable {
    var type: String
    var token: String?
    var status: Int
    var records: Int
    var next: String?
    var fault: String?

    init(_ node: JSONNode) {
        type = node.text("record_type") ?? ""
        token = node.text("token")
        status = node.int("status") ?? 0
        records = node.int("records") ?? 0
        next = node.text("next")
        fault = node.text("fault")
    }
}

// What a test looks at.
extension World {
    /// The queries in order, of one type or of all, from the `skip`-th on.
    func queries(_ type: String? = nil, from skip: Int = 0) async throws -> [SportsQuery] {
        try await source.log().dropFirst(skip).map(SportsQuery.init)
            .filter { type == nil || $0.type == type }
    }

    /// Waits until so many queries of a type have come.
    func waitForQuery(_ type: String, _ count: Int = 1) async throws {
        try await eventually("\(count) × \(type)") {
            try await self.queries(type).count >= count
        }
    }

    func checkpoint(of entity: String) async throws -> JSONNode {
        try await row("select * from jobrunner.checkpoints where entity = $1", .text(entity))
    }

    func count(_ table: String) async throws -> Int {
        Int(try await value("select count(*) from synced.\(table)") ?? "") ?? -1
    }
}

// What a test does.
extension World {
    /// A query of a type hangs, the `number`-th from now on.
    func hang(_ type: String, _ number: Int = 1) async throws {
        try await source.fault(
            #"{"kind": "hang", "record_type": "\#(type)", "nth": \#(number)}"#)
    }

    /// Runs until the `number`-th query of a type from now on, and is stopped in the middle of it.
    func cut(_ type: String, _ number: Int = 1) async throws {
        let before = try await queries(type).count
        try await hang(type, number)
        let worker = try await start()
        try await waitForQuery(type, before + number)
        await worker.stop()
    }

    /// Other devices save games anew, from the first on; they get the present time.
    func saveGames(_ numbers: Range<Int>, afterQueries: Int? = nil) async throws {
        let records = numbers.map { number in
            let digits = String(number)
            let name = "game_" + String(repeating: "0", count: 6 - digits.count) + digits
            return #"{"recordName": "\#(name)", "fields": {"sport": {"value": "sport_00001"}}}"#
        }
        let later =
            afterQueries.map { #", "after_requests": \#($0), "after_op": "records/query""# } ?? ""
        try await cloud(
            .sportstime, "edit", #""records": [\#(records.joined(separator: ", "))]\#(later)"#)
    }

    func deleteUpstream(_ members: String) async throws {
        try await cloud(.sportstime, "delete", members)
    }

    /// The answers of `trigger_event` for the tenant.
    @discardableResult
    func happens(_ event: String) async throws -> [String] {
        try await rows("select answer from jobrunner.trigger_event('acme', null, $1)", .text(event))
            .compactMap { $0.text("answer") }
    }
}
