/// What prepares the database and checks what is configured.
let schemaCommands = [
    CommandSpec(
        "migrate", "Bring the schema, functions, views and synced tables up to date",
        options: [.rolePrefix],
        example: "jobrunner migrate"),
    CommandSpec(
        "roles",
        "Print what a database administrator runs: the roles of the installation, and who may connect",
        options: [
            .rolePrefix,
            .value("database", "NAME", "the database; without it that of DATABASE_URL"),
            .value("owner", "NAME", "the role that owns it; without it that of DATABASE_URL"),
            .repeated("application", "LOGIN", "also the login of an application"),
        ],
        example: "jobrunner roles --application shop"),
    CommandSpec(
        "validate", "Check job files, and name every mistake by file, line and path",
        positionals: [
            PositionalSpec(
                name: "FILE", count: .any, help: "job files; none means all of JOBRUNNER_JOBS")
        ],
        options: [
            .repeated(
                "against", "PATH",
                "the files as they were, or their folder: what a synced store would lose is a"
                    + " mistake"), .json,
        ],
        example: "jobrunner validate jobs/metube/refresh.yaml"),
    CommandSpec(
        "doctor",
        "Check job files, key file, database, workers and jobs; exit 1 if something must be done",
        options: [
            .flag("merge", "make one of the rows that a job file's health check finds twice"),
            .json,
        ],
        example: "jobrunner doctor"),
    CommandSpec(
        "health",
        "Tell in one line how it is, with the three worst reasons; exit 1 if somebody should look, 2 if somebody must act",
        options: [.json],
        example: "jobrunner health"),
    CommandSpec(
        "settings", "Print what is set and where, secrets left out", options: [.json],
        example: "jobrunner settings"),
]
