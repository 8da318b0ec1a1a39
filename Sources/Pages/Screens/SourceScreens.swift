import JSON
import JobQueue

/// The sources: budgets, breakers, and what they were asked.
enum SourcesScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        [
            ViewQuery(
                "source_overview",
                [
                    .plain("source"), .plain("jobs"), .plain("per_second"), .plain("blocked_count"),
                    .plain("failing_count"), .plain("may_be_more"), .plain("requests"),
                    .plain("errors"),
                    .plain("mean_seconds"), .plain("hours"),
                ], limit: 200),
            ViewQuery(
                "blocked_sources",
                [.plain("tenant"), .plain("source"), .plain("blocked_until"), .plain("reason")],
                limit: Screen.rowsMax + 1),
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        let table = PageTable(
            caption: "Sources",
            columns: [
                .text("Source", "source"),
                .init("Job files") { row in
                    let names = row["jobs"]?.elements?.compactMap(\.string) ?? []
                    return "\(names.map { name -> HTML in "\(fileLink(name)) " })"
                },
                .init("Budget", isNumber: true) { row in
                    row.text("per_second") == nil
                        ? "no limit" : "\(number(row["per_second"])) a second"
                },
                .init("Open breakers", isNumber: true) {
                    atLeast($0["blocked_count"], $0["may_be_more"]?.bool ?? false)
                },
                .init("Found away", isNumber: true) {
                    atLeast($0["failing_count"], $0["may_be_more"]?.bool ?? false)
                }, .number("Requests in a day", "requests"),
                .number("Of those, errors", "errors"), .span("One took", "mean_seconds"),
            ], empty: "There is no job file.")
        return """
            <section>\(table.html(seen.rows[0]))</section>\(blocked(seen, 1))
            <section><h2>By hours</h2>\(seen.rows[0].map(hours))</section>

            """
    }

    private static func atLeast(_ count: JSONValue?, _ isCut: Bool) -> HTML {
        isCut ? "\(number(count)) or more" : number(count)
    }

    private static func hours(_ source: JSONValue) -> HTML {
        guard let hours = source["hours"]?.elements, !hours.isEmpty else { return "" }
        let name = source.text("source") ?? ""
        let table = PageTable(
            caption: "Requests to \(name) by hours",
            columns: [
                .init("Hours ago", isNumber: true) { number($0["hours_ago"]) },
                .number("Requests", "requests"), .number("Errors", "errors"),
                .span("One took", "mean_seconds"),
                .init("Answers") { row in
                    let classes = row["classes"]?.members ?? []
                    return
                        "\(classes.map { "\($0.name) \($0.value.numberText ?? "")" }.joined(separator: ", "))"
                },
            ], empty: "")
        return "<h3>\(name)</h3>\(table.html(hours))"
    }

    /// The open breakers, each with what closes it.
    static func blocked(_ seen: Seen, _ question: Int) -> HTML {
        let (rows, isCut) = seen.listed(question)
        guard !rows.isEmpty else { return "" }
        let table = PageTable(
            caption: "Open breakers",
            columns: [
                .init("Tenant") { tenantLink($0.text("tenant")) }, .text("Source", "source"),
                .time("Asked again", "blocked_until"), .text("Why", "reason"),
                .init("What helps") { row in
                    guard seen.mayAct else { return none }
                    let place = Place(
                        "/act",
                        [
                            "act": "close-breaker", "tenant": row.text("tenant"),
                            "source": row.text("source"), "back": seen.place.text,
                        ])
                    return "<a class=\"act\" href=\"\(place)\">Close</a>"
                },
            ], empty: "")
        let more: HTML? = isCut ? "<p class=\"more\">There are more.</p>" : nil
        return "<section><h2>Open breakers</h2>\(table.html(rows))\(more)</section>"
    }
}
