"""What Tests/Kubernetes/run calls: prints a line for each rule, for its breakages, and for each answer to KEDA."""

import sys

import breaking
import query
from manifests import Manifests

failed = 0


def check(sentence, wanted, found):
    global failed
    if wanted == found:
        print(f"ok - {sentence}", flush=True)
    else:
        failed += 1
        print(f"not ok - {sentence}: wanted {wanted!r}, found {found!r}", flush=True)


def summary(rule):
    """The first sentence of what a rule says of itself."""
    return rule.__doc__.strip().splitlines()[0].rstrip(".")


manifests = Manifests()
for rule, breakages in breaking.BREAKAGES.items():
    check(summary(rule), [], rule(manifests))
    names = ", ".join(breakage.__name__.replace("_", " ") for breakage in breakages)
    check(f"{rule.__name__}: refused are {names}", [], breaking.unseen(manifests, rule))
query.ask(manifests, check)
sys.exit(1 if failed else 0)
