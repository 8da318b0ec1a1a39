/// A field of a line: its value decides whether JSON quotes it.
enum FieldValue: Equatable {
    case id(String)
    case text(String)
    case integer(Int64)
    /// Milliseconds, written with three decimals at most.
    case milliseconds(Duration)
}

/// A name and value of a line.
struct Field: Equatable {
    let name: String
    let value: FieldValue

    init(_ name: String, _ value: FieldValue) {
        self.name = name
        self.value = value
    }
}

/// What the formats need to know of an event.
struct EventLine {
    /// In `snake_case`, for machines.
    let name: String
    let level: Level
    let fields: [Field]

    init(_ event: Event) {
        let (name, level) = event.nameAndLevel
        self.name = name
        self.level = level
        self.fields = event.subject.fields + event.details
    }
}

extension Subject {
    fileprivate var fields: [Field] {
        var fields: [Field] = []
        if let worker { fields.append(Field("worker", .integer(worker))) }
        if let tenant { fields.append(Field("tenant", .id(tenant))) }
        if let user { fields.append(Field("user", .id(user))) }
        if let job { fields.append(Field("job", .id(job))) }
        if let jobID { fields.append(Field("job_id", .integer(jobID))) }
        if let run { fields.append(Field("run", .integer(run))) }
        if let fence { fields.append(Field("fence", .integer(fence))) }
        return fields
    }
}

extension RunSummary {
    fileprivate var fields: [Field] {
        var fields = [
            Field("outcome", .id(outcome)), count("pages", pages), count("requests", requests),
            count("fetched", fetched), count("changed", changed),
            Field("took_ms", .milliseconds(took)),
        ]
        if deleted > 0 { fields.append(count("deleted", deleted)) }
        if let errorKind { fields.append(Field("error_kind", .id(errorKind))) }
        if let error { fields.append(Field("error", .text(error))) }
        return fields
    }
}

