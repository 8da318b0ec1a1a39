"""Reads the tables of Tests/TestJobFiles/Cases, whose README says how they are written."""


import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "TestJobFiles/Cases"


def unescaped(text):
    """The bytes of a text in which \\n, \\t, \\\\ and \\xHH stand for one each."""
    def byte(match):
        code = match.group(1)
        return {b"n": b"\n", b"t": b"\t"}.get(code) or (bytes([int(code[1:], 16)]) if len(code) > 1 else code)

    return re.sub(rb"\\(x..|.)", byte, text.encode())


def patched(table, patches):
    """The base of lines with texts replaced that stand in it once."""
    file = FOLDER / f"{table}.yaml"
    text = file.read_bytes() if file.exists() else b""
    for patch in patches.split(" && "):
        old, new = (unescaped(side) for side in re.split(r" ?=> ?", patch, maxsplit=1))
        if text and text.count(old) != 1:
            raise ValueError(f"{table}: not there once: {patch}")
        text = text.replace(old, new, 1)
    return text


def changed(table, patch):
    """The base of JSON with the value at a path set or gone."""
    file = json.loads((FOLDER / f"{table}.json").read_text())
    path, is_set, value = patch.partition(" = ")
    path = path.removesuffix(" gone") if not is_set else path
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = file
    for step in steps:
        place = place[step]
    if is_set:
        place[last] = json.loads(value)
    else:
        del place[last]
    return json.dumps(file).encode()


def cases():
    """Name, bytes and who accepts them: good, both (refuse them) or ours (only `validate` refuses them)."""
    for table in sorted(FOLDER.glob("*.cases")):
        for line in table.read_text().splitlines():
            if line.startswith(("#", "  ")):
                continue
            verdict, rest = line.split(" ", 1)
            named = re.match(r"([a-z0-9-]+): ?(.*)", rest)
            text = patched(table.stem, named.group(2)) if named else changed(table.stem, rest)
            yield f"{table.stem} {named.group(1) if named else rest}", text, verdict


def bases():
    """Name and bytes of what is changed."""
    for file in sorted(FOLDER.iterdir()):
        if file.suffix in (".yaml", ".json"):
            yield f"{file.name} as it is", file.read_bytes()
