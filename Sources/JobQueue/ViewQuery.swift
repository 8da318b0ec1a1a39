import Postgres

/// What a page asks of one view: words of the program name everything, and what a request says is only ever a bind.
public struct ViewQuery: Sendable {
    /// What is told of a row.
    public enum Column: Sendable {
        /// A column as it is.
        case plain(StaticString)
        /// A column under another name.
        case renamed(StaticString, StaticString)
        /// An interval, in seconds.
        case seconds(StaticString)
        /// An interval in seconds, under another name.
        case secondsAs(StaticString, StaticString)
        /// How long ago a time was, in seconds, under another name.
        case ago(StaticString, StaticString)
    }

    /// Which rows.
    public enum Condition: Sendable {
        case equals(StaticString, String)
        /// Of a tenant by its name; for views that have `tenant_id`, which indexes begin with.
        case tenant(String)
        /// Of a tenant's user by his key; for views that have `user_id`.
        case user(tenant: String, key: String)
        case number(StaticString, Int)
        case isNull(StaticString)
        case isTrue(StaticString)
        /// At this text or behind it, in the column's order.
        case from(StaticString, String)
        /// Behind this text, in the column's order.
        case behind(StaticString, String)
        /// A time of the last so many seconds.
        case within(StaticString, seconds: Double)
        /// Not before a time, ISO 8601.
        case notBefore(StaticString, String)
        /// Before a time, ISO 8601.
        case before(StaticString, String)
        /// Less than a number.
        case less(StaticString, Int)
        /// Before a time, ISO 8601, or at it and less than a number.
        case earlier(StaticString, String, StaticString, Int)
    }

    /// Which jobs, as `jobs_meant` has it.
    public struct Jobs: Sendable, Equatable {
        /// The tenant.
        public var tenant: String
        /// One user of it.
        public var user: String?
        /// One job file.
        public var job: String?
        /// The jobs of one source.
        public var source: String?
        /// Those with this cause.
        public var kind: String?

        /// Jobs of a tenant.
        public init(
            tenant: String, user: String? = nil, job: String? = nil, source: String? = nil,
            kind: String? = nil
        ) {
            self.tenant = tenant
            self.user = user
            self.job = job
            self.source = source
            self.kind = kind
        }

        var binds: [Bind] {
            [.text(tenant)]
                + [user, job, source, kind].map { .optional($0, Bind.text) }
        }
    }

    /// Name of the view, or of a table.
    public let view: StaticString
    /// What is told of each row; a column that the role may not read is left out.
    public let columns: [Column]
    /// What all rows have.
    public var conditions: [Condition]
    /// By which columns they are ordered.
    public let order: [(column: StaticString, isDescending: Bool)]
    /// At most so many.
    public let limit: Int
    /// Only rows of these jobs, of a view with `user_id` and `job`.
    public var jobs: Jobs?
    /// Only the first so many rows of the order are looked at, and of these those that have the conditions; nil when the
    /// conditions find their rows by themselves.
    public var among: Int?
    /// What the rows that are looked at have.
    public var within: [Condition] = []

    /// Asks for the last of the rows that are looked at, whatever it is; no row where all there are were looked at.
    public var lastLookedAt: ViewQuery {
        var last = self
        last.isForLast = true
        return last
    }

    private var isForLast = false

    /// A question; without an order the view's own holds.
    public init(
        _ view: StaticString, _ columns: [Column], where conditions: [Condition] = [],
        of jobs: Jobs? = nil, by order: [(StaticString, Bool)] = [], limit: Int
    ) {
        self.view = view
        self.columns = columns
        self.conditions = conditions
        self.jobs = jobs
        self.order = order.map { (column: $0.0, isDescending: $0.1) }
        self.limit = limit
    }

