/// What prepares the database and checks what is configured.
let schemaCommands = [
    CommandSpec(
        "migrate", "Bring the schema, functions, views and synced tables up to date",
        example: "jobrunner migrate"),
    CommandSpec(
        "validate", "Check job files, and name every mistake by file, line and path",
        positionals: [
            PositionalSpec(
                name: "FILE", count: .any, help: "job files; none means all of JOBRUNNER_JOBS")
        ],
        options: [.json],
        example: "jobrunner validate jobs/metube/refresh.yaml"),
    CommandSpec(
        "doctor",
        "Check job files, key file, database, workers and jobs; exit 1 if something must be done",
        options: [.json], example: "jobrunner doctor"),
]
