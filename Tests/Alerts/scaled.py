"""Prints alert rules with shorter spans: a second for two minutes, but none shorter than three seconds.

The age of a snapshot is a span that nobody can move in a row, so that its bound is one of them.
"""

import re
import sys

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
FACTOR = 120
SHORTEST = 3


def scaled(count: str, unit: str) -> int:
    return max(SHORTEST, int(count) * SECONDS[unit] // FACTOR)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        rules = file.read()
    rules = re.sub(r"\[(\d+)([smhd])\]", lambda m: f"[{scaled(*m.groups())}s]", rules)
    rules = re.sub(r"for: (\d+)([smhd])", lambda m: f"for: {scaled(*m.groups())}s", rules)
    bound = "jobrunner_oldest_snapshot_seconds > 3600"
    if bound not in rules:
        sys.exit(f"scaled.py: {bound} is in no rule")
    print(rules.replace(bound, f"{bound.removesuffix('3600')}{3600 // 1800}"), end="")


main()
