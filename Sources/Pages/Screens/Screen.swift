public import JSON
public import JobQueue

/// The screens, by their paths.
public enum Screen: String, CaseIterable, Sendable {
    case overview = "/"
    case tenants = "/tenants"
    case tenant = "/tenant"
    case story = "/story"
    case late = "/late"
    case jobs = "/jobs"
    case runs = "/runs"
    case run = "/run"
    case sources = "/sources"
    case workers = "/workers"
    case files = "/files"
    case file = "/file"
    case audit = "/audit"

    static let paths = Set(allCases.map(\.rawValue))

    /// Rows that a screen lists at once.
    static let rowsMax = 50

    /// What stands at the top and in the window's title.
    public var title: String {
        switch self {
        case .overview: "Overview"
        case .tenants: "Tenants"
        case .tenant: "Tenant"
        case .story: "User"
        case .late: "Late jobs"
        case .jobs: "Jobs"
        case .runs: "Runs"
        case .run: "Run"
        case .sources: "Sources"
        case .workers: "Workers"
        case .files: "Job files"
        case .file: "Job file"
        case .audit: "Audit"
        }
    }

    /// It changes while somebody looks, and is sent anew when it has.
    public var isLive: Bool {
        switch self {
        case .overview, .tenant, .story, .late, .runs, .sources, .workers: true
        case .tenants, .jobs, .run, .files, .file, .audit: false
        }
    }

    /// The parameters without which it has nothing to show.
    public var required: [String] {
        switch self {
        case .tenant, .jobs: ["tenant"]
        case .story: ["tenant", "user"]
        case .run: ["id"]
        case .file: ["name"]
        default: []
        }
    }

    /// What it asks of the database.
    public func questions(_ place: Place) -> [ViewQuery] {
        switch self {
        case .overview: OverviewScreen.questions(place)
        case .tenants: TenantsScreen.questions(place)
        case .tenant: TenantScreen.questions(place)
        case .story: StoryScreen.questions(place)
        case .late: LateScreen.questions(place)
        case .jobs: JobsScreen.questions(place)
        case .runs: RunsScreen.questions(place)
        case .run: RunScreen.questions(place)
        case .sources: SourcesScreen.questions(place)
        case .workers: WorkersScreen.questions(place)
        case .files: FilesScreen.questions(place)
        case .file: FileScreen.questions(place)
        case .audit: AuditScreen.questions(place)
        }
    }

    /// What it shows of the answers, which are in the order of the questions.
    public func html(_ seen: Seen) -> HTML {
        switch self {
        case .overview: OverviewScreen.html(seen)
        case .tenants: TenantsScreen.html(seen)
        case .tenant: TenantScreen.html(seen)
        case .story: StoryScreen.html(seen)
        case .late: LateScreen.html(seen)
        case .jobs: JobsScreen.html(seen)
        case .runs: RunsScreen.html(seen)
        case .run: RunScreen.html(seen)
        case .sources: SourcesScreen.html(seen)
        case .workers: WorkersScreen.html(seen)
        case .files: FilesScreen.html(seen)
        case .file: FileScreen.html(seen)
        case .audit: AuditScreen.html(seen)
        }
    }
}

/// What a screen is made of.
public struct Seen: Sendable {
    /// The screen with what it is to show.
    public var place: Place
    /// The answers to its questions, all of one moment.
    public var rows: [[JSONValue]]
    /// That moment.
    public var at: String
    /// Whether what the screen offers may be done by whoever looks.
    public var mayAct: Bool
    /// Whether rows of users may be asked for.
    public var mayLook = false
    /// How it is with everything; nil where the screen does not say so.
    public var judgement: Judgement?
    /// Why the jobs of a user do or do not run, by job; empty where the role may not ask.
    public var reasons: [String: String]
    /// How many of the user's edits wait to be sent, by table.
    public var edits: [JSONValue] = []
    /// What `migrate` makes for the job file that is shown, and what its runs send; nil means that it can't be read.
    public var statements: String?

    /// What was seen at a moment.
    public init(
        place: Place, rows: [[JSONValue]], at: String, mayAct: Bool,
        judgement: Judgement? = nil, reasons: [String: String] = [:]
    ) {
        self.place = place
        self.rows = rows
        self.at = at
        self.mayAct = mayAct
        self.judgement = judgement
        self.reasons = reasons
    }

    /// The rows that are listed; whether there are more of them.
    func listed(_ question: Int) -> (rows: [JSONValue], isCut: Bool) {
        let rows = rows[question]
        return (Array(rows.prefix(Screen.rowsMax)), rows.count > Screen.rowsMax)
    }
}

/// How it is with everything, as `jobrunner health` has it.
public struct Judgement: Sendable {
    /// healthy, degraded or urgent.
    public var word: String
    /// The worst reasons, the worst first.
    public var reasons: [String]
    /// What does not run, by reason: the reason's word, and a sentence.
    public var waiting: [(reason: String, words: String, hint: String?)]

    /// A judgement.
    public init(
        word: String, reasons: [String], waiting: [(reason: String, words: String, hint: String?)]
    ) {
        self.word = word
        self.reasons = reasons
        self.waiting = waiting
    }
}

extension Place {
    /// The value of a parameter; nil when there is none.
    public subscript(name: String) -> String? { query.first { $0.name == name }?.value }
}
