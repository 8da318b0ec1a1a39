import JSON
import JobQueue

/// The workers, what runs where, and which job files each has.
enum WorkersScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        [
            OverviewScreen.workers,
            ViewQuery(
                "running_jobs",
                [
                    .plain("worker_id"), .plain("host"), .plain("tenant"), .plain("user_key"),
                    .plain("job"), .plain("run"), .seconds("running_for"), .seconds("yields_in"),
                    .plain("stopping"),
                ], limit: Screen.rowsMax + 1),
            ViewQuery(
                "worker_health",
                [
                    .plain("worker_id"), .plain("host"), .plain("health"), .plain("version"),
                    .plain("started_at"), .plain("ended_at"),
                ], where: [.within("ended_at", seconds: 86_400)], by: [("ended_at", true)],
                limit: Screen.rowsMax),
        ]
    }

    static func table(_ rows: [JSONValue]) -> HTML {
        let table = PageTable(
            caption: "Workers",
            columns: [
                .number("Worker", "worker_id"), .text("Host", "host"), .text("Process", "pid"),
                .state("Health", "health"), .text("Version", "version"),
                .init("Slots", isNumber: true) {
                    "\(number($0["running_count"])) of \(number($0["capacity"]))"
                },
                .span("Last sign of life", "silent_seconds"), .time("Since", "started_at"),
                .init("Other job files") { row in
                    let names = row.text("other_files") ?? ""
                    return names.isEmpty ? none : "\(names)"
                },
            ], empty: "No worker is alive.")
        return "<section><h2>Workers</h2>\(table.html(rows))</section>\n"
    }

    static func html(_ seen: Seen) -> HTML {
        let (running, isCut) = seen.listed(1)
        let runs = PageTable(
            caption: "What runs",
            columns: [
                .number("Worker", "worker_id"), .init("Tenant") { tenantLink($0.text("tenant")) },
                .init("User") { userLink($0) }, .init("Job") { fileLink($0.text("job")) },
                .text("Run", "run"), .span("For", "running_for"), .span("Yields in", "yields_in"),
                .init("Was asked to stop") { $0["stopping"]?.bool == true ? "yes" : "no" },
            ], empty: "Nothing runs.")
        let ended = PageTable(
            caption: "Workers that ended in the last day",
            columns: [
                .number("Worker", "worker_id"), .text("Host", "host"), .state("How", "health"),
                .text("Version", "version"), .time("Began", "started_at"),
                .time("Ended", "ended_at"),
            ], empty: "None has ended.")
        let more: HTML? = isCut ? "<p class=\"more\">There are more.</p>" : nil
        return """
            \(table(seen.rows[0]))<section><h2>What runs</h2>\(runs.html(running))\(more)</section>
            <section><h2>Ended in the last day</h2>\(ended.html(seen.rows[2]))</section>

            """
    }
}

/// The job files that `migrate` stored, and which version of them each worker has.
enum FilesScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        [
            ViewQuery(
                "job_files",
                [
                    .plain("name"), .plain("source"), .seconds("every"), .seconds("deadline"),
                    .plain("scope"), .plain("loaded_at"), .plain("paused_at"), .plain("version"),
                ], by: [("name", false)], limit: 500),
            ViewQuery(
                "job_file_workers", [.plain("job"), .plain("same_count"), .plain("other_count")],
                limit: 500),
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        let table = PageTable(
            caption: "Job files",
            columns: [
                .init("Job file") { fileLink($0.text("name")) }, .text("Source", "source"),
                .span("Period", "every"), .span("Deadline", "deadline"), .text("Of each", "scope"),
                .init("Stored") { row in
                    "\(time(row["loaded_at"])) <a href=\"\(failures(of: row))\">what failed since</a>"
                },
                .init("Workers") { row in
                    let workers = seen.rows[1].first { $0.text("job") == row.text("name") }
                    let others = workers?["other_count"]?.int ?? 0
                    return others == 0
                        ? "\(number(workers?["same_count"])) have this version"
                        : "<strong>\(number(others)) have another version</strong>"
                },
                .init("State") { $0.text("paused_at") == nil ? none : state("paused") },
            ], empty: "migrate has stored none.")
        return table.html(seen.rows[0])
    }

    /// The runs of a file's job that failed since its version was stored.
    static func failures(of row: JSONValue) -> Place {
        Place(
            "/runs",
            ["job": row.text("name"), "outcome": "failed", "since": row.text("loaded_at")])
    }
}

