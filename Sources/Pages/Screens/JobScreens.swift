import JSON
import JobQueue

/// The columns of a job that a list shows.
private func columns(_ tail: [PageTable.Column]) -> [PageTable.Column] {
    [
        .init("Tenant") { tenantLink($0.text("tenant")) }, .init("User") { userLink($0) },
        .init("Job") { fileLink($0.text("job")) },
    ] + tail
}

/// What is due and not claimed, the latest first.
enum LateScreen {
    /// Why due jobs do not run; other reasons put them off or park them.
    static let reasons: Set = [
        "no_worker", "job_file_missing", "tenant_limit", "budget", "suspect", "slots", "breaker",
    ]

    static func questions(_ place: Place) -> [ViewQuery] {
        let tenant = place["tenant"].map { [ViewQuery.Condition.tenant($0)] } ?? []
        return [
            ViewQuery(
                "late_jobs",
                [
                    .plain("tenant"), .plain("user_key"), .plain("job"), .seconds("late_by"),
                    .plain("due_at"), .plain("asked"), .plain("consecutive_failures"),
                    .plain("last_outcome"),
                ], where: tenant, limit: Screen.rowsMax + 1)
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        let (rows, isCut) = seen.listed(0)
        let table = PageTable(
            caption: "Late jobs",
            columns: columns([
                .span("Late by", "late_by"), .time("Due since", "due_at"),
                .init("Asked for") { $0["asked"]?.bool == true ? "yes" : "no" },
                .number("Failures", "consecutive_failures"), .state("Last run", "last_outcome"),
            ]), empty: "No job is due and not claimed.")
        let due = (seen.judgement?.waiting ?? []).filter { Self.reasons.contains($0.reason) }
        let reasons = due.map { reason -> HTML in
            reason.reason == seen.place["reason"]
                ? "<li class=\"chosen\"><strong>\(reason.words)</strong> <span class=\"hint\">\(reason.hint)</span></li>"
                : "<li>\(reason.words) <span class=\"hint\">\(reason.hint)</span></li>"
        }
        let more: HTML? = isCut ? "<p class=\"more\">There are more.</p>" : nil
        return """
            \(filter(seen.place, [("tenant", "Tenant")]))
            <section><h2>Why, of all tenants</h2><ul>\(reasons)</ul></section>
            <section><h2>The latest</h2>\(table.html(rows))\(more)</section>

            """
    }
}

/// The jobs that a filter means, and what can be done to all of them at once.
enum JobsScreen {
    static func filter(_ place: Place) -> ViewQuery.Jobs {
        ViewQuery.Jobs(
            tenant: place["tenant"] ?? "", user: place["user"], job: place["job"],
            source: place["source"], kind: place["kind"])
    }

    static func questions(_ place: Place) -> [ViewQuery] {
        [
            ViewQuery(
                "job_overview",
                [
                    .plain("tenant"), .plain("user_key"), .plain("job"), .plain("state"),
                    .plain("due_at"), .plain("last_outcome"), .plain("last_success_at"),
                    .plain("consecutive_failures"), .plain("error_kind"), .plain("error"),
                ], of: filter(place), limit: Screen.rowsMax + 1)
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        let (rows, isCut) = seen.listed(0)
        let table = PageTable(
            caption: "Jobs",
            columns: columns([
                .state("State", "state"), .time("Due", "due_at"),
                .state("Last run", "last_outcome"), .time("Last complete", "last_success_at"),
                .number("Failures", "consecutive_failures"),
                .init("Error") { "\($0.text("error_kind")) \(longText($0.text("error")))" },
            ]), empty: "No job is meant by that.")
        let more: HTML? =
            isCut
            ? "<p class=\"more\">The first \(number(Screen.rowsMax)) are shown; an act means all of them.</p>"
            : nil
        let fields = [
            (name: "tenant", label: "Tenant"), (name: "user", label: "User"),
            (name: "job", label: "Job"), (name: "source", label: "Source"),
            (name: "kind", label: "Kind of error"),
        ]
        return """
            \(Pages.filter(seen.place, fields))\(acts(on: filter(seen.place), seen))\(table.html(rows))\(more)
            """
    }
}
