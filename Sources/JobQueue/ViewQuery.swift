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

    fileprivate(set) var isForLast = false

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
}
