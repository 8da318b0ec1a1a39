/// What makes job files of what others have written.
let importCommands = [
    CommandSpec(
        "import airbyte",
        "Make job files of a declarative manifest of an Airbyte connector, and say what is left; exit 1 if anything is",
        positionals: [
            PositionalSpec(name: "MANIFEST", count: .one, help: "the connector's manifest.yaml")
        ],
        options: [
            .value("stream", "A,B", "only these streams, with the parents that they need"),
            .value("out", "DIR", "folder for the files; nothing is written if not given"),
            .value(
                "source", "NAME", "name of the source; that of the manifest's folder if not given"),
            .value("auth", "NAME", "which of several ways to sign in; the first one if not given"),
        ],
        example: "jobrunner import airbyte source-helpdesk/manifest.yaml --out jobs/helpdesk")
]
