import JSON

extension Mapping where Model == JobFile {
    static let file = Mapping(
        "file", "What one job syncs: when, from where, which records, into which table.",
        blank: JobFile(
            name: "", scope: .user, schedule: Mapping<Schedule>.schedule.blank,
            source: Mapping<Source>.source.blank, lists: [], calls: [], before: [], entities: [],
            after: [], stores: [], health: [], events: [], notifiesOnChange: false)
    ) {
        required("version", \.version, .integer(1...1), "The version of the format.")
        required(
            "job", \.name, .jobName, "The unique name of the job, such as `metube.refresh`.")
        standard(
            "scope", \.scope, .word("scope"),
            """
            Whose job it is. With `tenant` there is one job of the tenant, without a user, for data \
            that all its users share; `{user.x}` has no value in it.
            """)
        required(
            "schedule", \.schedule, Mapping<Schedule>.schedule.form,
            "When the job is due and how long a run may take.")
        optional(
            "freshness", \.freshness, Mapping<Freshness>.freshness.form,
            without: "only the schedule decides", "How old stored rows may be.")
        usual(
            "inputs", \.inputs, .inputs, without: "an attribute may hold anything",
            """
            The attributes of the user that the file uses, by name. Those that stand in an address must be here.
            """)
        required("source", \.source, .source, "The external system.")
        usual("lists", \.lists, .lists, "The local lists of ids, by name.")
        usual("calls", \.calls, .calls, "The requests around the entities, by name.")
        usual("before", \.before, .before, "The steps before the entities, in order.")
        dependent(
            "defaults", \.self, Form<Node>.defaults.type,
            read: { node, place, file in
                place.reading.scope.defaults = Form<Node>.defaults.read(node, place.reading)
                return file
            }, write: { _ in nil }, "What is merged into every entity.")
        required(
            "entities", \.entities, .entities,
            "What is synced. The order of the file is the order of the run.")
        usual(
            "after", \.after, .list(Mapping<AfterStep>.after.form),
            "The steps after the entities, in order.")
        usual(
            "stores", \.stores, .stores,
            "What kind of data the tables hold, by table. A table without an entry is of neither kind."
        )
        usual(
            "health", \.health, .list(Mapping<HealthCheck>.health.form),
            "Rows of a user that should be one.")
        usual(
            "events", \.events, .list(.word("event")), without: "none",
            """
            What readers are told of its runs, as rows of `jobrunner.told_events` and on PostgreSQL channel \
            `jobrunner_event`: `sync`, that one began and ended; `duplicates`, rows that are one by \
            `write.unique`; `conflicts`, which version of a record stays; `zones`, that a zone was made anew; `trouble`, that runs began to fail or to want a credential, and that one was complete again.
            """)
        usual(
            "on_change", \.notifiesOnChange, .only("notify"), without: "nobody is told",
            """
            With `notify` readers are told, on PostgreSQL channel `jobrunner_changed`, of every run \
            that wrote something.
            """)
    }
}

extension JobFile {
    /// The version of the format, of which there is one.
    fileprivate var version: Int {
        get { 1 }
        set { _ = newValue }
    }

    /// The whole file as JSON with every default written out; itself a job file that means the
    /// same.
    ///
    /// Secrets are only their placeholders, since a job file holds nothing else.
    public var expanded: String { expandedValue.indentedText }

    var expandedValue: JSONValue { Mapping<JobFile>.file.written(self) }
}
