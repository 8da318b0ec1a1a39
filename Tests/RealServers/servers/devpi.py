"""devpi (PyPI), an index of packages: users, indexes, projects and versions; read anew from the top down."""

import subprocess
from datetime import datetime

from .place import basic

JOB = "devpi.packages"
# Whoever may reach it may read.
SECRETS = {}
READY = "/+api"
PASSWORD = "p4ss-of-devpi-root"


def serve(place):
    store = place.folder / "store"
    subprocess.run([place.programs / "devpi-init", "--serverdir", store, "--no-root-pypi",
                    "--root-passwd", PASSWORD], check=True)
    return [place.programs / "devpi-server", "--serverdir", store, "--host", "127.0.0.1", "--port", place.port,
            "--offline-mode", "--threads", 4], {}


def signed_in(place):
    """As its own client does it: the token of a login is sent as the password."""
    place.headers = {"Accept": "application/json"}
    token = place.call("POST", "/+login", {"user": "root", "password": PASSWORD})["result"]["password"]
    place.headers["Authorization"] = basic("root", token)
    return place


def make_user(place, name, **more):
    place.call("PUT", f"/{name}", {"password": "for-this-test-only", **more})


def make_index(place, path, **more):
    place.call("PUT", f"/{path}", {"type": "stage", "bases": [], "acl_upload": ["root"], **more})


def register(place, path, project, *versions):
    for version in versions:
        place.send("POST", f"/{path}", form={
            ":action": "submit", "metadata_version": "2.1", "name": project, "version": version,
            "summary": f"{project} {version}"})


def fill(place):
    make_user(signed_in(place), "ann", email="ann@example.com")
    make_user(place, "bob")
    make_user(place, "carl")
    make_index(place, "ann/dev")
    make_index(place, "ann/prod", bases=["ann/dev"], volatile=False)
    make_index(place, "ann/idle")
    make_index(place, "carl/dev")
    for number in range(10):
        register(place, "ann/dev", f"project-{number}", "1.0", "1.1", "2.0b1")
    for number in range(3):
        register(place, "ann/prod", f"project-{number}", "1.0")
        register(place, "carl/dev", f"private-{number}", "0.1")


def change(place):
    signed_in(place).call("PATCH", "/bob", {"email": "bob@example.com"})
    place.call("DELETE", "/carl")
    place.call("DELETE", "/ann/dev/project-3")
    place.call("DELETE", "/ann/dev/project-4/1.0")
    register(place, "ann/dev", "project-5", "3.0")
    make_user(place, "dora")
    make_index(place, "dora/dev")
    register(place, "dora/dev", "late", "1.0")


def says(place):
    place.headers = {"Accept": "application/json"}
    users, indexes, projects, versions = [], [], [], []
    for name, user in place.get("/")["result"].items():
        users.append({"username": name, "email": user.get("email"), "created_at": datetime.fromisoformat(user["created"])})
        for index_name, index in user["indexes"].items():
            at = {"username": name, "index_name": index_name}
            indexes.append(at | {key: index[key] for key in ("type", "volatile", "bases")})
            for project in place.get(f"/{name}/{index_name}")["result"]["projects"]:
                projects.append(at | {"project": project})
                for version in place.get(f"/{name}/{index_name}/{project}")["result"]:
                    data = place.get(f"/{name}/{index_name}/{project}/{version}")["result"]
                    versions.append(at | {"project": project, "version": version, "summary": data["summary"]})
    return {"devpi_user": (["username"], users), "devpi_index": (["username", "index_name"], indexes),
            "devpi_project": (["username", "index_name", "project"], projects),
            "devpi_version": (["username", "index_name", "project", "version"], versions)}
