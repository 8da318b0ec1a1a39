import JSON
import JobQueue

/// Ended runs, the latest first.
enum RunsScreen {
    /// Runs by their end, for those of one tenant or user; or by their number, which is drawn when they begin.
    static func runs(
        where conditions: [ViewQuery.Condition], byNumber: Bool = false, limit: Int
    ) -> ViewQuery {
        ViewQuery(
            "user_story",
            [
                .plain("tenant"), .plain("user_key"), .plain("job"), .plain("run"),
                .plain("outcome"), .plain("started_at"), .plain("ended_at"), .seconds("took"),
                .seconds("waited"), .ago("started_at", "began_ago"), .plain("error_kind"),
                .plain("error"), .plain("requests"), .plain("pages"), .plain("fetched"),
                .plain("inserted"), .plain("updated"), .plain("deleted"), .plain("pushed"),
                .plain("entities"),
            ], where: conditions,
            by: byNumber ? [("run", true)] : [("ended_at", true), ("run", true)], limit: limit)
    }

    /// Of so many runs at most those are found that a filter means which no index has.
    private static let lookedAt = 3000

    /// Filters that no index has.
    private static func isSieved(_ place: Place) -> Bool {
        let isOfUser = place["tenant"] != nil && place["user"] != nil
        return !isOfUser
            && (["job", "outcome", "kind"].contains { place[$0] != nil }
                || place["tenant"] == nil
                    && (place["user"] ?? place["since"] ?? place["until"]) != nil)
    }

    static func questions(_ place: Place) -> [ViewQuery] {
        let tenant = place["tenant"]
        var conditions: [ViewQuery.Condition] = []
        if let tenant, let user = place["user"] {
            conditions.append(.user(tenant: tenant, key: user))
        } else if let user = place["user"] {
            conditions.append(.equals("user_key", user))
        }
        let columns: [(StaticString, String)] = [
            ("job", "job"), ("outcome", "outcome"), ("error_kind", "kind"),
        ]
        for (column, parameter) in columns {
            if let value = place[parameter] { conditions.append(.equals(column, value)) }
        }
        if let since = place["since"] { conditions.append(.notBefore("ended_at", since)) }
        let until = place["until"]
        let number = place["before"].flatMap { Int($0) }
        var bounds: [ViewQuery.Condition] = []
        if tenant == nil {
            // By number: what ended later may have begun earlier.
            if let until { conditions.append(.before("ended_at", until)) }
            if let number { bounds.append(.less("run", number)) }
        } else if let until {
            // Many runs end at one moment, since their ends are written together.
            bounds.append(
                number.map { .earlier("ended_at", until, "run", $0) } ?? .before("ended_at", until))
        }
        if let tenant, place["user"] == nil { bounds.append(.tenant(tenant)) }
        var query = runs(where: conditions, byNumber: tenant == nil, limit: Screen.rowsMax + 1)
        guard tenant == nil || isSieved(place) else {
            query.conditions += bounds
            return [query]
        }
        query.among = lookedAt
        query.within = bounds
        return isSieved(place) ? [query, lastLookedAt(place)] : [query]
    }

    /// The last of the runs that are looked at, of which nothing but its place is asked.
    private static func lastLookedAt(_ place: Place) -> ViewQuery {
        let tenant = place["tenant"]
        let number = place["before"].flatMap { Int($0) }
        var last = ViewQuery(
            "runs", [.renamed("id", "run"), .plain("ended_at")],
            by: tenant == nil ? [("id", true)] : [("ended_at", true), ("id", true)], limit: 1)
        if let tenant {
            last.within.append(.tenant(tenant))
            if let until = place["until"] {
                last.within.append(
                    number.map { .earlier("ended_at", until, "id", $0) }
                        ?? .before("ended_at", until))
            }
        } else if let number {
            last.within.append(.less("id", number))
        }
        last.among = lookedAt
        return last.lastLookedAt
    }

