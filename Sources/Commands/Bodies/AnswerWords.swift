/// The words for people of what `enqueue`, `want_fresh` and `trigger_event` answer.
let answerWords = [
    "due": "due", "follows_running": "already in progress", "deferred": "deferred",
    "paused": "paused", "quarantined": "set aside", "needs_reauth": "needs a new secret",
    "wait": "too old",
]

/// What follows from such an answer, to be put behind it.
let answerAdvice = [
    "follows_running": "; one more run follows it",
    "deferred": "; the source asked for patience, --force goes now",
    "paused": "; it runs when it is resumed",
    "quarantined": "; it runs after jobrunner retry",
    "needs_reauth": "; it runs after jobrunner user set --secret or jobrunner retry",
]
