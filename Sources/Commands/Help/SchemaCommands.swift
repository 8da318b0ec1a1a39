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
        example: "jobrunner validate jobs/metube/refresh.yaml"),
    CommandSpec(
        "doctor", "Check the settings, the key file, the database and its schema",
        options: [.json], example: "jobrunner doctor"),
]
