"""Which verbs meet in which state of the job."""

import itertools

from pairs import asking  # noqa: F401  (its verbs join the others)
from pairs.table import left_by
from pairs.verbs import VERBS

USUAL = ("running", "due", "fresh", "silent", "later")
# Only these differ where no version tells which of two is newer.
EDITS = {name for name in VERBS if name.split()[0] in ("edit_record", "save_record", "delete_record", "plain")}
# What one run does, one after the other; a copy of a step may come late.
STEPS = {"page", "page with a secret", "first page", "quiet look", "sweep"} | {name for name in VERBS if name.startswith("push ")}
# These must pass over what an application's open transaction holds.
NEVER_WAIT = {"claim", "reap", "finish batch"}
ENDS = {name for name in VERBS if name.startswith("finish ")} | {"release"}
# Of three, those that have met badly before.
THREES = [
    ("running", "page", "edit_record of the page", "finish complete"),
    ("running", "sweep", "plain SQL of the gone", "repair"),
    ("running", "finish complete", "enqueue entity", "enqueue"),
    ("running", "finish deferred", "enqueue force", "set_secret"),
    ("running", "finish needs_reauth", "set_secret", "retry"),
    ("silent", "claim", "reap", "enqueue"),
    ("silent", "claim", "reap", "finish partial"),
    ("due", "claim", "enqueue force", "pause"),
    ("due", "give_job", "add_user", "remove_user"),
    ("due", "take_job", "give_job anew", "add_user"),
    ("running", "page", "take_job", "give_job anew"),
    ("reauth", "set_secret", "take_job", "pause"),
    ("reauth", "set_secret", "reset", "pause"),
]


BAD = [
    ("sweep", "plain SQL of the gone"), ("sweep", "edit_record of the gone"), ("sweep", "repair"),
    ("push saved", "plain SQL of the unsent"), ("push saved", "edit_record of the unsent"),
    ("push replaced", "plain SQL of the unsent"), ("first page", "repair"), ("first page", "first page"),
    ("finish failed push", "maintain_runs"), ("finish batch", "enqueue two"), ("claim", "reap"), ("claim", "leave"),
    ("reap", "maintain_runs"), ("give_job", "remove_user"), ("give_job", "add_user"), ("finish needs_reauth", "set_secret"),
    ("page", "finish complete"), ("page", "edit_record of the page"), ("enqueue entity", "enqueue"),
    ("finish partial", "enqueue"), ("release", "enqueue"), ("finish deferred", "enqueue force"),
    ("store_job_file", "maintain_runs"), ("store_job_file", "enqueue two"), ("store_job_file", "add_user"),
    ("take_job", "page"), ("take_job", "give_job anew"), ("take_job", "add_user"), ("take_job", "set_secret"),
    ("set_secret", "reset"), ("enqueue", "remove_user"), ("set_secret", "remove_user"), ("set_tenant", "claim"), ("enqueue entity", "trigger"),
]


def states(one, other):
    """Where two verbs are tried: where a run is in progress if they meet there, and where one of them is telling."""
    common = one.states & other.states
    if is_one_run(one, other):
        return []
    usual = [state for state in USUAL if state in common][:1]
    return sorted({*usual, *(common & (one.telling | other.telling))}) or sorted(common)[:1]


def is_one_run(one, other):
    return one is not other and any({one.name, other.name} <= names for names in (STEPS, ENDS))


def pairs():
    """All pairs of verbs, a verb with itself among them."""
    return itertools.combinations_with_replacement(VERBS.values(), 2)


def scenarios():
    """(job, state, verbs) of everything that is run; a verb by itself is held against the page's table."""
    for one, other in pairs():
        for state in states(one, other):
            yield "pairs.notes", state, (one, other)
            if {one.name, other.name} <= STEPS | EDITS:
                yield "pairs.cards", state, (one, other)
    for verb in VERBS.values():
        for state in verb.states:
            if left_by(verb.function, state, verb.is_forced):
                yield "pairs.notes", state, (verb,)
    for state, *names in THREES:
        yield "pairs.notes", state, tuple(VERBS[name] for name in names)


def unmet():
    """Pairs that never meet, and why."""
    for one, other in pairs():
        if is_one_run(one, other):
            yield one, other, "one run does the one after the other"
        elif not states(one, other):
            yield one, other, f"{one.name} acts while the job is {words(one)}, {other.name} while it is {words(other)}"


def words(verb):
    return " or ".join(sorted(verb.states)).replace("_", " and ")


def met_badly(scenario):
    """Pairs that once lost, held up or miscounted something: they are always run in every order."""
    names = [verb.name for verb in scenario[2]]
    return len(names) == 2 and any(
        names[0].startswith(one) and names[1].startswith(other) or names[0].startswith(other) and names[1].startswith(one)
        for one, other in BAD
    )
