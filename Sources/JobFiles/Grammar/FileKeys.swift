/// The keys of a whole file.
enum FileKey: String, KeySet {
    case version, job, kind, note, scope, schedule, freshness, source, lists, calls, before
    case defaults, entities, after, stores, health
    case events
    case onChange = "on_change"

    static let title = "file"
    static let meaning = "What one job syncs: when, from where, which records, into which table."

    var key: Key {
        switch self {
        case .version: Key(.integer(1...1), .required, "The version of the format.")
        case .job:
            Key(
                .formed(.jobName), .required,
                "The unique name of the job, such as `metube.refresh`.")
        case .kind:
            Key(
                .name, .required,
                "What people call this sort of job: `refresh`, `status` or another word.")
        case .note: Key(.text, .optional(nil), "Free text for people.")
        case .scope:
            Key(
                .words(of: JobFile.Scope.self, "scope"), .default("user"),
                "Whose job it is. With `tenant` there is one job of the tenant, without a user, for data "
                    + "that all its users share; `{user.x}` has no value in it.")
        case .schedule:
            Key(
                .mapping(ScheduleKey.self), .required,
                "When the job is due and how long a run may take.")
        case .freshness:
            Key(
                .mapping(FreshnessKey.self), .optional("only the schedule decides"),
                "How old stored rows may be.")
        case .source: Key(.mapping(SourceKey.self), .required, "The external system.")
        case .lists:
            Key(
                .named(.mapping(ListKey.self), by: .name), .optional(nil),
                "The local lists of ids, by name.")
        case .calls:
            Key(
                .named(.mapping(CallKey.self), by: .name), .optional(nil),
                "The requests around the entities, by name.")
        case .before:
            Key(
                .list(.mapping(BeforeKey.self)), .optional(nil),
                "The steps before the entities, in order.")
        case .defaults:
            Key(.mapping(EntityKey.self), .optional(nil), "What is merged into every entity.")
        case .entities:
            Key(
                .filled(.mapping(EntityKey.self)), .required,
                "What is synced. The order of the file is the order of the run.")
        case .after:
            Key(
                .list(.mapping(AfterKey.self)), .optional(nil),
                "The steps after the entities, in order.")
        case .stores:
            Key(
                .named(.mapping(StoreKey.self), by: .name), .optional(nil),
                "What kind of data the tables hold, by table. A table without an entry is of neither kind."
            )
        case .health:
            Key(.list(.mapping(HealthKey.self)), .optional(nil), "Questions about stored rows.")
        case .events:
            Key(
                .list(.words(of: JobFile.ToldEvent.self, "event")), .optional("none"),
                "What readers are told of its runs, as rows of `jobrunner.told_events` and on PostgreSQL channel "
                    + "`jobrunner_event`: `sync`, that one began and ended; `duplicates`, rows that are one by "
                    + "`write.unique`; `conflicts`, which version of a record stays; `zones`, that a zone was made anew; `trouble`, that runs began to fail or to want a credential, and that one was complete again."
            )
        case .onChange:
            Key(
                .word(["notify"], noun: "word"), .optional("nobody is told"),
                "With `notify` readers are told, on PostgreSQL channel `jobrunner_changed`, of every run "
                    + "that wrote something.")
        }
    }
}

/// The keys of `lists`.
enum ListKey: String, KeySet {
    case table, column, columns, debounce

    static let title = "list"
    static let meaning =
        "A local list of ids for each user: `synced.<table>(user_id, <column>)`, which the application fills."

    var key: Key {
        switch self {
        case .table: Key(.name, .required, "The table in schema `synced`.")
        case .column: Key(.name, .required, "The text column that holds the ids.")
        case .columns:
            Key(
                .named(.words(of: Field.Kind.self, "type"), by: .name), .optional(nil),
                "What else the application knows of an item, by column. The table then has `inserted_at`, "
                    + "`last_modified` and `synced` as well: `synced` is false until a call has sent the item."
            )
        case .debounce:
            Key(
                .duration(.zero ... .hours(1)), .optional("changes wait for the schedule"),
                "A change by `edit_list` or `replace_list` makes the job due after this span.")
        }
    }
}

/// The keys of `stores`.
enum StoreKey: String, KeySet {
    case kind

    static let title = "store"
    static let meaning = "What kind of data a table holds."

    var key: Key {
        switch self {
        case .kind:
            Key(
                .words(of: Store.Kind.self, "kind"), .required,
                "`synced` is a user's own data: it is never dropped, deleted as a whole or changed, only "
                    + "added to, so it has no `replace_all`, and only fields of the key, of `unique.by` and `newer_by` may be `required`. "
                    + "`disposable` is a cache: it is dropped, made and fetched again when it does not fit, "
                    + "so it has no `push`.")
        }
    }
}

/// The keys of `health`.
enum HealthKey: String, KeySet {
    case check, table, by

    static let title = "health"
    static let meaning = "A question about stored rows."

    var key: Key {
        switch self {
        case .check:
            Key(
                .word(["duplicates"], noun: "word"), .required,
                "What is asked: whether a user has rows that should be one.")
        case .table: Key(.name, .required, "A table that an entity writes.")
        case .by:
            Key(
                .filled(.name), .required,
                "The columns of the table that ought to be unique together.")
        }
    }
}
