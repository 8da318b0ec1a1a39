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
        changes: quick + timeless.map { ("\($0): 400d", "\($0): 30000d") } + patient + changes, body
    )
}

/// A record type, its table, and the name of its key there and here.
struct SportsType {
    let type: String
    let table: String
    let member: String
    let column: String
    /// The field that tells its time; nil: the record's own.
    var time: String?

    static let all = [
        SportsType(
            type: "Stadium", table: "st_stadium", member: "canonicalId", column: "canonical_id"),
        SportsType(
            type: "LeagueStructure", table: "st_league_structure", member: "structureId",
            column: "structure_id", time: "lastModified"),
        SportsType(type: "Team", table: "st_team", member: "canonicalId", column: "canonical_id"),
        SportsType(
            type: "TeamAlias", table: "st_team_alias", member: "aliasId", column: "alias_id",
            time: "lastModified"),
        SportsType(
            type: "StadiumAlias", table: "st_stadium_alias", member: "aliasName",
            column: "alias_name", time: "lastModified"),
        SportsType(type: "Game", table: "st_game", member: "canonicalId", column: "canonical_id"),
        SportsType(type: "Sport", table: "st_sport", member: "sportId", column: "sport_id"),
    ]

    /// All types in the order of the file.
    static let order = all.map(\.type)
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

    /// Keys, with times, that only the source or only the database has.
    func differences() async throws -> [String] {
        var all: [String] = []
        for kind in SportsType.all {
            var there: Set<String> = []
            for record in try await cloudRecords(.sportstime, type: kind.type).values {
                guard let key = record["fields"]?[kind.member]?["value"]?.string else { continue }
                let time =
                    kind.time.map { record["fields"]?[$0]?["value"]?.int }
                    ?? record["modified"]?["timestamp"]?.int
                there.insert("\(kind.type) \(key) \(time ?? -1)")
            }
            let here = try await rows(
                """
                select \(kind.column) as key,
                  (extract(epoch from modified_at) * 1000)::bigint as time
                from synced.\(kind.table)
                """
            ).map { "\(kind.type) \($0.text("key") ?? "") \($0.int("time") ?? -1)" }
            #expect(Set(here).count == here.count)
            all += there.symmetricDifference(here)
        }
        return all.sorted()
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
