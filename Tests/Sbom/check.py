"""What Tests/Sbom/run calls: prints a line for each check of a bill of materials."""
import json
import os
import pathlib
import subprocess
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

failed = 0


def check(sentence, wanted, found):
    global failed
    if wanted == found:
        print(f"ok - {sentence}")
    else:
        failed += 1
        print(f"not ok - {sentence}: wanted {wanted!r}, found {found!r}")


def made(**environment):
    return subprocess.run(["bin/sbom"], env={**os.environ, **environment}, check=True, capture_output=True).stdout.decode()


def holds_to_the_schema(text):
    trouble = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    check("the bill of materials is CycloneDX 1.5 by its own schema", None, trouble and str(trouble)[:300])
    document = json.loads(text)
    refs = [component["bom-ref"] for component in document["components"]]
    check("each component is told once", len(set(refs)), len(refs))
    for dependency in document["dependencies"]:
        check("what the program depends on is among the components", set(), set(dependency["dependsOn"]) - set(refs))
    check("each component has a version and a package URL", [],
          [component["name"] for component in document["components"] if not component.get("version") or not component.get("purl")])
    return document


def versions_of(document, scope):
    return {component["name"]: component["version"] for component in document["components"]
            if component["purl"].startswith("pkg:deb/") and component["scope"] == scope}


def installed(names):
    lines = subprocess.run(["dpkg-query", "-W", "-f", "${Package}\t${Version}\n", *names], check=True,
                           capture_output=True).stdout.decode().splitlines()
    return dict(line.split("\t") for line in lines)


def listed(kind):
    return subprocess.run(["bin/needs", "--list", kind], check=True, capture_output=True).stdout.decode().split()


def tells_this_machine():
    text = made(SOURCE_DATE_EPOCH="1700000000")
    document = holds_to_the_schema(text)
    check("the same inputs give the same text", text, made(SOURCE_DATE_EPOCH="1700000000"))
    check("the time is the one that was given", "2023-11-14T22:13:20Z", document["metadata"]["timestamp"])
    check("the serial number is of the content and not of the time", document["serialNumber"],
          json.loads(made(SOURCE_DATE_EPOCH="1700000001"))["serialNumber"])
    source = pathlib.Path("Sources/Commands/Context/Context.swift").read_text()
    check("the program has its own version", True,
          f'programVersion = "{document["metadata"]["component"]["version"]}"' in source)
    required = versions_of(document, "required")
    run = installed(listed("run"))
    check("what the program calls has the version that is installed", run,
          {name: version for name, version in required.items() if name in run})
    check("what those packages need is told too", installed(["libc6", "libnghttp2-14", "libkrb5-3"]),
          {name: version for name, version in required.items() if name in ("libc6", "libnghttp2-14", "libkrb5-3")})
    check("what it was built with is told as such", installed(set(listed("build")) - set(listed("run"))),
          versions_of(document, "excluded"))


if len(sys.argv) > 1:
    holds_to_the_schema(pathlib.Path(sys.argv[1]).read_text())
else:
    tells_this_machine()
sys.exit(1 if failed else 0)
