/// A field of a line: its value decides whether JSON quotes it.
enum LogValue: Equatable {
    case id(String)
    case text(String)
    case integer(Int64)
    /// Milliseconds, written with three decimals at most.
    case milliseconds(Duration)
}

/// A name and value of a line.
struct LogField: Equatable {
    let name: String
    let value: LogValue

    init(_ name: String, _ value: LogValue) {
        self.name = name
        self.value = value
    }
}

/// What the formats need to know of an event.
struct EventLine {
    /// In `snake_case`, for machines.
    let name: String
    let level: Level
    let fields: [LogField]

    init(_ event: Event) {
        let (name, level) = event.nameAndLevel
        self.name = name
        self.level = level
        self.fields = event.subject.fields + event.details
    }
}

extension Subject {
    fileprivate var fields: [LogField] {
        var fields: [LogField] = []
        if let worker { fields.append(LogField("worker", .integer(worker))) }
        if let tenant { fields.append(LogField("tenant", .id(tenant))) }
        if let user { fields.append(LogField("user", .id(user))) }
        if let job { fields.append(LogField("job", .id(job))) }
        if let jobID { fields.append(LogField("job_id", .integer(jobID))) }
        if let run { fields.append(LogField("run", .integer(run))) }
        if let fence { fields.append(LogField("fence", .integer(fence))) }
        return fields
    }
}

extension RunSummary {
    fileprivate var fields: [LogField] {
        var fields = [
            LogField("outcome", .id(outcome)), count("pages", pages), count("requests", requests),
            count("fetched", fetched), count("changed", changed),
            LogField("took_ms", .milliseconds(took)),
        ]
        if deleted > 0 { fields.append(count("deleted", deleted)) }
        if skipped > 0 { fields.append(count("skipped", skipped)) }
        if let errorKind { fields.append(LogField("error_kind", .id(errorKind))) }
        if let error { fields.append(LogField("error", .text(error))) }
        return fields
    }
}

private func count(_ name: String, _ value: Int) -> LogField {
    LogField(name, .integer(Int64(value)))
}

extension Event {
    /// How loud it is.
    var level: Level { nameAndLevel.1 }

    fileprivate var nameAndLevel: (String, Level) {
        switch self {
        case .workerStarted: ("worker_started", .info)
        case .listening: ("listening", .info)
        case .workerDraining: ("worker_draining", .info)
        case .workerStopped: ("worker_stopped", .info)
        case .workerState: ("worker_state", .info)
        case .slotState: ("slot_state", .info)
        case .databaseLost: ("database_lost", .error)
        case .databaseBack: ("database_back", .info)
        case .ownLimitReached: ("own_limit_reached", .error)
        case .slotsLowered: ("slots_lowered", .warning)
        case .runFinished(_, let summary):
            ("run_finished", summary.isIdle ? .debug : summary.isNewTrouble ? .warning : .info)
        case .runLost: ("run_lost", .warning)
        case .runDeferred: ("run_deferred", .info)
        case .jobsReaped: ("jobs_reaped", .warning)
        case .jobQuarantined: ("job_quarantined", .error)
        case .passEndless: ("pass_endless", .warning)
        case .sourceBlocked: ("source_blocked", .warning)
        case .sourceUnblocked: ("source_unblocked", .info)
        case .callWarned: ("call_warned", .warning)
        case .pageCommitted: ("page_committed", .debug)
        case .runStarted: ("run_started", .debug)
        case .recordsIgnored: ("records_ignored", .warning)
        case .passBegunAnew: ("pass_begun_anew", .warning)
        case .recordsIncompatible: ("records_incompatible", .warning)
        case .valuesUnread: ("values_unread", .warning)
        case .recordAhead: ("record_ahead", .warning)
        case .positionForgotten: ("position_forgotten", .warning)
        case .sweepRefused: ("sweep_refused", .warning)
        case .fieldAbsent: ("field_absent", .warning)
        case .listCut: ("list_cut", .warning)
        case .valuesRounded: ("values_rounded", .warning)
        case .endUnproven: ("end_unproven", .warning)
        case .entitySkipped: ("entity_skipped", .info)
        case .editsLost: ("edits_lost", .warning)
        case .absenceUnproven: ("absence_unproven", .warning)
        case .runOverdue: ("run_overdue", .warning)
        case .jobFileRefused: ("job_file_refused", .error)
        case .secretsLocked: ("secrets_locked", .error)
        case .keysUnusable: ("keys_unusable", .error)
        case .memoryUnlocked: ("memory_unlocked", .warning)
        case .rowsPushed: ("rows_pushed", .debug)
        case .jobFilesDiffer: ("job_files_differ", .warning)
        case .duplicatesFound: ("duplicates_found", .warning)
        case .internalError: ("internal_error", .error)
        case .linesDropped: ("lines_dropped", .warning)
        }
    }

