"""Asks a JSON Schema validator and `jobrunner validate` about the same files; they must agree.

Each file is one that is right with one thing changed, by the tables of Tests/TestJobFiles/Cases. What only
shows between two parts of a file (a name that is not defined, a step that comes too late) a schema can't
tell: of such a file the table says so. Prints `ok - …` and `not ok - …` lines.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

from cases import bases, cases

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


def files():
    """Name, bytes, and the verdicts of the schema and of `jobrunner validate`."""
    for path in sorted((ROOT / "jobs").glob("*/*.yaml")):
        yield path.relative_to(ROOT).as_posix(), path.read_bytes(), True, True
    for name, text in bases():
        yield name, text, True, True
    for name, text, verdict in cases():
        yield name, text, verdict != "both", verdict == "good"


def by_schema(validator, text):
    """What an editor would say: a text that is no YAML is wrong to it as well."""
    try:
        return validator.is_valid(yaml.load(text, CoreLoader))
    except (yaml.YAMLError, RecursionError):
        return False


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
        for name, text, schema_accepts, we_accept in files():
            file.write_bytes(text)
            run = subprocess.run(
                [binary, "validate", str(file)], capture_output=True, text=True, timeout=60)
            if run.returncode not in (0, 65, 78):
                report(False, f"{name}: validate ended with {run.returncode}: {run.stderr}")
                continue
            schema = by_schema(validator, text)
            we = run.returncode == 0
            is_right = (schema, we) == (schema_accepts, we_accept)
            says = f"schema {schema}, expected {schema_accepts}; validate {we}, expected {we_accept}"
            report(is_right, name + ("" if is_right else f" ({says}) {run.stdout}{run.stderr}"))
    parts = {"": SCHEMA, **SCHEMA["$defs"]}
    silent = [path for name, part in parts.items() for path in described(part, name)]
    report(not silent, "every key has a description" + "".join(f" {path}" for path in silent))
    told = [verdict for _, _, verdict in cases()]
    report(len(told) - told.count("ours") >= 270, f"{len(told)} files were changed in one thing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
