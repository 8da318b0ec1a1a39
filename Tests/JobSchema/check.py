"""Asks a JSON Schema validator and `jobrunner validate` about the same files; they must agree.

Each file is one of three that are right, with one thing changed. A change that only shows between two
parts of a file (a name that is not defined, a step that comes too late) is left out: a schema can't
tell. Prints `ok - …` and `not ok - …` lines.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

from cases import BASES, CASES, GONE

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors read it: `on` and `no` are texts, 012 is no octal."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"^(true|false)$", "tf"),
    ("null", r"^(null|~|)$", ["n", "~", ""]),
    ("int", r"^-?(0|[1-9][0-9]*)$", "-0123456789"),
    ("float", r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$", "-0123456789"),
):
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


def changed(base, path, value):
    """A copy of a file with the value at a path like `entities.0.page.size` set or gone."""
    file = copy.deepcopy(BASES[base])
    steps = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = file
    for step in steps[:-1]:
        place = place[step]
    if value is GONE:
        del place[steps[-1]]
    else:
        place[steps[-1]] = value
    return file


def files():
    """Name, text and verdict of every file."""
    for path in sorted((ROOT / "jobs").glob("*/*.yaml")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(), True
    for base, file in BASES.items():
        yield f"{base} as it is", json.dumps(file), True
    for is_right, base, path, value in CASES:
        word = "without" if value is GONE else json.dumps(value)
        name = f"{base} {path} {word}" if value is not GONE else f"{base} without {path}"
        yield name, json.dumps(changed(base, path, value)), is_right


def described(schema, path=""):
    """Every property without a description, its own or that of what it refers to."""
    definitions = SCHEMA["$defs"]
    for name, part in schema.get("properties", {}).items():
        target = definitions.get(part.get("$ref", "").removeprefix("#/$defs/"), {})
        if not part.get("description") and not target.get("description"):
            yield f"{path}.{name}"
        yield from described(part, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from described(schema["items"], path + "[]")


SCHEMA = json.loads((ROOT / "jobs/job.schema.json").read_text())


def main(binary):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    failures = 0

    def report(is_right, words):
        nonlocal failures
        failures += not is_right
        print(f"{'ok' if is_right else 'not ok'} - {words}")

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "file.yaml"
        for name, text, expected in files():
            file.write_text(text)
            run = subprocess.run(
                [binary, "validate", str(file)], capture_output=True, text=True, timeout=60)
            if run.returncode not in (0, 65, 78):
                report(False, f"{name}: validate ended with {run.returncode}: {run.stderr}")
                continue
            by_schema = validator.is_valid(yaml.load(text, CoreLoader))
            by_us = run.returncode == 0
            says = f"schema {by_schema}, validate {by_us}, expected {expected}"
            detail = "" if by_us == by_schema == expected else f" ({says}) {run.stdout}{run.stderr}"
            report(by_us == by_schema == expected, f"{name}{detail}")
    parts = {"": SCHEMA, **SCHEMA["$defs"]}
    silent = [path for name, part in parts.items() for path in described(part, name)]
    report(not silent, "every key has a description" + "".join(f" {path}" for path in silent))
    report(len(CASES) >= 150, f"{len(CASES)} files were changed in one thing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