    fileprivate var subject: Subject {
        switch self {
        case .listening(let subject, _), .workerStarted(let subject, _, _, _, _),
            .workerDraining(let subject, _, _),
            .workerState(let subject, _, _, _), .slotState(let subject, _, _, _, _, _),
            .workerStopped(let subject, _, _), .databaseLost(let subject, _, _),
            .databaseBack(let subject, _), .ownLimitReached(let subject, _),
            .slotsLowered(let subject, _, _, _), .runFinished(let subject, _),
            .runLost(let subject, _), .runDeferred(let subject, _, _),
            .jobsReaped(let subject, _), .jobQuarantined(let subject, _),
            .sourceBlocked(let subject, _, _, _), .sourceUnblocked(let subject, _),
            .callWarned(let subject, _, _), .pageCommitted(let subject, _, _, _, _),
            .jobFilesDiffer(let subject, _),
            .duplicatesFound(let subject, _, _, _, _), .internalError(let subject, _, _),
            .runStarted(let subject), .passEndless(let subject), .passBegunAnew(let subject, _),
            .entitySkipped(let subject, _, _),
            .endUnproven(let subject, _, _), .absenceUnproven(let subject, _, _),
            .fieldAbsent(let subject, _, _, _), .listCut(let subject, _, _, _),
            .valuesRounded(let subject, _, _, _, _),
            .recordsIgnored(let subject, _, _), .rowsPushed(let subject, _, _, _),
            .recordAhead(let subject, _, _, _), .positionForgotten(let subject, _, _),
            .recordsIncompatible(let subject, _, _, _, _), .valuesUnread(let subject, _, _, _, _),
            .sweepRefused(let subject, _, _), .editsLost(let subject, _, _),
            .runOverdue(let subject, _), .jobFileRefused(let subject, _),
            .secretsLocked(let subject, _, _), .keysUnusable(let subject, _),
            .memoryUnlocked(let subject):
            subject
        case .linesDropped:
            Subject()
        }
    }

    fileprivate var details: [LogField] {
        switch self {
        case .workerStarted(_, let host, let pid, let version, let capacity):
            [
                LogField("host", .id(host)), LogField("pid", .integer(Int64(pid))),
                LogField("version", .id(version)), count("capacity", capacity),
            ]
        case .listening(_, let address): [LogField("address", .id(address))]
        case .workerDraining(_, let running, let reason):
            [count("running", running), LogField("reason", .text(reason))]
        case .workerStopped(_, let runs, let uptime):
            [count("runs", runs), LogField("uptime_ms", .milliseconds(uptime))]
        case .workerState(_, let busy, let free, let notReady):
            [count("busy", busy), count("free", free)]
                + (notReady.isEmpty ? [] : [LogField("not_ready", .text(notReady))])
        case .slotState(_, let holding, let entity, let page, let step, let since):
            [LogField("holding_ms", .milliseconds(holding))]
                + (entity.map { [LogField("entity", .id($0))] } ?? [])
                + (page.map { [count("page", $0)] } ?? [])
                + [LogField("step", .id(step)), LogField("since_ms", .milliseconds(since))]
        case .databaseLost(_, let error, let failures):
            [LogField("error", .text(error)), count("failures", failures)]
        case .databaseBack(_, let after): [LogField("after_ms", .milliseconds(after))]
        case .ownLimitReached(_, let error): [LogField("error", .text(error))]
        case .slotsLowered(_, let asked, let capacity, let openFiles):
            [count("asked", asked), count("capacity", capacity), count("open_files", openFiles)]
        case .jobsReaped(_, let jobs): [count("count", jobs)]
        case .jobQuarantined(_, let reason): [LogField("reason", .text(reason))]
        case .sourceBlocked(_, let source, let wait, let reason):
            [
                LogField("source", .id(source)), LogField("wait_ms", .milliseconds(wait)),
                LogField("reason", .text(reason)),
            ]
        case .sourceUnblocked(_, let source): [LogField("source", .id(source))]
        case .callWarned(_, let call, let error):
            [LogField("call", .id(call)), LogField("error", .text(error))]
        case .pageCommitted(_, let entity, let page, let fetched, let changed):
            [
                LogField("entity", .id(entity)), count("page", page), count("fetched", fetched),
                count("changed", changed),
            ]
        case .internalError(_, let message, let location):
            [LogField("message", .text(message)), LogField("location", .id(location))]
        case .linesDropped(let lines): [count("count", lines)]
        case .jobFileRefused(_, let mistake): [LogField("mistake", .text(mistake))]
        case .secretsLocked(_, let secrets, let reason):
            [count("count", secrets), LogField("reason", .text(reason))]
        case .keysUnusable(_, let error): [LogField("error", .text(error))]
        case .memoryUnlocked: []
        case .runFinished, .runLost, .runDeferred, .runStarted, .recordsIgnored, .rowsPushed,
            .jobFilesDiffer, .duplicatesFound, .passBegunAnew, .recordAhead, .positionForgotten,
            .recordsIncompatible, .valuesUnread,
            .sweepRefused, .endUnproven, .editsLost, .entitySkipped, .absenceUnproven, .fieldAbsent,
            .listCut,
            .valuesRounded,
            .runOverdue,
            .passEndless:
            runDetails
        }
    }

