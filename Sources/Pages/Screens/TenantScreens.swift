import JSON
import JobQueue

/// All tenants, by name.
enum TenantsScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        var conditions: [ViewQuery.Condition] = []
        if let after = place["after"] {
            conditions.append(.behind("tenant", after))
        } else if let from = place["from"] {
            conditions.append(.from("tenant", from))
        }
        return [
            ViewQuery(
                "tenant_overview",
                [
                    .plain("tenant"), .plain("weight"), .plain("max_running"), .plain("paused_at"),
                    .plain("created_at"), .plain("user_count"), .plain("cause_count"),
                    .plain("is_urgent"), .plain("stuck_count"),
                ], where: conditions, by: [("tenant", false)], limit: Screen.rowsMax + 1),
            OverviewScreen.counting,
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        let (rows, isCut) = seen.listed(0)
        let table = PageTable(
            caption: "Tenants",
            columns: [
                .init("Tenant") { tenantLink($0.text("tenant")) },
                .init("How it is") { row in
                    if row.text("paused_at") != nil { return state("paused") }
                    if row["is_urgent"]?.bool == true { return state("urgent") }
                    return state((row["cause_count"]?.int ?? 0) > 0 ? "degraded" : "healthy")
                },
                .init("Users", isNumber: true) { row in
                    (row["user_count"]?.int ?? 0) > 1000
                        ? "more than \(number(1000))" : number(row["user_count"])
                },
                .number("Causes", "cause_count"), .number("Users in them", "stuck_count"),
                .number("Weight", "weight"), .number("Most at once", "max_running"),
                .time("Added", "created_at"),
            ], empty: "There is no tenant from there on.")
        return """
            \(filter(seen.place.with("after", nil), [("from", "From name")]))\(OverviewScreen.age(seen.rows[1]))\(table.html(rows))\
            \(more(seen.place, "after", behind: rows.last?.text("tenant"), isCut: isCut))
            """
    }
}

/// One tenant: what keeps its users, its users, its jobs.
enum TenantScreen {
    static func questions(_ place: Place) -> [ViewQuery] {
        let tenant = place["tenant"] ?? ""
        var users: [ViewQuery.Condition] = [.tenant(tenant)]
        if let after = place["after"] {
            users.append(.behind("user_key", after))
        } else if let from = place["from"] {
            users.append(.from("user_key", from))
        }
        return [
            ViewQuery(
                "tenant_overview",
                [
                    .plain("tenant"), .plain("weight"), .plain("max_running"), .plain("paused_at"),
                    .plain("created_at"),
                ],
                where: [.equals("tenant", tenant)], limit: 1),
            OverviewScreen.causes(of: tenant, limit: Screen.rowsMax + 1),
            ViewQuery(
                "user_overview",
                [
                    .plain("tenant"), .plain("user_key"), .plain("paused_at"), .plain("job_count"),
                    .plain("failing_count"), .plain("running_count"), .plain("last_success_at"),
                    .plain("due_at"),
                ], where: users, by: [("user_key", false)], limit: Screen.rowsMax + 1),
            ViewQuery(
                "blocked_sources",
                [.plain("tenant"), .plain("source"), .plain("blocked_until"), .plain("reason")],
                where: [.equals("tenant", tenant)], limit: Screen.rowsMax),
            ViewQuery(
                "counted_freshness",
                [
                    .plain("job"), .plain("users"), .plain("fresh_percent"), .seconds("every"),
                    .seconds("counted_ago"),
                ], where: [.equals("tenant", tenant)], limit: Screen.rowsMax),
            OverviewScreen.counting,
        ]
    }

    static func html(_ seen: Seen) -> HTML {
        guard let tenant = seen.rows[0].first, let name = tenant.text("tenant") else {
            return "<p class=\"empty\">There is no tenant of that name.</p>"
        }
        let (rows, isCut) = seen.listed(2)
        let users = PageTable(
            caption: "Users",
            columns: [
                .init("User") { userLink($0) },
                .init("How it is") { row in
                    if row.text("paused_at") != nil { return state("paused") }
                    if (row["running_count"]?.int ?? 0) > 0 { return state("running") }
                    return state((row["failing_count"]?.int ?? 0) > 0 ? "degraded" : "healthy")
                },
                .number("Jobs", "job_count"), .number("With an error", "failing_count"),
                .time("All complete since", "last_success_at"), .time("Next due", "due_at"),
            ], empty: "There is no user from there on.")
        let paused: HTML? = tenant.text("paused_at").map { _ in
            "<p>\(state("paused")) since \(time(tenant["paused_at"]))</p>"
        }
        return """
            <h2>\(name)</h2>\(paused)\(acts(on: ViewQuery.Jobs(tenant: name), seen))\
            <div class="acts">\(act("renew-key", "Give it another key", on: ViewQuery.Jobs(tenant: name), seen))</div>\
            \(OverviewScreen.causesHTML(seen, 1, countedAt: 5, title: "What keeps its users from being synced"))\
            \(SourcesScreen.blocked(seen, 3))\
            <section><h2>Users</h2>\
            \(filter(seen.place.with("after", nil), [("tenant", "Tenant"), ("from", "From key")]))\(users.html(rows))\
            \(more(seen.place, "after", behind: rows.last?.text("user_key"), isCut: isCut))</section>
            <p><a href="\(Place("/runs", ["tenant": name]))">Its runs</a> · <a href="\(Place("/audit", ["tenant": name]))">What was done to it</a> · <a href="\(Place("/late", ["tenant": name]))">Its late jobs</a></p>

            """
    }
}
