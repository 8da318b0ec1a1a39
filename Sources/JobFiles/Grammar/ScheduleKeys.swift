/// The keys of `schedule`.
enum ScheduleKey: String, KeySet {
    case every, from, spread, deadline, requires, triggers
    case slowDown = "slow_down"

    static let title = "schedule"
    static let meaning = "When the job is due and how long a run may take."
    static let rules: [KeyRule] = [.when(.isThere("from"), [.forbids(["spread"])])]

    var key: Key {
        switch self {
        case .every: Key(.duration(.seconds(1) ... .days(30)), .required, "The period of the job.")
        case .from:
            Key(
                .word(["last_success"], noun: "word"), .optional("ticks on a fixed grid"),
                "With `last_success` the period begins anew with the end of each run that was complete, also of one that "
                    + "was asked for: the job is due when the last sync is that old. Ticks on a fixed grid keep the load "
                    + "even; counted from the last success, users who were made late together stay together."
            )
        case .spread:
            Key(
                .words(of: Schedule.Spread.self, "spread"), .default("user"),
                "With `user` each user has a fixed phase within the period; with `none` all users are due "
                    + "at the period's edge.")
        case .deadline:
            Key(
                .duration(.seconds(1) ... .hours(24)), .required,
                "The limit of one run. A run over it yields with its cursor kept. It may be longer than "
                    + "the period, since a job that runs is not claimed again.")
        case .requires:
            Key(
                .list(.mapping(RequirementKey.self)), .optional(nil),
                "What a user must have for a run to make sense.")
        case .triggers:
            Key(
                .list(.mapping(TriggerKey.self)), .optional(nil),
                "The events that make the job due.")
        case .slowDown:
            Key(
                .mapping(SlowDownKey.self), .optional("the job keeps its period"),
                "How a job slows down that nobody asks for.")
        }
    }
}

/// The keys of an element of `requires`.
enum RequirementKey: String, KeySet {
    case secret, user, make

    static let title = "requirement"
    static let meaning = "Something that a user must have."
    static let alternatives: [RequirementKey] = [.secret, .user]
    static let rules: [KeyRule] = [.when(.isThere("make"), [.needs(["user"])])]

    var key: Key {
        switch self {
        case .secret:
            Key(
                .name, .optional(nil),
                "A secret of the user or tenant. Without it the run ends as `needs_reauth`.")
        case .user:
            Key(
                .name, .optional(nil),
                "An attribute of the user. Without it the run ends as `skipped`.")
        case .make:
            Key(
                .word(["uuid"], noun: "value"), .optional("nothing is made"),
                "What the first run makes where the user lacks the attribute: a random UUID. It is made once, is "
                    + "the same for every job of the user, and stays whatever the application sets later."
            )
        }
    }
}

/// The keys of a trigger.
enum TriggerKey: String, KeySet {
    case event, debounce
    case atMost = "at_most"
    case cancelOn = "cancel_on"

    static let rules: [KeyRule] = [.when(.isThere("at_most"), [.needs(["debounce"])])]
    static let title = "trigger"
    static let meaning = "An event that makes the job due."

    var key: Key {
        switch self {
        case .event: Key(.name, .required, "The word of `jobrunner trigger EVENT`.")
        case .debounce:
            Key(
                .duration(.zero ... .hours(1)), .default("0s"),
                "How long the event must last before the job is due. Another one begins the wait anew."
            )
        case .atMost:
            Key(
                .duration(.seconds(1) ... .hours(24)),
                .optional("events that go on coming put the job off for as long as they do"),
                "How long the job waits from the first event on, however often another one begins the debounce anew."
            )
        case .cancelOn:
            Key(
                .name, .optional(nil),
                "The event that undoes this one. With it only the change from undone to done counts."
            )
        }
    }
}

/// The keys of `slow_down`.
enum SlowDownKey: String, KeySet {
    case after, every

    static let title = "slow_down"
    static let meaning = "How a job slows down that nobody asks for."

    var key: Key {
        switch self {
        case .after:
            Key(
                .duration(.hours(1) ... .days(366)), .required,
                "How long nobody must have asked for the job: by `enqueue`, `fresh`, an edit or an event."
            )
        case .every:
            Key(
                .duration(.seconds(1) ... .days(366)), .required,
                "The period until somebody asks again. It is longer than the period of the schedule."
            )
        }
    }
}

/// The keys of `freshness`.
enum FreshnessKey: String, KeySet {
    case soft, hard

    static let title = "freshness"
    static let meaning = "How old stored rows may be."

    var key: Key {
        let span = ValueType.duration(.seconds(1) ... .days(365))
        return switch self {
        case .soft:
            Key(span, .required, "Younger rows are fresh, and nothing is asked of the source.")
        case .hard:
            Key(
                span, .required,
                "When rows are as old as this or older, or there are none, a reader waits for the refresh. "
                    + "It must not be shorter than `soft`.")
        }
    }
}
