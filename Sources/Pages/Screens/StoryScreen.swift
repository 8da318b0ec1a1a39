import JSON
import JobQueue

/// One user's story: how it is with each job and why, how far each entity is, and what happened.
enum StoryScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        let user: [ViewQuery.Condition] = [
            .user(tenant: place["tenant"] ?? "", key: place["user"] ?? "")
        ]
        return [
            ViewQuery(
                "job_overview",
                [
                    .plain("tenant"), .plain("user_key"), .plain("job"), .plain("state"),
                    .plain("due_at"), .plain("last_outcome"), .plain("last_run_at"),
                    .plain("last_success_at"), .plain("consecutive_failures"), .plain("error_kind"),
                    .plain("error"), .plain("run"),
                ], where: user, by: [("job", false)], limit: Screen.rowsMax),
            ViewQuery(
                "entity_progress",
                [
                    .plain("job"), .plain("entity"), .plain("state"), .plain("pass_kind"),
                    .plain("page_number"), .plain("watermark"), .plain("last_synced_at"),
                    .plain("fetched"), .plain("inserted"), .plain("updated"), .plain("unchanged"),
                    .plain("deleted"), .plain("pushed"), .plain("push_failed"),
                    .plain("edits_lost"),
                    .plain("error"), .plain("skip_reason"), .plain("troubles"),
                ], where: user, by: [("job", false), ("entity", false)], limit: 4 * Screen.rowsMax),
            RunsScreen.runs(where: user, limit: Screen.rowsMax),
            ViewQuery(
                "secret_overview", [.plain("name"), .plain("updated_at"), .plain("is_brought")],
                where: user, by: [("name", false)], limit: Screen.rowsMax),
            ViewQuery(
                "job_file_entities", [.plain("job"), .plain("entity"), .plain("table_name")],
                where: [.isTrue("is_enabled")], by: [("job", false), ("place", false)], limit: 500),
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        guard let tenant = seen.place["tenant"], let user = seen.place["user"],
            !seen.rows[0].isEmpty
        else { return "<p class=\"empty\">There is no user of that key, or he has no job.</p>" }
        let jobs = seen.rows[0].map { job -> HTML in
            let filter = ViewQuery.Jobs(tenant: tenant, user: user, job: job.text("job"))
            let why: HTML? = seen.reasons[job.text("job") ?? ""].map {
                "<p class=\"why\">\($0)</p>"
            }
            return """
                <article><h3>\(fileLink(job.text("job"))) \(state(job.text("state")))</h3>\(why)
                <dl><dt>Due</dt><dd>\(time(job["due_at"]))</dd><dt>Last run</dt><dd>\(time(job["last_run_at"])) \(state(job.text("last_outcome"))) \(runLink(job))</dd>\
                <dt>Last complete</dt><dd>\(time(job["last_success_at"]))</dd><dt>Failures in a row</dt><dd>\(number(job["consecutive_failures"]))</dd>\
                <dt>Last error</dt><dd>\(job.text("error_kind")) \(longText(job.text("error")))</dd></dl>
                \(acts(on: filter, seen))</article>

                """
        }
        return """
            <h2>\(user) of \(tenantLink(tenant))</h2>
            <section><h2>Jobs</h2>\(jobs)</section>
            <section><h2>Entities</h2>\(entities(seen))</section>
            <section><h2>What happened</h2>\(Timeline.html(seen.rows[2]))\(RunsScreen.table(seen.rows[2], caption: "Runs of this user"))
            <p class="note">A complete run that found nothing new and that nobody asked for leaves no row.</p></section>
            \(edits(seen))\(secrets(seen))\(looks(seen, tenant, user))
            <p><a href="\(Place("/audit", ["tenant": tenant, "user": user]))">What was done to this user</a></p>

            """
    }

    private static func entities(_ seen: Seen) -> HTML {
        PageTable(
            caption: "Entities",
            columns: [
                .text("Job", "job"), .text("Entity", "entity"), .state("State", "state"),
                .init("Pass") { row in
                    guard let kind = row.text("pass_kind") else { return none }
                    return "\(kind), page \(number(row["page_number"]))"
                },
                .text("Seen up to", "watermark"), .time("Complete", "last_synced_at"),
                .number("Fetched", "fetched"), .number("New", "inserted"),
                .number("Changed", "updated"), .number("Same", "unchanged"),
                .number("Gone", "deleted"), .number("Pushed", "pushed"),
                .number("Refused", "push_failed"), .number("Edits lost", "edits_lost"),
                .init("Trouble") { row in
                    let troubles = (row["troubles"]?.members ?? []).map {
                        "\($0.name): \($0.value.text("error") ?? "")"
                    }
                    let all =
                        [row.text("error"), row.text("skip_reason")].compactMap { $0 } + troubles
                    return longText(all.isEmpty ? nil : all.joined(separator: "; "))
                },
            ], empty: "Nothing was read yet."
        ).html(seen.rows[1])
    }

    private static func edits(_ seen: Seen) -> HTML {
        guard !seen.edits.isEmpty else { return "" }
        let table = PageTable(
            caption: "Edits that wait to be sent",
            columns: [
                .text("Table", "table_name"),
                .init("Edits", isNumber: true) {
                    ($0["edits"]?.int ?? 0) < 1000 ? number($0["edits"]) : "\(number(1000)) or more"
                },
                .number("Of these, refused", "refused"),
            ], empty: "")
        return "<section><h2>Edits that wait</h2>\(table.html(seen.edits))</section>"
    }

    private static func secrets(_ seen: Seen) -> HTML {
        guard !seen.rows[3].isEmpty else { return "" }
        let table = PageTable(
            caption: "Secrets",
            columns: [
                .text("Name", "name"), .time("Stored", "updated_at"),
                .init("Brought by a record") { $0["is_brought"]?.bool == true ? "yes" : "no" },
            ], empty: "")
        return "<section><h2>Secrets</h2>\(table.html(seen.rows[3]))</section>"
    }

    /// Looks at rows, which are posted: each leaves a line in the audit.
    private static func looks(_ seen: Seen, _ tenant: String, _ user: String) -> HTML {
        let jobs = Set(seen.rows[0].compactMap { $0.text("job") })
        let tables = seen.rows[4].filter { jobs.contains($0.text("job") ?? "") }
            .compactMap { $0.text("table_name") }
        guard !tables.isEmpty, seen.mayLook else { return "" }
        let buttons = Set(tables).sorted().map { table -> HTML in
            "<button name=\"table\" value=\"\(table)\">\(table)</button> "
        }
        return """
            <section><h2>Rows</h2><p>Twenty rows of a table, if your role may read it. Each look stands in the audit.</p>
            <form method="post" action="/look"><input type="hidden" name="tenant" value="\(tenant)">\
            <input type="hidden" name="user" value="\(user)"><div class="acts">\(buttons)</div></form></section>

            """
    }
}