    static func table(_ rows: [JSONValue], caption: String) -> HTML {
        PageTable(
            caption: caption,
            columns: [
                .init("Run") { runLink($0) }, .time("Ended", "ended_at"),
                .init("Tenant") { tenantLink($0.text("tenant")) }, .init("User") { userLink($0) },
                .init("Job") { fileLink($0.text("job")) }, .state("Outcome", "outcome"),
                .span("Took", "took"), .span("Waited", "waited"), .number("Pages", "pages"),
                .number("Requests", "requests"), .number("Fetched", "fetched"),
                .number("New", "inserted"), .number("Changed", "updated"),
                .number("Gone", "deleted"), .number("Pushed", "pushed"),
                .init("Error") { "\($0.text("error_kind")) \(longText($0.text("error")))" },
            ], empty: "No run has ended so."
        ).html(rows)
    }

    static func html(_ seen: Seen) -> HTML {
        let (rows, isCut) = seen.listed(0)
        let fields = [
            (name: "tenant", label: "Tenant"), (name: "user", label: "User"),
            (name: "job", label: "Job"), (name: "outcome", label: "Outcome"),
            (name: "kind", label: "Kind of error"), (name: "since", label: "Since"),
            (name: "until", label: "Before"),
        ]
        let place = seen.place
        let hint: HTML = """
            <p class="hint">Times are like 2026-11-24T14:00:00Z. <a href="\(place.with("outcome", "failed"))">Only failed</a></p>
            """
        let jobs: HTML? = place["tenant"].map { tenant in
            let place = Place(
                "/jobs",
                [
                    "tenant": tenant, "user": place["user"], "job": place["job"],
                    "kind": place["kind"],
                ])
            return "<p><a href=\"\(place)\">The jobs, and what can be done to them</a></p>"
        }
        func next(_ row: JSONValue?, _ words: String, isThere: Bool) -> HTML {
            var placeBehind = place.with("before", row?.text("run"))
            if place["tenant"] != nil {
                placeBehind = placeBehind.with("until", row?.text("ended_at"))
            }
            return isThere && row != nil
                ? "<p class=\"more\"><a href=\"\(placeBehind)\">\(words)</a></p>" : ""
        }
        let last = seen.rows.count > 1 ? seen.rows[1].first : nil
        let rest =
            isCut || last == nil
            ? next(rows.last, "More", isThere: isCut)
            : "<p class=\"note\">Of the \(number(lookedAt)) runs that were looked at.</p>\(next(last, "Look at those before", isThere: true))"
        return """
            \(filter(place, fields, hint: hint))\(jobs)\(table(rows, caption: "Runs"))\(rest)
            """
    }
}

/// One run by its number.
enum RunScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        var conditions: [ViewQuery.Condition] = [.number("run", Int(place["id"] ?? "") ?? 0)]
        if let tenant = place["tenant"], let user = place["user"] {
            conditions.append(.user(tenant: tenant, key: user))
        }
        return [RunsScreen.runs(where: conditions, limit: 1)]
    }

    static func html(_ seen: Seen) -> HTML {
        guard let run = seen.rows[0].first else {
            return """
                <p class="empty">No run of that number has left a row: it runs, or it was complete and found nothing new.</p>
                """
        }
        let entities = (run["entities"]?.members ?? []).map { member in
            let counters = (member.value.members ?? []).filter { $0.value.numberText != "0" }
            return JSONValue.object([
                JSONMember("entity", .string(member.name)),
                JSONMember(
                    "counters",
                    .string(
                        counters.map { "\($0.name) \($0.value.numberText ?? "")" }
                            .joined(separator: ", "))),
            ])
        }
        let table = PageTable(
            caption: "Entities",
            columns: [.text("Entity", "entity"), .text("Counters", "counters")],
            empty: "It has committed nothing.")
        return """
            <h2>Run \(run.text("run"))</h2>\(RunsScreen.table([run], caption: "The run"))
            <dl><dt>Began</dt><dd>\(time(run["started_at"]))</dd><dt>Error</dt><dd>\(run.text("error_kind")) \(run.text("error"))</dd></dl>
            <section><h2>Entities</h2>\(table.html(entities))</section>

            """
    }
}