private func count(_ name: String, _ value: Int) -> Field {
    Field(name, .integer(Int64(value)))
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
        case .editsLost: ("edits_lost", .warning)
        case .absenceUnproven: ("absence_unproven", .warning)
        case .runOverdue: ("run_overdue", .warning)
        case .jobFileRefused: ("job_file_refused", .error)
        case .secretsLocked: ("secrets_locked", .error)
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
            .endUnproven(let subject, _, _), .absenceUnproven(let subject, _, _),
            .fieldAbsent(let subject, _, _, _), .listCut(let subject, _, _, _),
            .valuesRounded(let subject, _, _, _, _),
            .recordsIgnored(let subject, _, _), .rowsPushed(let subject, _, _, _),
            .recordAhead(let subject, _, _, _), .positionForgotten(let subject, _, _),
            .recordsIncompatible(let subject, _, _, _, _), .valuesUnread(let subject, _, _, _, _),
            .sweepRefused(let subject, _, _), .editsLost(let subject, _, _),
            .runOverdue(let subject, _), .jobFileRefused(let subject, _),
            .secretsLocked(let subject, _, _):
            subject
        case .linesDropped:
            Subject()
        }
    }

    fileprivate var details: [Field] {
        switch self {
        case .workerStarted(_, let host, let pid, let version, let capacity):
            [
                Field("host", .id(host)), Field("pid", .integer(Int64(pid))),
                Field("version", .id(version)), count("capacity", capacity),
            ]
        case .listening(_, let address): [Field("address", .id(address))]
        case .workerDraining(_, let running, let reason):
            [count("running", running), Field("reason", .text(reason))]
        case .workerStopped(_, let runs, let uptime):
            [count("runs", runs), Field("uptime_ms", .milliseconds(uptime))]
        case .workerState(_, let busy, let free, let notReady):
            [count("busy", busy), count("free", free)]
                + (notReady.isEmpty ? [] : [Field("not_ready", .text(notReady))])
        case .slotState(_, let holding, let entity, let page, let step, let since):
            [Field("holding_ms", .milliseconds(holding))]
                + (entity.map { [Field("entity", .id($0))] } ?? [])
                + (page.map { [count("page", $0)] } ?? [])
                + [Field("step", .id(step)), Field("since_ms", .milliseconds(since))]
        case .databaseLost(_, let error, let failures):
            [Field("error", .text(error)), count("failures", failures)]
        case .databaseBack(_, let after): [Field("after_ms", .milliseconds(after))]
        case .ownLimitReached(_, let error): [Field("error", .text(error))]
        case .slotsLowered(_, let asked, let capacity, let openFiles):
            [count("asked", asked), count("capacity", capacity), count("open_files", openFiles)]
        case .jobsReaped(_, let jobs): [count("count", jobs)]
        case .jobQuarantined(_, let reason): [Field("reason", .text(reason))]
        case .sourceBlocked(_, let source, let wait, let reason):
            [
                Field("source", .id(source)), Field("wait_ms", .milliseconds(wait)),
                Field("reason", .text(reason)),
            ]
        case .sourceUnblocked(_, let source): [Field("source", .id(source))]
        case .callWarned(_, let call, let error):
            [Field("call", .id(call)), Field("error", .text(error))]
        case .pageCommitted(_, let entity, let page, let fetched, let changed):
            [
                Field("entity", .id(entity)), count("page", page), count("fetched", fetched),
                count("changed", changed),
            ]
        case .internalError(_, let message, let location):
            [Field("message", .text(message)), Field("location", .id(location))]
        case .linesDropped(let lines): [count("count", lines)]
        case .jobFileRefused(_, let mistake): [Field("mistake", .text(mistake))]
        case .secretsLocked(_, let secrets, let reason):
            [count("count", secrets), Field("reason", .text(reason))]
        case .runFinished, .runLost, .runDeferred, .runStarted, .recordsIgnored, .rowsPushed,
            .jobFilesDiffer, .duplicatesFound, .passBegunAnew, .recordAhead, .positionForgotten,
            .recordsIncompatible, .valuesUnread,
            .sweepRefused, .endUnproven, .editsLost, .absenceUnproven, .fieldAbsent, .listCut,
            .valuesRounded,
            .runOverdue,
            .passEndless:
            runDetails
        }
    }

    private var runDetails: [Field] {
        switch self {
        case .runFinished(_, let summary): summary.fields
        case .runLost(_, let step): [Field("at", .id(step))]
        case .runDeferred(_, let wait, let reason):
            [Field("wait_ms", .milliseconds(wait)), Field("reason", .text(reason))]
        case .recordsIgnored(_, let entity, let type):
            [Field("entity", .id(entity)), Field("type", .text(type))]
        case .passBegunAnew(_, let entity): [Field("entity", .id(entity))]
        case .fieldAbsent(_, let entity, let field, let records):
            [
                Field("entity", .id(entity)), Field("field", .id(field)),
                count("fetched", records),
            ]
        case .listCut(_, let entity, let field, let sign):
            [
                Field("entity", .id(entity)), Field("field", .id(field)),
                Field("sign", .text(sign)),
            ]
        case .recordAhead(_, let entity, let record, let reason):
            [
                Field("entity", .id(entity)), Field("record", .text(record)),
                Field("reason", .text(reason)),
            ]
        case .recordsIncompatible(_, let entity, let incompatible, let fetched, let field):
            [
                Field("entity", .id(entity)), count("incompatible", incompatible),
                count("fetched", fetched), Field("field", .id(field)),
            ]
        case .valuesUnread(_, let entity, let field, let found, let example),
            .valuesRounded(_, let entity, let field, let found, let example):
            [
                Field("entity", .id(entity)), Field("field", .id(field)), count("count", found),
                Field("example", .text(example)),
            ]
        case .sweepRefused(_, let entity, let reason), .endUnproven(_, let entity, let reason),
            .absenceUnproven(_, let entity, let reason),
            .positionForgotten(_, let entity, let reason):
            [Field("entity", .id(entity)), Field("reason", .text(reason))]
        case .editsLost(_, let entity, let lost):
            [Field("entity", .id(entity)), count("count", lost)]
        case .runOverdue(_, let since): [Field("since_ms", .milliseconds(since))]
        case .rowsPushed(_, let entity, let pushed, let failed):
            [Field("entity", .id(entity)), count("pushed", pushed), count("failed", failed)]
        case .jobFilesDiffer(_, let files):
            [Field("files", .text(files.joined(separator: " ")))]
        case .duplicatesFound(_, let table, let columns, let values, let rows):
            [
                Field("table", .id(table)), Field("by", .id(columns.joined(separator: ","))),
                count("values", values), count("rows", rows),
            ]
        default: []
        }
    }
}
