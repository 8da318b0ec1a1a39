import JSON
import JobQueue

/// A tenant by its name, leading to its screen.
func tenantLink(_ name: String?) -> HTML {
    guard let name else { return "all" }
    return "<a href=\"\(Place("/tenant", ["tenant": name]))\">\(name)</a>"
}

/// A user by his key, leading to his story.
func userLink(_ row: JSONValue, _ key: String = "user_key") -> HTML {
    guard let tenant = row.text("tenant"), let user = row.text(key) else { return none }
    return "<a href=\"\(Place("/story", ["tenant": tenant, "user": user]))\">\(user)</a>"
}

/// A run by its number.
func runLink(_ row: JSONValue, _ name: String = "run") -> HTML {
    guard let run = row.text(name), run != "0" else { return none }
    let place = Place(
        "/run", ["id": run, "tenant": row.text("tenant"), "user": row.text("user_key")])
    return "<a href=\"\(place)\">\(run)</a>"
}

/// A job file by its name.
func fileLink(_ name: String?) -> HTML {
    guard let name else { return none }
    return "<a href=\"\(Place("/file", ["name": name]))\">\(name)</a>"
}

/// Leads to where an act is confirmed; nothing where it may not be done.
func act(
    _ act: StaticString, _ words: String, on jobs: ViewQuery.Jobs, _ seen: Seen
) -> HTML {
    guard seen.mayAct else { return "" }
    let place = Place(
        "/act",
        [
            "act": "\(act)", "tenant": jobs.tenant, "user": jobs.user, "job": jobs.job,
            "source": jobs.source, "kind": jobs.kind, "back": seen.place.text,
        ])
    return "<a class=\"act\" href=\"\(place)\">\(words)</a> "
}

/// The acts that jobs of a filter can have.
func acts(on jobs: ViewQuery.Jobs, _ seen: Seen) -> HTML {
    guard seen.mayAct else { return "" }
    return """
        <div class="acts" role="group" aria-label="What can be done">\(act("run", "Run now", on: jobs, seen))\
        \(act("full", "Read in full", on: jobs, seen))\(act("retry", "Retry", on: jobs, seen))\
        \(act("cancel", "Cancel", on: jobs, seen))\(act("pause", "Pause", on: jobs, seen))\
        \(act("resume", "Resume", on: jobs, seen))\(act("reset", "Reset", on: jobs, seen))\
        \(act("repair", "Repair", on: jobs, seen))</div>

        """
}

/// Leads to the rows behind the last one of a list.
func more(
    _ place: Place, _ parameter: String, behind value: String?, isCut: Bool,
    _ words: String = "More"
) -> HTML {
    guard isCut, let value else { return "" }
    return "<p class=\"more\"><a href=\"\(place.with(parameter, value))\">\(words)</a></p>"
}

/// A form that filters a screen; its fields keep what they have.
func filter(_ place: Place, _ fields: [(name: String, label: String)], hint: HTML? = nil) -> HTML {
    let inputs = fields.map { field -> HTML in
        """
        <label>\(field.label) <input name="\(field.name)" value="\(place[field.name] ?? "")"></label>
        """
    }
    return """
        <form class="filter" method="get" action="\(Place(pathOf: place))">\(inputs)<button>Show</button></form>\(hint)

        """
}