    /// The statement; `readable` are the columns that the role may read.
    func statement(readable: Set<String>) -> Statement {
        var binds: [Bind] = []
        func bind(_ value: Bind) -> String {
            binds.append(value)
            return "$\(binds.count)"
        }
        let needed = Set(
            columns.map(\.name).filter(readable.contains) + conditions.map(\.column)
                + order.map { "\($0.column)" }
        ).sorted().map { "v.\($0)" }.joined(separator: ", ")
        var from = "jobrunner.\(view) as v"
        if let jobs {
            let given = jobs.binds.map(bind).joined(separator: ", ")
            // Row by row: nothing else is bounded by how many are meant.
            from = """
                jobrunner.jobs_meant(\(given), \(bind(.int4(Int32(limit))))) as m
                cross join lateral (
                  select \(needed) from jobrunner.\(view) as v where v.user_id = m.user_id and v.job = m.job offset 0
                ) as v
                """
        }
        let wanted = columns.filter { readable.contains($0.name) }.map(\.sql)
        // Who may read nothing of a view is not refused the rest of the screen.
        guard !wanted.isEmpty else { return Statement("select null::json where false") }
        func sql(_ condition: Condition) -> String {
            switch condition {
            case .equals(let column, let text): "v.\(column) = \(bind(.text(text)))"
            case .tenant(let name):
                "v.tenant_id = (select t.id from jobrunner.tenants as t where t.name = \(bind(.text(name))))"
            case .user(let tenant, let key):
                """
                v.user_id = (select u.id from jobrunner.users as u join jobrunner.tenants as t on t.id = u.tenant_id
                  where t.name = \(bind(.text(tenant))) and u.key = \(bind(.text(key))))
                """
            case .number(let column, let number): "v.\(column) = \(bind(.int(number)))"
            case .isNull(let column): "v.\(column) is null"
            case .isTrue(let column): "v.\(column)"
            case .from(let column, let text): "v.\(column) >= \(bind(.text(text)))"
            case .behind(let column, let text): "v.\(column) > \(bind(.text(text)))"
            case .within(let column, let seconds):
                "v.\(column) >= now() - \(bind(.interval(Int64(seconds * 1_000_000))))"
            case .notBefore(let column, let text):
                "v.\(column) >= \(bind(.text(text)))::text::timestamptz"
            case .before(let column, let text):
                "v.\(column) < \(bind(.text(text)))::text::timestamptz"
            case .less(let column, let number): "v.\(column) < \(bind(.int(number)))"
            case .earlier(let column, let text, let other, let number):
                "(v.\(column), v.\(other)) < (\(bind(.text(text)))::text::timestamptz, \(bind(.int(number))))"
            }
        }
        let order = order.map { "v.\($0.column)" + ($0.isDescending ? " desc" : "") }
        let ordered = order.isEmpty ? "" : "order by " + order.joined(separator: ", ")
        if let among {
            let first = within.isEmpty ? "" : "where " + within.map(sql).joined(separator: " and ")
            from = """
                (select \(needed) from \(from) \(first) \(ordered)
                limit \(bind(.int(among)))) as v
                """
        }
        let conditions = isForLast ? [] : conditions.map(sql)
        return Statement(
            """
            select row_to_json(q) from (
              select \(wanted.joined(separator: ", "))
              from \(from)
              \(conditions.isEmpty ? "" : "where " + conditions.joined(separator: " and "))
              \(ordered)
              limit \(bind(.int(isForLast ? 1 : limit))) offset \(bind(.int(isForLast ? (among ?? 1) - 1 : 0)))
            ) as q
            """, binds: binds)
    }
}

extension ViewQuery.Condition {
    fileprivate var column: String {
        switch self {
        case .equals(let column, _), .number(let column, _), .isNull(let column),
            .isTrue(let column),
            .from(let column, _), .behind(let column, _), .within(let column, _),
            .notBefore(let column, _), .before(let column, _), .less(let column, _),
            .earlier(let column, _, _, _):
            "\(column)"
        case .tenant: "tenant_id"
        case .user: "user_id"
        }
    }
}

extension ViewQuery.Column {
    fileprivate var name: String {
        switch self {
        case .plain(let name), .renamed(let name, _), .seconds(let name), .secondsAs(let name, _),
            .ago(let name, _):
            "\(name)"
        }
    }

    fileprivate var sql: String {
        switch self {
        case .plain(let name): "v.\(name)"
        case .renamed(let name, let other): "v.\(name) as \(other)"
        case .seconds(let name): "round(extract(epoch from v.\(name))::numeric, 3) as \(name)"
        case .secondsAs(let name, let other):
            "round(extract(epoch from v.\(name))::numeric, 3) as \(other)"
        case .ago(let name, let other):
            "round(extract(epoch from now() - v.\(name))::numeric, 3) as \(other)"
        }
    }
}
