"""The Docker registry (Debian): repositories, each with an image of one small configuration and nothing else."""

import hashlib
import json
import shutil
import subprocess

from .place import basic

JOB = "registry.repositories"
SECRETS = {"registry_user": "puller", "registry_password": "p4ss-of-puller"}
READY = "/v2/"
REPOSITORIES = 25
STORE = "registry/docker/registry/v2/repositories"


def serve(place):
    passwords = subprocess.run(["htpasswd", "-Bbn", *SECRETS.values()], check=True, capture_output=True, text=True)
    settings = place.write("registry.yml", f"""
version: 0.1
log: {{ level: error }}
storage:
  filesystem: {{ rootdirectory: {place.folder}/registry }}
  delete: {{ enabled: true }}
auth:
  htpasswd: {{ realm: test, path: {place.write("htpasswd", passwords.stdout)} }}
http:
  addr: 127.0.0.1:{place.port}
  secret: for-this-test-only
""")
    return ["docker-registry", "serve", settings], {}


def push(place, name):
    place.headers = {"Authorization": basic(*SECRETS.values())}
    configuration = b"{}"
    digest = "sha256:" + hashlib.sha256(configuration).hexdigest()
    begun, _ = place.send("POST", f"/v2/{name}/blobs/uploads/")
    place.send("PUT", f"{begun.headers['Location']}&digest={digest}", configuration,
               headers={"Content-Type": "application/octet-stream"})
    kind = "application/vnd.docker.distribution.manifest.v2+json"
    place.send("PUT", f"/v2/{name}/manifests/latest", json.dumps({
        "schemaVersion": 2, "mediaType": kind, "layers": [],
        "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": 2, "digest": digest},
    }).encode(), headers={"Content-Type": kind})


def fill(place):
    for number in range(1, REPOSITORIES + 1):
        push(place, f"repo-{number}")


def change(place):
    push(place, "late-one")
    # The registry has no call that deletes a repository; its operators remove the folder.
    shutil.rmtree(place.folder / STORE / "repo-7")


def says(place):
    return {"registry_repository": (["name"], [{"name": folder.name} for folder in (place.folder / STORE).iterdir()])}
