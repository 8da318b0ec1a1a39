import JSON
import JobQueue

/// Who holds what workers and commands wait for; the first is the one to end.
func lockFindings(_ holders: [JSONValue]) -> [Finding] {
    holders.map(finding(ofHolder:))
}

private func finding(ofHolder row: JSONValue) -> Finding {
    let waiting = row["waiting"]?.int ?? 0
    let shutsOut = row["shuts_out"]?.bool == true
    let what =
        [subject(of: row) + holding(row), waits(row, waiting)].joined() + "; " + doing(row)
    guard row["migrates"]?.bool != true else {
        return Finding(
            waiting > 0 ? .warning : .info, "locks", "migrate is at work: \(what)",
            hint: "wait for its end; it says itself for whom it waits")
    }
    return Finding(
        waiting > 0 || shutsOut ? .error : .warning, "locks", what, hint: help(row))
}

/// `session 4711 (psql, login ann)`.
private func subject(of row: JSONValue) -> String {
    guard row["pid"]?.int != 0 else { return "a prepared transaction" }
    let application = row.text("application")
    let login = row.text("login")
    return "session \(row.text("pid")) (\(application.isEmpty ? "unnamed" : application), "
        + (login.isEmpty ? "of the server itself)" : "login \(login))")
}

private func holding(_ row: JSONValue) -> String {
    let tables = row.text("tables")
    let what =
        switch (tables.isEmpty, row["shuts_out"]?.bool == true) {
        case (true, _): " holds a lock"
        case (false, true): " locks others out of \(tables)"
        case (false, false): " holds rows of \(tables)"
        }
    let seconds = row["seconds"]?.numberText.flatMap { Double($0) }
    return what + (seconds.map { " since \(spanWords(seconds: $0))" } ?? "")
}

private func waits(_ row: JSONValue, _ waiting: Int) -> String {
    let others = row.text("waits_for")
    return
        (waiting > 0
        ? ", and \(counted(waiting, "session")) \(waiting == 1 ? "waits" : "wait") for it" : "")
        + (others.isEmpty ? "" : ", and waits for session \(others) itself")
}

/// What it does, or which right would show it.
private func doing(_ row: JSONValue) -> String {
    guard row["is_shown"]?.bool == true else {
        return "what it does is not shown to \(row.text("asker")), which lacks pg_read_all_stats"
    }
    let query = row.text("query")
    return "it is \(row.text("state").isEmpty ? "at work" : row.text("state"))"
        + (query.isEmpty ? "" : ", last with: \(query)")
}

private func help(_ row: JSONValue) -> String {
    guard row["pid"]?.int != 0 else {
        return "select gid from pg_prepared_xacts, then rollback prepared, or commit prepared"
    }
    let end = "select pg_terminate_backend(\(row.text("pid")))"
    guard row["may_end"]?.bool == true else {
        return
            "wait for its end, or have it ended by its own login or a member of pg_signal_backend: \(end)"
    }
    return "wait for its end, or end it: \(end)"
}
