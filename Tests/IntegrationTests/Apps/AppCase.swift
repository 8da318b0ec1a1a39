import JSON
import JobFiles
import Testing

/// One shipped job over CloudKit, and the table of it that the questions are about.
///
/// A record's name is the row's key everywhere.
struct AppCase: Sendable, CustomTestStringConvertible {
    let name: String
    let app: CloudApp
    let entity: String
    let table: String
    let key: String
    let type: String
    var zone: String?
    /// The operation that pulls, as the source's log has it.
    var pull = "changes/zone"
    /// How many records the fixture has of the type, with two pages or more.
    var records = 250
    /// Members of the fixture's command, with the number of records and of doubles of them.
    let fixture: @Sendable (Int, Int) -> String
    var duplicates = 0
    /// The fixture has none of the type: devices add them.
    var areAdded = false
    /// The field that both sides edit.
    let edited: EditedField
    /// The fields of a whole record of a device's, by its name, without the edited one.
    let whole: @Sendable (String) -> [String: String]
    /// Fields of records that can't be kept.
    var unfit: [[String: String]] = []
    /// Values of a new row that is made here, beside its key and the edited column.
    var made: [String: String] = [:]
    /// A field in which devices tell when they made an edit, milliseconds since 1970; nil: the source's clock tells.
    var clock: String?
    var winner = Winner.theirs
    /// How a job comes to look for edits and deletions of any record.
    var look = Look.always
    /// How often it must look until a row is gone.
    var looksUntilGone = 1
    /// The first pull of a run that has records of the type.
    var firstPull = 1
    /// The pull of a run that goes on where one was interrupted.
    var resumedPull = 1
    /// So many pulls make a first pass.
    let pulls: Int
    /// Pulls at which a run is interrupted.
    let places: [Place]
    /// What the source holds, of each table.
    let truth: [TruthTable]
    /// The table of each record type.
    let types: [String: String]
    /// Makes of the records what the truth is compared with.
    var prepareTruth: [String] = []
    /// One more record, with odd values.
    let odd: String
    /// Odd values for all columns that are sent, in SQL.
    var oddEdit: String?
    /// What an application does besides, in SQL.
    var besides: [String] = []
    /// Questions that have no meaning here, and why.
    var without: [AppQuestion: String] = [:]

    enum Winner { case theirs, newer, ours }
    enum Look { case always, eachDay }

    /// The `number`-th pull of a record type, or of all.
    struct Place: Sendable, CustomTestStringConvertible {
        var type: String?
        var number: Int

        var testDescription: String { "\(type ?? "pull") \(number)" }
    }

    /// A column and its field, with three values that no fixture has.
    struct EditedField: Sendable {
        let column: String
        let field: String
        /// As JSON at the source, and as the column's text.
        let values: [(there: String, here: String)]

        init(_ column: String, _ field: String, _ values: [String]) {
            self.init(column, field, values, here: values.map { $0.replacing("\"", with: "") })
        }

        init(_ column: String, _ field: String, _ values: [String], here: [String]) {
            self.column = column
            self.field = field
            self.values = zip(values, here).map { ($0, $1) }
        }
    }

    var testDescription: String { name }
    var isShared: Bool { app.fixture == "sportstime" }
    /// Who has the job.
    var user: String { isShared ? "*" : firstUser }
}

/// What not every job does.
enum AppQuestion: Sendable, CaseIterable {
    /// It deletes what full passes lack.
    case sweeps
    /// It goes on at a sync token, which may be lost.
    case feed
    /// It sends edits.
    case pushes
    /// It sends deletions.
    case pushesDeletions
    /// It is a user's own, who has an account at the source.
    case account
    /// There are records that can't be kept.
    case unfit
}

extension AppCase {
    /// Those of which questions can be asked.
    static func asked(_ questions: AppQuestion...) -> [AppCase] {
        all.filter { app in questions.allSatisfy { app.without[$0] == nil } }
    }

    func does(_ question: AppQuestion) -> Bool { without[question] == nil }

    /// Lends a world with the fixture; `isCrowded`: with its broken and double records.
    func open(
        records: Int? = nil, isCrowded: Bool = false, users: Int = 1,
        changes: [(String, String)] = [], _ body: (World) async throws -> Void
    ) async throws {
        let members =
            fixture(records ?? self.records, isCrowded ? duplicates : 0)
            + ", \"broken\": \(isCrowded ? 3 : 0)"
        let added = { (world: World) in
            try await world.expectTruth()
            if areAdded {
                let names = (0..<(records ?? self.records)).map { "added_\(1000 + $0)" }
                try await deviceAdds(names, nil, in: world)
            }
            try await body(world)
        }
        if isShared {
            try await withSports(members, app: app, changes: changes, body)
        } else {
            try await withCloud(
                app, members, users: users, changes: changes, added)
        }
    }
}
