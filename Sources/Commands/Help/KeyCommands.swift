/// What is done to the keys that open secrets.
let keyCommands = [
    CommandSpec(
        "key rotate",
        "Seal all secrets anew, for the newest key of the key file; workers go on",
        options: [],
        example: "jobrunner key rotate"),
    CommandSpec(
        "key renew",
        "Ask the workers for another key of one tenant, with which they seal its secrets anew",
        options: [.tenant],
        example: "jobrunner key renew --tenant acme"),
]
