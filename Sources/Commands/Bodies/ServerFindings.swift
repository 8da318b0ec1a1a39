import JSON
import JobQueue
import Postgres

typealias HealthAnswers = [HealthQuestion: [JSONValue]]

/// The oldest PostgreSQL that the program is made for.
private let serverMajorMin = 15

/// A worker beats every few seconds; its lease is over by then.
private let silenceSecondsMax = 60.0

/// What others could read of what is said to the database.
func wayFindings(_ ways: [DatabaseConfiguration.OpenWay]) -> [Finding] {
    let different = ways.enumerated().filter { !ways.prefix($0.offset).contains($0.element) }
    return different.map(\.element).map { way in
        Finding(
            .warning, "connection",
            "\(way.host) is asked with sslmode=\(way.sslmode): whoever is on the way can "
                + (["require", "verify-ca"].contains(way.sslmode)
                    ? "answer in its place" : "read what is said, or answer in its place"),
            hint:
                "expected sslmode=verify-full in its connection string, with the authority's certificate in sslrootcert"
        )
    }
}

/// What is wrong with the server, whatever is in the database.
func serverFindings(_ answers: HealthAnswers) -> [Finding] {
    var findings: [Finding] = []
    for server in answers[.server] ?? [] where (server["major"]?.int ?? 0) < serverMajorMin {
        findings.append(
            Finding(
                .error, "server", "PostgreSQL \(server.text("version"))",
                hint: "expected \(serverMajorMin) or later"))
    }
    for holder in answers[.xminHolders] ?? [] {
        let age = holder.seconds("seconds").map { " for \(spanWords(seconds: $0))" } ?? ""
        findings.append(
            Finding(
                .warning, "vacuum",
                "\(holder.text("what")) holds back the removal of dead rows\(age)",
                hint: "end it if nobody needs it"))
    }
    // Of one that holds locks more is told elsewhere.
    let holders = Set((answers[.lockHolders] ?? []).map { $0.text("pid") })
    for idle in answers[.idleInTransaction] ?? [] where !holders.contains(idle.text("pid")) {
        let age = spanWords(seconds: idle.seconds("seconds") ?? 0)
        findings.append(
            Finding(
                .warning, "sessions",
                "session \(idle.text("pid")) (\(idle.text("name"))) is idle in a transaction for \(age)",
                hint: "select pg_terminate_backend(\(idle.text("pid")))"))
    }
    return findings + lockFindings(answers[.lockHolders] ?? [])
        + (answers[.notificationQueue] ?? []).map(notificationFinding)
}

/// Workers do without notifications from one per cent on, applications are told of nothing from fifty on.
private func notificationFinding(_ queue: JSONValue) -> Finding {
    let percent = queue.seconds("percent") ?? 0
    let effect =
        percent > 50
        ? "applications are told of nothing" : "workers do without, and look each second"
    let pid = queue.text("pid")
    let oldest =
        "the oldest transaction is session \(pid) (\(queue.text("name"))) of database"
        + " \(queue.text("database")): if it listens, select pg_terminate_backend(\(pid))"
    return Finding(
        percent > 50 ? .error : .warning, "notifications",
        "the server's queue of notifications is \(queue.text("percent")) % full, since a session of some database"
            + " listens and does not read; \(effect)",
        hint: pid.isEmpty
            ? "find the session that is idle in a transaction: pg_stat_activity, or the server's log"
            : oldest)
}

/// What is wrong with workers, jobs, sources and history.
func jobFindings(_ answers: HealthAnswers) -> [Finding] {
    roleFindings(answers) + workerFindings(answers[.workers] ?? [])
        + causeFindings(answers) + reasonFindings(answers) + waitingFindings(answers)
        + troubleFindings(answers[.troubles] ?? [])
        + partitionFindings(answers[.partitions] ?? [])
}

func workerFindings(_ workers: [JSONValue]) -> [Finding] {
    let silent = workers.filter {
        ($0.seconds("silent_seconds") ?? 0) > silenceSecondsMax
            || $0.text("health") == "session gone"
    }
    var findings = silent.map { worker in
        let silence = spanWords(seconds: worker.seconds("silent_seconds") ?? 0)
        let isGone = worker.text("health") == "session gone"
        return Finding(
            .warning, "workers",
            "worker \(worker.text("worker_id")) on \(worker.text("host")) (pid \(worker.text("pid")))"
                + " is silent for \(silence)" + (isGone ? " and has no session" : ""),
            hint: silent.count < workers.count
                ? "another worker takes its jobs over"
                : "a worker that is started takes its jobs over")
    }
    findings += workers.filter { !$0.text("other_files").isEmpty }.map { worker in
        Finding(
            .warning, "workers",
            "worker \(worker.text("worker_id")) on \(worker.text("host")) has other job files than migrate stored:"
                + " \(worker.text("other_files"))",
            hint: "give it the same files and restart it, or run jobrunner migrate with its own")
    }
    let alive = workers.count - silent.count
    findings.append(
        alive == 0
            ? Finding(.warning, "workers", "none is alive", hint: "start one: jobrunner worker")
            : Finding(.info, "workers", "\(alive) alive"))
    return findings
}

private func waitingFindings(_ answers: HealthAnswers) -> [Finding] {
    let late = (answers[.lateJobs] ?? []).map { row in
        let age = spanWords(seconds: row.seconds("late_seconds") ?? 0)
        return Finding(
            .error, "late",
            "\(row.jobs) late by more than a period, the latest by \(age)",
            hint: "more workers or a higher --concurrency")
    }
    let blocked = (answers[.blockedSources] ?? []).map { row in
        Finding(
            .warning, "sources",
            "the breaker of source \(row.text("source")) of tenant \(row.text("tenant")) is open until"
                + " \(timeWords(row.text("blocked_until"))): \(row.text("reason"))",
            hint:
                "one request probes it then; jobrunner close-breaker \(row.text("source")) --tenant"
                + " \(row.text("tenant")) asks now")
    }
    let unread = (answers[.unreadValues] ?? []).map { row in
        Finding(
            .info, "values",
            "\(counted(row["count"]?.int ?? 0, "user")) of job \(row.text("job")) have values in entity"
                + " \(row.text("entity")) that can't be read as the file says, such as of \(row.text("field"))",
            hint: "jobrunner status --user shows one of each")
    }
    return late + blocked + unread
}

private func partitionFindings(_ rows: [JSONValue]) -> [Finding] {
    rows.flatMap { row in
        var findings: [Finding] = []
        if let count = row["other_count"]?.int, count > 0 {
            findings.append(
                Finding(
                    .warning, "history",
                    "runs_other holds \(count >= 1000 ? "1000 or more" : "\(count)")"
                        + " runs of days without a partition",
                    hint: "select * from jobrunner.maintain_runs()"))
        }
        if row["has_tomorrow"]?.bool != true {
            findings.append(
                Finding(
                    .error, "history", "runs has no partition for tomorrow",
                    hint: "jobrunner migrate or a worker makes them"))
        }
        return findings
    }
}

extension JSONValue {
    fileprivate func seconds(_ name: String) -> Double? {
        self[name]?.numberText.flatMap { Double($0) }
    }

    /// `3 jobs metube.refresh of tenant acme are`.
    fileprivate var jobs: String {
        let count = self["count"]?.int ?? 0
        return "\(counted(count, "job")) \(text("job")) of tenant \(text("tenant"))"
            + (count == 1 ? " is" : " are")
    }
}
