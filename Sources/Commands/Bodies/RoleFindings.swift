import JSON
import JobQueue

/// What lacks of the installation's roles, and who else may connect.
func roleFindings(_ answers: HealthAnswers) -> [Finding] {
    (answers[.roles] ?? []).flatMap(findings(ofRole:))
        + (answers[.connections] ?? []).compactMap(openFinding)
}

private func findings(ofRole row: JSONValue) -> [Finding] {
    let (kind, name) = (row.text("kind"), row.text("name"))
    guard row["is_made"]?.bool == true else {
        return [
            Finding(
                .info, "roles", "there is no role \(name), so that the owner must do its part",
                hint: "an administrator runs what jobrunner roles prints; then jobrunner migrate")
        ]
    }
    var findings: [Finding] = []
    // An installation may have no application that logs in.
    if row["has_login"]?.bool != true, kind != "application" {
        findings.append(
            Finding(
                .info, "roles", "no login is a member of \(name)",
                hint: "an administrator runs what jobrunner roles prints"))
    }
    if let names = row["shut_out"]?.string {
        findings.append(
            Finding(
                .warning, "roles", "\(names) may not connect to this database",
                hint: "an administrator runs: grant connect on database … to \(name)"))
    }
    return findings
}

/// PostgreSQL lets every login of a server connect to each new database, and there listen, and take locks.
private func openFinding(_ row: JSONValue) -> Finding? {
    guard row["is_open"]?.bool == true else { return nil }
    return Finding(
        .info, "roles",
        "every login of the server may connect to database \(row.text("database")), or make temporary tables there",
        hint:
            "an administrator runs: revoke connect, temporary on database \(row.text("database")) from public"
    )
}
