"""Manifests with one thing wrong, each of which a rule must refuse: so that no rule is kept that can't fail."""

import copy

import program
import rules
import schemas


def named(manifests, kind, name):
    return next(resource for resource in manifests.of_kind(kind) if resource["metadata"]["name"] == name)


def pod(manifests, name="jobrunner-worker"):
    return manifests.pods[name]["spec"]


def container(manifests, name="jobrunner-worker"):
    return pod(manifests, name)["containers"][0]


def scaled(manifests):
    return named(manifests, "ScaledObject", "jobrunner-worker")["spec"]


def misspelt_field(manifests):
    named(manifests, "Deployment", "jobrunner-worker")["spec"]["template"]["spec"]["terminationGraceSeconds"] = 15


def wrong_type(manifests):
    container(manifests)["ports"][0]["containerPort"] = "9464"


def misspelt_field_of_keda(manifests):
    scaled(manifests)["maxReplicas"] = scaled(manifests).pop("maxReplicaCount")


def number_in_a_trigger(manifests):
    scaled(manifests)["triggers"][0]["metadata"]["targetQueryValue"] = 10


def misspelt_kustomization(manifests):
    manifests.kustomization["image"] = manifests.kustomization.pop("images")


def unlisted_file(manifests):
    manifests.unlisted.append("forgotten.yaml")


def no_version(manifests):
    manifests.kustomization["images"][0]["newTag"] = "latest"


def other_label(manifests):
    named(manifests, "Service", "jobrunner-serve")["spec"]["selector"]["app.kubernetes.io/component"] = "server"


def other_port(manifests):
    named(manifests, "Service", "jobrunner-serve")["spec"]["ports"][0]["targetPort"] = "web"


def probe_at_another_port(manifests):
    command = container(manifests)["readinessProbe"]["exec"]["command"]
    command[-1] = command[-1].replace("9464", "9465")


def other_secret(manifests):
    next(volume for volume in pod(manifests)["volumes"] if volume["name"] == "key")["secret"]["secretName"] = "jobrunner-keys"


def other_file(manifests):
    container(manifests)["env"][0]["value"] = "/login/url"


def other_config_map(manifests):
    manifests.generated = {"jobrunner-files": ["jobs/items.yaml"]}


def writable_root(manifests):
    container(manifests)["securityContext"]["readOnlyRootFilesystem"] = False


def no_memory_limit(manifests):
    del container(manifests, "jobrunner-serve")["resources"]["limits"]["memory"]


def root(manifests):
    del pod(manifests, "jobrunner-migrate")["securityContext"]["runAsNonRoot"]


def kept_capability(manifests):
    container(manifests)["securityContext"]["capabilities"]["add"] = ["NET_RAW"]


def readable_secret(manifests):
    next(volume for volume in pod(manifests)["volumes"] if "secret" in volume)["secret"]["defaultMode"] = 0o444


def owners_login(manifests):
    next(volume for volume in pod(manifests)["volumes"] if volume["name"] == "login")["secret"]["secretName"] = "jobrunner-owner-login"


def open_door(manifests):
    named(manifests, "NetworkPolicy", "nothing-else")["spec"]["ingress"] = [{}]


def misspelt_option(manifests):
    container(manifests)["args"][1] = "--concurency"


def unknown_command(manifests):
    container(manifests, "jobrunner-migrate")["args"] = ["migration"]


def unknown_setting(manifests):
    container(manifests)["env"].append({"name": "JOBRUNNER_SERVE_TRUST", "value": "127.0.0.0/8"})


def moved_port(manifests):
    container(manifests)["args"][-1] = "0.0.0.0:9400"


def liveness_by_readiness(manifests):
    container(manifests)["livenessProbe"]["httpGet"]["path"] = "/readyz"


def short_grace(manifests):
    pod(manifests)["terminationGracePeriodSeconds"] = 5


def pinned_worker(manifests):
    named(manifests, "PodDisruptionBudget", "jobrunner-worker")["spec"].update(minAvailable=1, maxUnavailable=0)


def replicas_beside_keda(manifests):
    named(manifests, "Deployment", "jobrunner-worker")["spec"]["replicas"] = 3


def late_slots(manifests):
    manifests.queries["busy-slots"]["metadata"]["targetQueryValue"] = "50"


def more_workers(manifests):
    scaled(manifests)["maxReplicaCount"] = 40


def lacking_job_file(manifests):
    manifests.generated["jobrunner-jobs"] = ["kustomization.yaml"]


BREAKAGES = {
    schemas.hold: [misspelt_field, wrong_type, misspelt_field_of_keda, number_in_a_trigger, misspelt_kustomization],
    rules.files: [unlisted_file],
    rules.images: [no_version],
    rules.selectors: [other_label],
    rules.listened: [other_port, probe_at_another_port],
    rules.references: [other_secret, other_file, other_config_map],
    rules.confined: [writable_root, no_memory_limit, root, kept_capability, readable_secret],
    rules.logins: [owners_login],
    rules.denied: [open_door],
    program.commands: [misspelt_option, unknown_command],
    program.settings: [unknown_setting],
    program.listens: [moved_port],
    program.probes: [liveness_by_readiness],
    program.drains: [short_grace, pinned_worker],
    program.scales: [replicas_beside_keda, late_slots],
    program.sessions: [more_workers],
    program.job_files: [lacking_job_file],
}


def unseen(manifests, rule):
    """The breakages that a rule has nothing new against."""
    before, missed = rule(manifests), []
    for breakage in BREAKAGES[rule]:
        broken = copy.deepcopy(manifests)
        breakage(broken)
        if not set(rule(broken)) - set(before):
            missed.append(breakage.__name__)
    return missed