    private var runDetails: [LogField] {
        switch self {
        case .runFinished(_, let summary): summary.fields
        case .runLost(_, let step): [LogField("at", .id(step))]
        case .runDeferred(_, let wait, let reason):
            [LogField("wait_ms", .milliseconds(wait)), LogField("reason", .text(reason))]
        case .recordsIgnored(_, let entity, let type):
            [LogField("entity", .id(entity)), LogField("type", .text(type))]
        case .passBegunAnew(_, let entity): [LogField("entity", .id(entity))]
        case .fieldAbsent(_, let entity, let field, let records):
            [
                LogField("entity", .id(entity)), LogField("field", .id(field)),
                count("fetched", records),
            ]
        case .listCut(_, let entity, let field, let sign):
            [
                LogField("entity", .id(entity)), LogField("field", .id(field)),
                LogField("sign", .text(sign)),
            ]
        case .recordAhead(_, let entity, let record, let reason):
            [
                LogField("entity", .id(entity)), LogField("record", .text(record)),
                LogField("reason", .text(reason)),
            ]
        case .recordsIncompatible(_, let entity, let incompatible, let fetched, let field):
            [
                LogField("entity", .id(entity)), count("incompatible", incompatible),
                count("fetched", fetched), LogField("field", .id(field)),
            ]
        case .valuesUnread(_, let entity, let field, let found, let example),
            .valuesRounded(_, let entity, let field, let found, let example):
            [
                LogField("entity", .id(entity)), LogField("field", .id(field)),
                count("count", found),
                LogField("example", .text(example)),
            ]
        case .sweepRefused(_, let entity, let reason), .endUnproven(_, let entity, let reason),
            .absenceUnproven(_, let entity, let reason),
            .positionForgotten(_, let entity, let reason),
            .entitySkipped(_, let entity, let reason):
            [LogField("entity", .id(entity)), LogField("reason", .text(reason))]
        case .editsLost(_, let entity, let lost):
            [LogField("entity", .id(entity)), count("count", lost)]
        case .runOverdue(_, let since): [LogField("since_ms", .milliseconds(since))]
        case .rowsPushed(_, let entity, let pushed, let failed):
            [LogField("entity", .id(entity)), count("pushed", pushed), count("failed", failed)]
        case .jobFilesDiffer(_, let files):
            [LogField("files", .text(files.joined(separator: " ")))]
        case .duplicatesFound(_, let table, let columns, let values, let rows):
            [
                LogField("table", .id(table)), LogField("by", .id(columns.joined(separator: ","))),
                count("values", values), count("rows", rows),
            ]
        default: []
        }
    }
}
