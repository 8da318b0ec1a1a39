"""Which test targets see what differs from a commit; called by bin/test --quick.

  affected.py COMMIT    prints the targets, each behind how many imports lie between it and what was changed

What differs is committed, changed or new. A file outside all targets, such as a page or a script, affects none.
"""

import json
import subprocess
import sys


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def changed_files(commit):
    names = output("git", "diff", "--name-only", commit) + output("git", "ls-files", "-o", "--exclude-standard")
    return names.split("\n")


def targets():
    """Of each target: its folder, what it imports, and whether it holds tests."""
    package = json.loads(output("swift", "package", "describe", "--type", "json"))
    return {
        target["name"]: (target["path"] + "/", target.get("target_dependencies", []), target["type"] == "test")
        for target in package["targets"]
    }


def distances(targets, changed):
    """How many imports lie between each target and the nearest that was changed."""
    found = {name: 0 for name in changed}
    step = 0
    while True:
        step += 1
        reached = [
            name for name, (_, imports, _) in targets.items()
            if name not in found and any(found.get(other) == step - 1 for other in imports)]
        if not reached:
            return found
        found.update(dict.fromkeys(reached, step))


def main(commit):
    all_targets = targets()
    files = changed_files(commit)
    # The package itself, and the job files, which tests of several targets read.
    everything = {"Package.swift"}
    if everything & set(files):
        changed = list(all_targets)
    else:
        changed = [
            name for name, (folder, _, _) in all_targets.items() if any(file.startswith(folder) for file in files)]
        if any(file.startswith("jobs/") for file in files):
            changed += ["JobFilesTests", "IntegrationTests"]
    found = distances(all_targets, changed)
    for name, distance in found.items():
        if all_targets[name][2]:
            print(distance, name)


main(sys.argv[1])
