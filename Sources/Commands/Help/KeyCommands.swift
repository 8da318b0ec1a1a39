/// What is done to the keys that open secrets.
let keyCommands = [
    CommandSpec(
        "key rotate",
        "Seal all secrets anew, for the newest key of the key file; workers go on",
        options: [],
        example: "jobrunner key rotate")
]
