extension Mapping where Model == Schedule {
    static let schedule = Mapping(
        "schedule", "When the job is due and how long a run may take.",
        blank: Schedule(every: .zero, spread: .user, deadline: .zero, requires: [], triggers: []),
        rules: [.when(.isThere("from"), [.forbids(["spread"])])]
    ) {
        required(
            "every", \.every, .duration(.seconds(1) ... .days(30)), "The period of the job."
        )
        usual(
            "from", \.isCounted, .only("last_success"), without: "ticks on a fixed grid",
            """
            With `last_success` the period begins anew with the end of each run that was complete, also of one that \
            was asked for: the job is due when the last sync is that old. Ticks on a fixed grid keep the load \
            even; counted from the last success, users who were made late together stay together.
            """
        )
        standard(
            "spread", \.place, .word("spread"),
            """
            With `user` each user has a fixed phase within the period; with `none` all users are due \
            at the period's edge.
            """
        ).when { !$0.isCounted }
        required(
            "deadline", \.deadline, .duration(.seconds(1) ... .hours(24)),
            """
            The limit of one run. A run over it yields with its cursor kept. It may be longer than \
            the period, since a job that runs is not claimed again.
            """
        )
        usual(
            "requires", \.requires, .list(.requirement),
            "What a user must have for a run to make sense."
        )
        usual(
            "triggers", \.triggers, .list(Mapping<Trigger>.trigger.form),
            "The events that make the job due."
        )
        optional(
            "slow_down", \.slowing, Mapping<Slowing>.slowDown.form,
            without: "the job keeps its period", "How a job slows down that nobody asks for.")
    } check: { place, schedule in
        if place.node["from"]?.isScalar("last_success") == true {
            place.report(
                ifThere: "spread",
                "counted from the last success nobody has a place in the period; leave spread out")
        }
        if let slowing = schedule.slowing, slowing.every <= schedule.every {
            place["slow_down"]?.report(
                "every",
                "a job that slows down becomes due less often than every \(schedule.every.jobFileText)"
            )
        }
        place.reportTwins("event", of: "triggers")
    }
}

extension Schedule {
    /// The period begins with each success, so that nobody has a place in it.
    fileprivate var isCounted: Bool {
        get { spread == nil }
        set { if newValue { spread = nil } }
    }

    fileprivate var place: Spread {
        get { spread ?? .user }
        set { spread = newValue }
    }
}

/// A requirement as a file writes it.
private struct WrittenRequirement {
    var secret: String?
    var user: String?
    var isMade = false
}

extension Mapping where Model == WrittenRequirement {
    fileprivate static let requirement = Mapping(
        "requirement", "Something that a user must have.", blank: WrittenRequirement(),
        oneOf: ["secret", "user"], rules: [.when(.isThere("make"), [.needs(["user"])])]
    ) {
        optional(
            "secret", \.secret, .name,
            "A secret of the user or tenant. Without it the run ends as `needs_reauth`."
        )
        optional(
            "user", \.user, .name,
            "An attribute of the user. Without it the run ends as `skipped`."
        )
        usual(
            "make", \.isMade, .only("uuid", noun: "value"), without: "nothing is made",
            """
            What the first run makes where the user lacks the attribute: a random UUID. It is made once, is \
            the same for every job of the user, and stays whatever the application sets later.
            """
        )
    } check: { place, requirement in
        if requirement.secret != nil {
            place.report(ifThere: "make", "nobody can make a secret; expected user")
        } else if place.reading.scope.isTenant {
            place.report("user", "a job of scope tenant is of no user; expected secret")
        }
    }
}

extension Form where Value == Requirement {
    fileprivate static let requirement = Mapping<WrittenRequirement>.requirement.form.map(
        { written, _ -> Requirement? in
            if let secret = written.secret { return .secret(secret) }
            return written.user.map { written.isMade ? .made($0) : .user($0) }
        },
        back: { requirement in
            switch requirement {
            case .secret(let name): WrittenRequirement(secret: name)
            case .user(let name): WrittenRequirement(user: name)
            case .made(let name): WrittenRequirement(user: name, isMade: true)
            }
        })
}

extension Mapping where Model == Trigger {
    fileprivate static let trigger = Mapping(
        "trigger", "An event that makes the job due.", blank: Trigger(event: "", debounce: .zero),
        rules: [.when(.isThere("at_most"), [.needs(["debounce"])])]
    ) {
        required("event", \.event, .name, "The word of `jobrunner trigger EVENT`.")
        standard(
            "debounce", \.debounce, .duration(.zero ... .hours(1)),
            "How long the event must last before the job is due. Another one begins the wait anew."
        )
        optional(
            "at_most", \.atMost, .duration(.seconds(1) ... .hours(24)),
            without: "events that go on coming put the job off for as long as they do",
            "How long the job waits from the first event on, however often another one begins the debounce anew."
        )
        optional(
            "cancel_on", \.cancelOn, .name,
            "The event that undoes this one. With it only the change from undone to done counts."
        )
    } check: { place, trigger in
        if trigger.atMost != nil, trigger.debounce == .zero {
            place.report("at_most", "at_most bounds a debounce, and there is none")
        } else if let atMost = trigger.atMost, atMost < trigger.debounce {
            place.report(
                "at_most",
                "the longest wait can't be shorter than the debounce of \(trigger.debounce.jobFileText)"
            )
        }
        if trigger.cancelOn == trigger.event {
            place.report("cancel_on", "an event can't undo itself; expected another one")
        }
    }
}

extension Mapping where Model == Slowing {
    fileprivate static let slowDown = Mapping(
        "slow_down", "How a job slows down that nobody asks for.",
        blank: Slowing(after: .zero, every: .zero)
    ) {
        required(
            "after", \.after, .duration(.hours(1) ... .days(366)),
            "How long nobody must have asked for the job: by `enqueue`, `fresh`, an edit or an event."
        )
        required(
            "every", \.every, .duration(.seconds(1) ... .days(366)),
            "The period until somebody asks again. It is longer than the period of the schedule."
        )
    }
}

extension Mapping where Model == Freshness {
    static let freshness = Mapping(
        "freshness", "How old stored rows may be.", blank: Freshness(soft: .zero, hard: .zero)
    ) {
        required(
            "soft", \.soft, .duration(.seconds(1) ... .days(365)),
            "Younger rows are fresh, and nothing is asked of the source."
        )
        required(
            "hard", \.hard, .duration(.seconds(1) ... .days(365)),
            """
            When rows are as old as this or older, or there are none, a reader waits for the refresh. \
            It must not be shorter than `soft`.
            """)
    } check: { place, freshness in
        guard freshness.soft > freshness.hard else { return }
        place.report(
            "soft",
            """
            rows can't be stale at \(freshness.soft.jobFileText) that are fresh until \
            \(freshness.hard.jobFileText); soft must not be longer than hard
            """)
    }
}
