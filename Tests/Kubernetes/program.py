"""What must hold between the manifests and the program: commands, options, settings, ports, how long a drain takes."""

import functools
import json
import os
import pathlib
import re
import subprocess

from manifests import FOLDER
from rules import PART, asked, chosen, ports

PROGRAM = os.environ.get("JOBRUNNER_PROGRAMS", ".build/debug") + "/jobrunner"


@functools.cache
def said(*words):
    """What the program prints, without a setting of whoever runs the test."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("JOBRUNNER_", "PG", "DATABASE_URL"))}
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True, env=bare).stdout


def command_lines(manifests):
    """Each call of the program: whose it is, its command and its words; what else the image runs is left out."""
    return {name: container["args"] for name, (container, _) in manifests.containers.items() if "command" not in container}


def options_of(command):
    """Each option of a command, and whether it takes a value."""
    return {option: bool(value) for option, value in re.findall(r"(?m)^  (--[a-z-]+)( [A-Z]+)?", said("help", command))}


def commands(manifests):
    """The program has each command, each option, and takes a value where one stands."""
    known = set(re.findall(r"(?m)^  ([a-z]+) ", said("help").split("commands:")[1].split("settings,")[0]))
    found = []
    for name, (command, *words) in command_lines(manifests).items():
        if command not in known:
            found.append(f"{name}: jobrunner has no command {command}")
            continue
        options = options_of(command)
        while words:
            option = words.pop(0)
            if option not in options:
                found.append(f"{name}: jobrunner {command} has no option {option}")
            elif options[option] and not (words and not words[0].startswith("--")):
                found.append(f"{name}: {option} lacks its value")
            elif options[option]:
                words.pop(0)
    return found


def settings(manifests):
    """Each variable is a setting of the program, or the file of one."""
    known = {setting["name"] for setting in json.loads(said("settings", "--json"))}
    return [f"{name}: the program has no setting {entry['name']}" for name, (container, _) in manifests.containers.items()
            for entry in container.get("env", []) if not {entry["name"], entry["name"].removesuffix("_FILE")} & known]


def listens(manifests):
    """The program is told to listen at the port that its container names."""
    found = []
    for name, words in command_lines(manifests).items():
        told = {int(words[place + 1].rsplit(":", 1)[1]) for place, word in enumerate(words) if word in ("--metrics", "--listen")}
        named = {port for port in ports({"spec": {"containers": [manifests.containers[name][0]]}}) if isinstance(port, int)}
        if told != named:
            found.append(f"{name} listens at {told or 'no port'}, and names {named or 'none'}")
    return found


def probes(manifests):
    """What goes on is asked for its life at /livez, and for its readiness at /readyz."""
    found = []
    for name, (container, _) in manifests.containers.items():
        if not container.get("ports"):
            continue
        for kind, path in (("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
            if asked(container.get(kind, {}))[0] != path:
                found.append(f"{name}: its {kind} does not ask {path}")
    return found


def drains(manifests):
    """A worker has the time to give its runs back, and nothing keeps a node from being drained."""
    unit = pathlib.Path("deploy/systemd/jobrunner-worker.service").read_text()
    wanted = int(re.search(r"TimeoutStopSec=(\d+)", unit)[1])
    found = []
    for name, pod in manifests.pods.items():
        if pod["metadata"]["labels"].get(PART) == "worker" and pod["spec"].get("terminationGracePeriodSeconds", 30) < wanted:
            found.append(f"{name} is killed before {wanted} s")
    budgets = manifests.of_kind("PodDisruptionBudget")
    for budget in budgets:
        if not budget["spec"].get("maxUnavailable"):
            found.append(f"PodDisruptionBudget {budget['metadata']['name']} lets a single worker never go")
    guarded = [name for budget in budgets for name in chosen(manifests, budget["spec"]["selector"])]
    return found + ([] if guarded == ["jobrunner-worker"] else ["the worker has no PodDisruptionBudget of its own"])


def scales(manifests):
    """KEDA finds the Deployment, which leaves its number to it, and the login; a worker is added before all are full."""
    deployments = {resource["metadata"]["name"]: resource["spec"] for resource in manifests.of_kind("Deployment")}
    logins = {resource["metadata"]["name"] for resource in manifests.of_kind("TriggerAuthentication")}
    found = []
    for scaled in (resource["spec"] for resource in manifests.of_kind("ScaledObject")):
        target = scaled["scaleTargetRef"]["name"]
        if target not in deployments:
            found.append(f"there is no Deployment {target}")
            continue
        if "replicas" in deployments[target]:
            found.append(f"each apply sets the replicas of {target} back")
        if (scaled.get("minReplicaCount", 0), scaled.get("maxReplicaCount")) != (1, 20):
            found.append("it does not scale from 1 to 20")
        found += [f"trigger {trigger['name']}: there is no login" for trigger in scaled["triggers"]
                  if trigger.get("authenticationRef", {}).get("name") not in logins]
    words = command_lines(manifests)["jobrunner-worker/worker"]
    slots = int(words[words.index("--concurrency") + 1]) if "--concurrency" in words else 50
    busy = manifests.queries.get("busy-slots", {"metadata": {"targetQueryValue": "inf"}})
    if float(busy["metadata"]["targetQueryValue"]) >= slots:
        found.append(f"no worker is added before all {slots} slots are busy")
    return found


def sessions(manifests):
    """The sum of sessions that scaling.yaml tells is right for its workers, and PostgreSQL as it comes has them."""
    text = (FOLDER / "scaling.yaml").read_text()
    lines = re.findall(r"(?m)^# +(\d+) ([^×\n]+?)(?: × (\d+))? {2,}(\d+)$|^# +([A-Za-z][^\n]*?) {2,}(\d+)$", text)
    found = [f"{one[0]} × {one[2]} is not {one[3]}" for one in lines if one[2] and int(one[0]) * int(one[2]) != int(one[3])]
    total = sum(int(one[3] or one[5]) for one in lines)
    if f"That is {total};" not in text or total > 97:
        found.append(f"the lines make {total}")
    (scaled,) = manifests.of_kind("ScaledObject")
    usual = re.search(r"--connections N .*else (\d+)\]", said("help", "worker"))
    for count, who, each in [one[:3] for one in lines if "workers" in one[1]]:
        if int(count) != scaled["spec"]["maxReplicaCount"] or not usual or each != usual[1]:
            found.append(f"{count} {who} × {each}: there are {scaled['spec']['maxReplicaCount']} of {usual and usual[1]}")
    return found


def job_files(manifests):
    """The program finds no mistake in the job files."""
    found = []
    for file in (file for files in manifests.generated.values() for file in files):
        done = subprocess.run([PROGRAM, "validate", str(FOLDER / file)], capture_output=True, text=True)
        found += [] if done.returncode == 0 else [done.stderr or done.stdout]
    return found
