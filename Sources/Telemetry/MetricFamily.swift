/// A kind of number that is measured: the one list of names, which the page of metrics and the text follow.
///
/// The names follow the rules of OpenMetrics: base units, `_total` for what only rises, never a user in a label.
public enum MetricFamily: String, Sendable, CaseIterable {
    case buildInfo = "jobrunner_build_info"
    case runs = "jobrunner_runs_total"
    case runDuration = "jobrunner_run_duration_seconds"
    case startDelay = "jobrunner_start_delay_seconds"
    case records = "jobrunner_records_total"
    case skips = "jobrunner_skipped_entities_total"
    case sourceRequests = "jobrunner_source_requests_total"
    case sourceDuration = "jobrunner_source_request_duration_seconds"
    case claimDuration = "jobrunner_claim_duration_seconds"
    case commitDuration = "jobrunner_commit_duration_seconds"
    case slots = "jobrunner_slots"
    case ready = "jobrunner_ready"
    case dueJobs = "jobrunner_due_jobs"
    case waitingJobs = "jobrunner_waiting_jobs"
    case oldestDue = "jobrunner_oldest_due_seconds"
    case troubled = "jobrunner_jobs_in_trouble"
    case freshUsers = "jobrunner_fresh_users_ratio"
    case freshCounted = "jobrunner_fresh_users_counted_seconds"
    case sweptRows = "jobrunner_swept_rows"
    case usualSweptRows = "jobrunner_usual_swept_rows"
    case choreAge = "jobrunner_chore_age_seconds"
    case clockSetBack = "jobrunner_clock_set_back_seconds"
    case sourceBlocked = "jobrunner_source_blocked"
    case workers = "jobrunner_workers"
    case otherFiles = "jobrunner_workers_with_other_files"
    case workerSlots = "jobrunner_worker_slots"
    case databaseSessions = "jobrunner_database_sessions"
    case oldestSnapshot = "jobrunner_oldest_snapshot_seconds"
    case processCPU = "process_cpu_seconds_total"
    case processMemory = "process_resident_memory_bytes"
    case processFiles = "process_open_fds"
    case processFilesMax = "process_max_fds"
    case processStart = "process_start_time_seconds"

    /// A number of the database, by its name in view `jobrunner.gauges`; nil when there is none of that name.
    public static func gauge(named name: String) -> MetricFamily? {
        MetricFamily(rawValue: "jobrunner_\(name)").flatMap { $0.kind == .gauge ? $0 : nil }
    }

    /// How its numbers behave.
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
        /// Always 1; its labels say something.
        case info
    }

    /// What a scraper is told of it.
    public var kind: Kind {
        switch self {
        case .buildInfo: .info
        case .runs, .records, .skips, .sourceRequests, .processCPU: .counter
        case .runDuration, .startDelay, .sourceDuration, .claimDuration, .commitDuration: .histogram
        case .slots, .ready, .dueJobs, .waitingJobs, .oldestDue, .troubled, .freshUsers,
            .freshCounted, .sweptRows, .usualSweptRows, .choreAge, .clockSetBack,
            .sourceBlocked,
            .workers, .otherFiles, .workerSlots, .databaseSessions, .oldestSnapshot, .processMemory,
            .processFiles, .processFilesMax, .processStart:
            .gauge
        }
    }

    /// The names of its labels, in the order of their values.
    public var labels: [String] {
        switch self {
        case .buildInfo: ["version"]
        case .runs: ["job", "outcome", "error_kind"]
        case .runDuration, .startDelay: ["job"]
        case .records: ["job", "entity", "fate"]
        case .skips: ["job", "entity"]
        case .sourceRequests: ["source", "status_class"]
        case .slots, .workerSlots, .databaseSessions: ["state"]
        case .dueJobs, .waitingJobs: ["reason"]
        case .oldestDue: ["tenant"]
        case .troubled: ["trouble"]
        case .freshUsers: ["job", "tenant"]
        case .freshCounted, .sweptRows, .usualSweptRows: ["job"]
        case .sourceBlocked, .sourceDuration: ["source"]
        case .workers: ["health"]
        case .choreAge: ["chore"]
        default: []
        }
    }

    /// What it tells, in a sentence.
    public var help: String {
        switch self {
        case .buildInfo: "The version that runs."
        case .runs: "Runs that have ended, by outcome; one that the source put off is no error."
        case .runDuration: "From a run's claim to its end."
        case .startDelay: "From the time at which a run was due to its claim."
        case .records:
            "Records that were fetched, and what became of them: fetched, changed, deleted, incompatible, filtered or duplicate."
        case .skips:
            "Entities of which the source had nothing for a user, by a rule of the job file: each time that a run finds it so."
        case .sourceRequests:
            "Requests to sources, by the class of the answer; error: there was none."
        case .sourceDuration: "How long a source took for an answer, or until there was none."
        case .claimDuration: "How long a claim took that was asked for free slots."
        case .commitDuration: "How long the transaction of a page took."
        case .slots: "Slots that a run holds, and those that are free."
        case .ready: "1 while the worker is ready, else 0: /readyz says why not."
        case .dueJobs: "Jobs that are due and do not run, by the first reason in their way."
        case .waitingJobs: "Jobs that would be due and are put off or parked, by reason."
        case .oldestDue:
            "For how long the job that waits longest has been due; by the worst tenants, and without a name of all."
        case .troubled:
            "Jobs, entities and runs that do not get on, by the trouble that view jobs_in_trouble names."
        case .freshUsers:
            "Share of the users whose data is complete within the job's period; by the tenants in which most are not, and without a name of all."
        case .freshCounted:
            "Age of that share: a worker counts 5,000 users a minute, and begins again at the first."
        case .sweptRows:
            "Rows that full passes have deleted since they lacked them, in this hour and the one before."
        case .usualSweptRows: "The same of a usual day: the mean of the seven before."
        case .choreAge:
            "Since when a chore that a worker does each minute was not done: waiting and freshness count what these metrics tell, reconcile puts right what was left."
        case .clockSetBack:
            "By how much the server's clock is behind the latest time that it ever told: 0 while nobody sets it back."
        case .sourceBlocked: "Tenants for whom the breaker of a source is open."
        case .workers: "Workers that have not ended, by health."
        case .otherFiles: "Workers whose job files are not those that migrate stored."
        case .workerSlots: "Slots of all workers, as their last heartbeats tell."
        case .databaseSessions: "Sessions of the database, by state."
        case .oldestSnapshot:
            "Age of the oldest snapshot that holds back the removal of dead rows."
        case .processCPU: "Processor time that the process has used."
        case .processMemory: "Memory that the process holds."
        case .processFiles: "File descriptors that are open."
        case .processFilesMax: "File descriptors that may be open."
        case .processStart: "When the process began, in seconds since 1970."
        }
    }

    /// The upper bounds of a histogram's buckets, in seconds; the last is infinite and not among them.
    public var buckets: [Double] {
        switch self {
        case .runDuration: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
        case .sourceDuration: [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
        case .startDelay: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400]
        case .claimDuration, .commitDuration:
            [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
        default: []
        }
    }
}
