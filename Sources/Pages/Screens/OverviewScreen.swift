import JSON
import JobQueue

/// How it is, and what somebody should look at first.
enum OverviewScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        [
            causes(limit: Screen.rowsMax + 1),
            ViewQuery(
                "runs_of_day", [.plain("quarters_ago"), .plain("outcome"), .plain("value")],
                limit: 1000),
            ViewQuery(
                "counted_freshness",
                [
                    .plain("job"), .plain("tenant"), .plain("users"), .plain("fresh"),
                    .plain("never"), .plain("fresh_percent"), .seconds("every"),
                    .seconds("counted_ago"), .plain("day"),
                ], limit: 200),
            workers, counting,
        ]
    }

    /// When causes and what waits were last counted.
    static let counting = ViewQuery(
        "chores", [.ago("done_at", "counted_seconds")], where: [.equals("name", "waiting")],
        limit: 1)

    /// How old numbers are that workers count once a minute.
    static func age(_ rows: [JSONValue]) -> HTML {
        guard let row = rows.first, row.text("counted_seconds") != nil else {
            return "<p class=\"age\">Nothing was counted yet: workers count once a minute.</p>"
        }
        return "<p class=\"age\">Counted \(span(row["counted_seconds"])) before.</p>"
    }

    /// What keeps users from being synced, of all tenants or of one.
    static func causes(of tenant: String? = nil, limit: Int) -> ViewQuery {
        ViewQuery(
            "causes",
            [
                .plain("source"), .plain("tenant"), .plain("error_kind"), .plain("words"),
                .plain("is_urgent"), .plain("users"), .plain("may_be_more"), .plain("is_whole"),
                .plain("since"), .secondsAs("lasting", "lasting_seconds"), .plain("job"),
                .renamed("user_key", "user"), .plain("error"), .plain("hint"),
                .secondsAs("counted_ago", "counted_seconds"),
            ], where: tenant.map { [.equals("tenant", $0)] } ?? [], limit: limit)
    }

    static let workers = ViewQuery(
        "worker_health",
        [
            .plain("worker_id"), .plain("host"), .plain("pid"), .plain("version"), .plain("health"),
            .plain("capacity"), .plain("running_count"), .plain("started_at"),
            .secondsAs("silent_for", "silent_seconds"), .plain("other_files"),
        ], where: [.isNull("ended_at")], limit: 200)

    static func html(_ seen: Seen) -> HTML {
        var html: HTML = ""
        if let judgement = seen.judgement { html += sentence(judgement) }
        html += causesHTML(seen, 0, countedAt: 4, title: "What keeps users from being synced")
        html += freshness(seen)
        html += runs(seen)
        html += waiting(seen)
        html += WorkersScreen.table(seen.rows[3])
        return html
    }

    private static func sentence(_ judgement: Judgement) -> HTML {
        let reasons = judgement.reasons.map { reason -> HTML in "<li>\(reason)</li>" }
        return """
            <section class="verdict \(judgement.word)" aria-label="How it is"><p><strong>\(judgement.word)</strong></p>\
            <ul>\(reasons)</ul></section>

            """
    }

    static func causesHTML(
        _ seen: Seen, _ question: Int, countedAt counting: Int, title: String
    ) -> HTML {
        let causes = PageTable(
            caption: title,
            columns: [
                .init("What") { row in
                    let place = Place(
                        "/jobs",
                        [
                            "tenant": row.text("tenant"), "source": row.text("source"),
                            "kind": row.text("error_kind"),
                        ])
                    return """
                        <a href="\(place)"><strong>\(row.text("source"))</strong> \(row.text("words"))</a>
                        """
                },
                .init("Tenant") { row in
                    let whole: HTML? = row["is_whole"]?.bool == true ? " <em>as a whole</em>" : nil
                    return "\(tenantLink(row.text("tenant")))\(whole)"
                },
                .init("Users", isNumber: true) {
                    number($0["users"], orMore: $0["may_be_more"]?.bool ?? false)
                },
                .time("Since", "since"),
                .init("Such as") { row in
                    "\(userLink(row, "user")) \(row.text("job")) \(longText(row.text("error")))"
                },
                .init("What helps") { row in
                    let jobs = ViewQuery.Jobs(
                        tenant: row.text("tenant") ?? "", source: row.text("source"),
                        kind: row.text("error_kind"))
                    // What merely stalls is not put off, so that there is nothing to retry.
                    let button =
                        row.text("error_kind") == "stalled"
                        ? act("run", "Run now", on: jobs, seen)
                        : act("retry", "Retry", on: jobs, seen)
                    return "\(button)<code>\(row.text("hint"))</code>"
                },
            ], empty: "When it was counted, nothing kept any user from being synced.")
        let listed = seen.listed(question)
        let age = age(seen.rows[counting])
        let rest: HTML? = listed.isCut ? "<p class=\"more\">There are more.</p>" : nil
        return "<section><h2>\(title)</h2>\(age)\(causes.html(listed.rows))\(rest)</section>\n"
    }

    private static func freshness(_ seen: Seen) -> HTML {
        let table = PageTable(
            caption: "Fresh data",
            columns: [
                .init("Job") { fileLink($0.text("job")) },
                .init("Tenant") { tenantLink($0.text("tenant")) },
                .init("Fresh", isNumber: true) { "\(number($0["fresh_percent"])) %" },
                .init("In the last day") { row in
                    let day = (row["day"]?.members ?? []).map { member in
                        JSONValue.object([
                            JSONMember("quarters_ago", .number(member.name)),
                            JSONMember("value", member.value),
                        ])
                    }
                    let label = "\(row.text("job") ?? "") of \(row.text("tenant") ?? "all tenants")"
                    return Chart.sparkline(Chart.places(day), label: label)
                },
                .number("Users", "users"), .number("Never read", "never"),
                .span("Period", "every"), .span("Counted before", "counted_ago"),
            ],
            empty: "Nothing was counted yet: workers count once a minute.")
        return """
            <section><h2>Fresh data</h2>
            <p>The share of users whose last complete run is within the period: of all, and of the tenants in which most are stale.</p>
            \(table.html(seen.rows[2]))</section>

            """
    }

    private static func runs(_ seen: Seen) -> HTML {
        let outcomes = ["complete", "partial", "deferred", "skipped", "needs_reauth", "failed"]
        let series = outcomes.map { outcome in
            let rows = seen.rows[1].filter { $0.text("outcome") == outcome }
            return (name: outcome, values: Chart.places(rows).map { $0 ?? 0 })
        }
        return """
            <section><h2>Runs</h2>
            \(Chart.areas(series, label: "Runs of the last day by how they ended"))</section>

            """
    }

    private static func waiting(_ seen: Seen) -> HTML {
        let reasons = seen.judgement?.waiting ?? []
        let items = reasons.map { reason -> HTML in
            let words: HTML =
                LateScreen.reasons.contains(reason.reason)
                ? "<a href=\"\(Place("/late", ["reason": reason.reason]))\">\(reason.words)</a>"
                : "\(reason.words)"
            return "<li>\(words) <span class=\"hint\">\(reason.hint)</span></li>"
        }
        let list: HTML =
            items.isEmpty ? "<p class=\"empty\">Nothing waits.</p>" : "<ul>\(items)</ul>"
        let age = age(seen.rows[4])
        return "<section><h2>What waits</h2>\(age)\(list)</section>\n"
    }
}
