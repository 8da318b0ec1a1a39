public import JSON
public import JobQueue

/// What a person is asked before something is done.
public struct Confirmation: Sendable {
    /// The act's word.
    public var act: String
    /// To which jobs; of a breaker its tenant and source.
    public var jobs: ViewQuery.Jobs
    /// How many jobs there are; nil where that does not matter.
    public var count: Int?
    /// Where the way leads back to.
    public var back: Place

    /// A question.
    public init(act: String, jobs: ViewQuery.Jobs, count: Int?, back: Place) {
        self.act = act
        self.jobs = jobs
        self.count = count
        self.back = back
    }

    /// More jobs than one act may mean.
    public static let most = 2000

    /// What each act is called, and what it means.
    public static let acts: [String: (verb: String, means: String)] = [
        "run": (
            "Run now",
            "They are due now, unless they are paused, set aside, deferred or wait for a secret."
        ),
        "full": ("Read in full", "They are due now, and read everything again."),
        "retry": (
            "Retry",
            "Those that fail, are deferred or set aside are due now; what is well stays as it is."
        ),
        "cancel": ("Cancel", "Those that run are asked to stop; what they have committed stays."),
        "pause": ("Pause", "They do not run until they are resumed."),
        "resume": (
            "Resume",
            "They go on. A whole tenant or user goes on where the tenant or user was paused."
        ),
        "reset": (
            "Reset",
            "Their checkpoints are forgotten: the next run reads everything again. Rows stay."
        ),
        "repair": (
            "Repair", "Everything is read in full, and what the source lacks is sent to it anew."
        ),
        "close-breaker": ("Close the breaker", "The source is asked again at once."),
        "renew-key": (
            "Give it another key",
            "A worker makes a new key within a minute, and seals all secrets of the tenant with it."
        ),
    ]

    /// Those that mean a tenant or its source, and no jobs.
    public static let actsOnNoJobs: Set = ["close-breaker", "renew-key"]

    /// The page that asks.
    public func html() -> HTML {
        guard let (verb, means) = Self.acts[act] else { return "" }
        guard (count ?? 1) <= Self.most else {
            return """
                <p>More than \(number(Self.most)) jobs are meant. Choose fewer, or use the command line, which has no such bound.</p>\(wayBack)
                """
        }
        let hidden = fields.map { field -> HTML in
            "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        }
        let what: HTML =
            count.map { "\(verb): \(number($0)) \($0 == 1 ? "job" : "jobs")" } ?? "\(verb)"
        return """
            <form class="confirm" method="post" action="/act">\(hidden)
            <p><strong>\(what)</strong></p><p>\(means)</p>\(filter)
            <label>Why? It stands in the audit. <input name="why" maxlength="1000" autofocus></label>
            <button>\(what)</button></form>\(wayBack)

            """
    }

    private var wayBack: HTML { "<p><a href=\"\(back)\">Back, and do nothing</a></p>" }

    private var filter: HTML {
        let shown = fields.filter { !["act", "count", "back"].contains($0.name) }.map {
            field -> HTML in
            "<dt>\(field.name)</dt><dd>\(field.value)</dd>"
        }
        return "<dl>\(shown)</dl>"
    }

    private var fields: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("act", act), ("tenant", jobs.tenant), ("user", jobs.user), ("job", jobs.job),
            ("source", jobs.source), ("kind", jobs.kind), ("count", count.map(String.init)),
            ("back", back.text),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

/// Pages that are no screens.
public enum Notice {
    /// What an act has done.
    public static func done(_ act: String, _ acted: Acted, back: Place) -> HTML {
        let verb = Confirmation.acts[act]?.verb ?? act
        return """
            <p role="status">\(verb): \(number(acted.meant)) \(acted.meant == 1 ? "job was" : "jobs were") meant, \(number(acted.changed)) changed.</p>
            <p><a href="\(back)">Back</a> · <a href="\(Place("/audit"))">The audit</a></p>
            """
    }

    /// Another key of a tenant is asked for, or was already.
    public static func renewed(_ isAsked: Bool, back: Place) -> HTML {
        let words =
            isAsked
            ? "Another key is asked for: a worker makes it within a minute, and seals the secrets with it."
            : "Nothing was done: another key is asked for already, or the tenant has none yet."
        return "<p role=\"status\">\(words)</p><p><a href=\"\(back)\">Back</a></p>"
    }

    /// Why something was not done, or can't be shown.
    public static func refused(_ reason: String) -> HTML {
        "<p role=\"alert\">\(reason)</p><p><a href=\"\(Place("/"))\">Overview</a></p>"
    }

    /// Asks for a token.
    public static func signIn(next: Place?, wasWrong: Bool) -> HTML {
        let wrong: HTML? = wasWrong ? "<p role=\"alert\">That is no token of this server.</p>" : nil
        return """
            \(wrong)<form class="confirm" method="post" action="/sign-in"><input type="hidden" name="next" value="\(next?.text ?? "/")">
            <label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
            <button>Sign in</button></form>
            """
    }

    /// Rows of a table that somebody looks at.
    public static func rows(_ rows: [JSONValue], table: String, back: Place) -> HTML {
        let names = rows.first?.members?.map(\.name) ?? []
        let columns = names.map { name in
            PageTable.Column(name) { row in
                longText(row[name].flatMap { $0.string ?? ($0 == .null ? nil : $0.text) })
            }
        }
        let html = PageTable(caption: table, columns: columns, empty: "This user has no row there.")
            .html(rows)
        return "\(html)<p>This look stands in the audit.</p><p><a href=\"\(back)\">Back</a></p>"
    }
}
