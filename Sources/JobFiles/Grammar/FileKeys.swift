/// The keys of a whole file.
enum FileKey: String, KeySet {
    case version, job, scope, schedule, freshness, source, lists, calls, before
    case defaults, entities, after, stores, health
    case events
    case onChange = "on_change"

    static let title = "file"
    static let meaning = "What one job syncs: when, from where, which records, into which table."

    var key: KeyFacts {
        switch self {
        case .version: KeyFacts(.integer(1...1), .required, "The version of the format.")
        case .job:
            KeyFacts(
                .formed(.jobName), .required,
                "The unique name of the job, such as `metube.refresh`.")
        case .scope:
            KeyFacts(
                .words(of: JobFile.Scope.self, "scope"), .default("user"),
                "Whose job it is. With `tenant` there is one job of the tenant, without a user, for data "
                    + "that all its users share; `{user.x}` has no value in it.")
        case .schedule:
            KeyFacts(
                Mapping<Schedule>.schedule.form.type, .required,
                "When the job is due and how long a run may take.")
        case .freshness:
            KeyFacts(
                Mapping<Freshness>.freshness.form.type, .optional("only the schedule decides"),
                "How old stored rows may be.")
        case .source: KeyFacts(.mapping(SourceKey.self), .required, "The external system.")
        case .lists:
            KeyFacts(
                Form<[ListTable]>.lists.type, .optional(nil),
                "The local lists of ids, by name.")
        case .calls:
            KeyFacts(
                .named(.mapping(CallKey.self), by: .name), .optional(nil),
                "The requests around the entities, by name.")
        case .before:
            KeyFacts(
                .list(.mapping(BeforeKey.self)), .optional(nil),
                "The steps before the entities, in order.")
        case .defaults:
            KeyFacts(.mapping(EntityKey.self), .optional(nil), "What is merged into every entity.")
        case .entities:
            KeyFacts(
                .filled(.mapping(EntityKey.self)), .required,
                "What is synced. The order of the file is the order of the run.")
        case .after:
            KeyFacts(
                .list(.mapping(AfterKey.self)), .optional(nil),
                "The steps after the entities, in order.")
        case .stores:
            KeyFacts(
                Form<[Store]>.stores.type, .optional(nil),
                "What kind of data the tables hold, by table. A table without an entry is of neither kind."
            )
        case .health:
            KeyFacts(
                .list(.mapping(HealthKey.self)), .optional(nil),
                "Rows of a user that should be one.")
        case .events:
            KeyFacts(
                .list(.words(of: JobFile.ToldEvent.self, "event")), .optional("none"),
                "What readers are told of its runs, as rows of `jobrunner.told_events` and on PostgreSQL channel "
                    + "`jobrunner_event`: `sync`, that one began and ended; `duplicates`, rows that are one by "
                    + "`write.unique`; `conflicts`, which version of a record stays; `zones`, that a zone was made anew; `trouble`, that runs began to fail or to want a credential, and that one was complete again."
            )
        case .onChange:
            KeyFacts(
                .word(["notify"], noun: "word"), .optional("nobody is told"),
                "With `notify` readers are told, on PostgreSQL channel `jobrunner_changed`, of every run "
                    + "that wrote something.")
        }
    }
}

/// The keys of `health`.
enum HealthKey: String, KeySet {
    case table, by

    static let title = "health"
    static let meaning = "Rows of a user that should be one."

    var key: KeyFacts {
        switch self {
        case .table: KeyFacts(.name, .required, "A table that an entity writes.")
        case .by:
            KeyFacts(
                .filled(.name), .required,
                "The columns of the table that ought to be unique together.")
        }
    }
}