/// One job file: what it reads into which tables, who has it, and what it says.
enum FileScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        let name = place["name"] ?? ""
        return [
            ViewQuery(
                "job_files",
                [
                    .plain("name"), .plain("source"), .seconds("every"), .seconds("deadline"),
                    .plain("scope"), .plain("loaded_at"), .plain("paused_at"), .plain("version"),
                    .plain("per_second"), .plain("expanded"),
                ], where: [.equals("name", name)], limit: 1),
            ViewQuery(
                "job_file_entities",
                [.plain("entity"), .plain("table_name"), .plain("is_enabled"), .plain("place")],
                where: [.equals("job", name)], by: [("place", false)], limit: 500),
            ViewQuery(
                "worker_files",
                [
                    .plain("worker_id"), .plain("host"), .plain("version"),
                    .plain("stored_version"),
                    .plain("is_stored"),
                ], where: [.equals("job", name)], limit: 500),
            ViewQuery(
                "counted_freshness",
                [
                    .plain("tenant"), .plain("users"), .plain("fresh_percent"), .plain("never"),
                    .seconds("counted_ago"),
                ], where: [.equals("job", name)], limit: Screen.rowsMax),
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        guard let file = seen.rows[0].first else {
            return "<p class=\"empty\">migrate has stored no job file of that name.</p>"
        }
        let entities = PageTable(
            caption: "Entities",
            columns: [
                .text("Entity", "entity"), .text("Table in schema synced", "table_name"),
                .init("Is read") { $0["is_enabled"]?.bool == false ? "no" : "yes" },
            ], empty: "It has none.")
        let workers = PageTable(
            caption: "Workers",
            columns: [
                .number("Worker", "worker_id"), .text("Host", "host"),
                .init("Version") { row in
                    row["is_stored"]?.bool == true
                        ? "the stored one" : "<strong>another: \(row.text("version"))</strong>"
                },
            ], empty: "No worker has it.")
        let tenants = PageTable(
            caption: "Who has it",
            columns: [
                .init("Tenant") { tenantLink($0.text("tenant")) }, .number("Users", "users"),
                .init("Fresh", isNumber: true) { "\(number($0["fresh_percent"])) %" },
                .number("Never read", "never"), .span("Counted before", "counted_ago"),
            ], empty: "Nobody was counted yet.")
        let text: HTML? = file["expanded"].map { expanded in
            """
            <section><h2>The file, with its defaults</h2><pre tabindex="0" aria-label="The job file">\(expanded.indentedText)</pre></section>
            """
        }
        let statements: HTML =
            seen.statements.map {
                "<pre tabindex=\"0\" aria-label=\"Its statements\">\($0)</pre>"
            } ?? "<p class=\"empty\">Your role may not read the file, or this version can't.</p>"
        return """
            <h2>\(file.text("name"))</h2>
            <dl><dt>Source</dt><dd>\(file.text("source"))</dd><dt>Period</dt><dd>\(span(file["every"]))</dd>\
            <dt>Deadline</dt><dd>\(span(file["deadline"]))</dd><dt>Stored</dt><dd>\(time(file["loaded_at"])), version \(file.text("version"))</dd></dl>
            <p><a href="\(FilesScreen.failures(of: file))">Runs that failed since it was stored</a></p>
            <section><h2>Entities</h2>\(entities.html(seen.rows[1]))</section>
            <section><h2>Workers</h2>\(workers.html(seen.rows[2]))</section>
            <section><h2>Who has it</h2>\(tenants.html(seen.rows[3]))</section>\(text)
            <section><h2>Its statements</h2>\(statements)</section>

            """
    }
}

/// Who did what to whom, the latest first.
enum AuditScreen {
    /// Of so many acts at most those are found that a filter means which no index has.
    private static let lookedAt = 3000

    static func questions(_ place: Place) -> [ViewQuery] {
        var conditions: [ViewQuery.Condition] = []
        let columns: [(StaticString, String)] = [
            ("user_key", "user"), ("login", "login"), ("verb", "verb"), ("person", "person"),
        ]
        for (column, parameter) in columns {
            if let value = place[parameter] { conditions.append(.equals(column, value)) }
        }
        var query = ViewQuery(
            "audit_trail",
            [
                .plain("id"), .plain("at"), .plain("login"), .plain("role"), .plain("person"),
                .plain("verb"), .plain("tenant"), .plain("user_key"), .plain("object"),
                .plain("detail"),
            ], where: conditions,
            by: place["tenant"] == nil ? [("id", true)] : [("at", true), ("id", true)],
            limit: Screen.rowsMax + 1)
        if let number = place["before"].flatMap({ Int($0) }) {
            // What one act has left has one time, and another's may stand in between by its number.
            query.within = [
                place["tenant"].flatMap { _ in place["until"] }.map {
                    .earlier("at", $0, "id", number)
                } ?? .less("id", number)
            ]
        }
        if let tenant = place["tenant"] { query.within.append(.tenant(tenant)) }
        query.among = lookedAt
        return conditions.isEmpty ? [query] : [query, query.lastLookedAt]
    }

    static func html(_ seen: Seen) -> HTML {
        let (rows, isCut) = seen.listed(0)
        let table = PageTable(
            caption: "Audit",
            columns: [
                .time("When", "at"), .text("Person", "person"), .text("Login", "login"),
                .text("Role", "role"), .text("Verb", "verb"),
                .init("Tenant") { row in row.text("tenant").map { tenantLink($0) } ?? none },
                .init("User") { userLink($0) }, .text("Object", "object"),
                .init("Detail") { longText($0["detail"].map { $0.text == "{}" ? "" : $0.text }) },
            ], empty: "Nothing was done, or your role may not read it: the audit is for operators.")
        let fields = [
            (name: "tenant", label: "Tenant"), (name: "user", label: "User"),
            (name: "person", label: "Person"), (name: "login", label: "Login"),
            (name: "verb", label: "Verb"),
        ]
        func next(_ row: JSONValue?, _ words: String, isThere: Bool) -> HTML {
            let place = seen.place.with("until", row?.text("at"))
            return more(place, "before", behind: row?.text("id"), isCut: isThere, words)
        }
        // Whoever has looked through as many as are looked at has not seen the rest.
        let last = seen.rows.count > 1 ? seen.rows[1].first : nil
        let rest =
            isCut || last == nil
            ? next(rows.last, "More", isThere: isCut)
            : "<p class=\"note\">Of the \(number(lookedAt)) lines that were looked at.</p>\(next(last, "Look at those before", isThere: true))"
        return """
            \(filter(seen.place.with("before", nil).with("until", nil), fields))\(table.html(rows))\(rest)
            """
    }
}
