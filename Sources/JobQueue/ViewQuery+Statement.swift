import Postgres

/// The values of a statement that is being put together.
private struct Binder {
    var binds: [Bind] = []

    /// Takes a value; what stands for it in the text.
    mutating func callAsFunction(_ value: Bind) -> String {
        binds.append(value)
        return "$\(binds.count)"
    }
}

extension ViewQuery {
    /// The statement; `readable` are the columns that the role may read.
    func statement(readable: Set<String>) -> Statement {
        let wanted = columns.filter { readable.contains($0.name) }.map(\.sql)
        // Who may read nothing of a view is not refused the rest of the screen.
        guard !wanted.isEmpty else { return Statement("select null::json where false") }
        var bind = Binder()
        let from = source(readable, &bind)
        let conditions = isForLast ? [] : conditions.map { $0.sql(&bind) }
        let (most, behind) = isForLast ? (1, (among ?? 1) - 1) : (limit, 0)
        let sql = """
            select row_to_json(q) from (
              select \(wanted.joined(separator: ", "))
              from \(from)
              \(filter(conditions))
              \(ordered)
              limit \(bind(.int(most))) offset \(bind(.int(behind)))
            ) as q
            """
        return Statement(sql, binds: bind.binds)
    }

    /// Where its rows come from: the view, of it those of jobs that are meant, or of it those that are looked at.
    private func source(_ readable: Set<String>, _ bind: inout Binder) -> String {
        let needed = Set(
            columns.map(\.name).filter(readable.contains) + conditions.map(\.column)
                + order.map { "\($0.column)" }
        ).sorted().map { "v.\($0)" }.joined(separator: ", ")
        var from = "jobrunner.\(view) as v"
        if let jobs {
            let given = jobs.binds.map { bind($0) }.joined(separator: ", ")
            // Row by row: nothing else is bounded by how many are meant.
            from = """
                jobrunner.jobs_meant(\(given), \(bind(.int4(Int32(limit))))) as m
                cross join lateral (
                  select \(needed) from jobrunner.\(view) as v where v.user_id = m.user_id and v.job = m.job offset 0
                ) as v
                """
        }
        guard let among else { return from }
        let first = filter(within.map { $0.sql(&bind) })
        return """
            (select \(needed) from \(from) \(first) \(ordered)
            limit \(bind(.int(among)))) as v
            """
    }

    private var ordered: String {
        let order = order.map { "v.\($0.column)" + ($0.isDescending ? " desc" : "") }
        return order.isEmpty ? "" : "order by " + order.joined(separator: ", ")
    }

    private func filter(_ conditions: [String]) -> String {
        conditions.isEmpty ? "" : "where " + conditions.joined(separator: " and ")
    }
}

extension ViewQuery.Condition {
    fileprivate func sql(_ bind: inout Binder) -> String {
        switch self {
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
