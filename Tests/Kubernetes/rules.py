"""What must hold of the manifests among themselves. A rule takes them and returns what it has against them."""

import re

from manifests import FOLDER

PART = "app.kubernetes.io/component"


def fits(selector, labels):
    """Whether labels are chosen by a selector; an empty one chooses all."""
    return all(labels.get(name) == value for name, value in selector.get("matchLabels", selector).items())


def chosen(manifests, selector):
    return {name: pod for name, pod in manifests.pods.items() if fits(selector, pod["metadata"]["labels"])}


def ports(pod):
    """Names and numbers of the ports that a pod's containers listen at."""
    told = [port for container in pod["spec"]["containers"] for port in container.get("ports", [])]
    return {port["name"] for port in told} | {port["containerPort"] for port in told}


def files(manifests):
    """The kustomization names each file, and each file that it names is there."""
    found = [f"{name} is in no list" for name in manifests.unlisted]
    found += [f"ConfigMap {name} lacks {file}" for name, wanted in manifests.generated.items() for file in wanted
              if not (FOLDER / file).is_file()]
    names = [(resource["kind"], resource["metadata"]["name"]) for resource in manifests.resources]
    return found + [f"twice: {kind} {name}" for kind, name in sorted({name for name in names if names.count(name) > 1})]


def images(manifests):
    """Each image is one that the kustomization gives an address and a version."""
    given = {image["name"]: image for image in manifests.kustomization.get("images", [])}
    found = []
    for name, (container, _) in manifests.containers.items():
        image = given.get(container["image"], {})
        if not image.get("digest") and image.get("newTag", "latest") == "latest":
            found.append(f"{name}: image {container['image']} has no version")
    return found


def selectors(manifests):
    """Whoever chooses pods by labels finds some, and whoever makes pods finds its own."""
    found = []
    for resource in manifests.of_kind("Deployment"):
        name, spec = resource["metadata"]["name"], resource["spec"]
        if list(chosen(manifests, spec["selector"])) != [name]:
            found.append(f"Deployment {name} finds other pods than its own")
        for spread in spec["template"]["spec"].get("topologySpreadConstraints", []):
            if list(chosen(manifests, spread["labelSelector"])) != [name]:
                found.append(f"Deployment {name} is spread among other pods than its own")
    for resource in manifests.of_kind("Service", "PodDisruptionBudget", "NetworkPolicy"):
        selector = resource["spec"].get("selector") or resource["spec"].get("podSelector", {})
        if not chosen(manifests, selector):
            found.append(f"{resource['kind']} {resource['metadata']['name']} finds no pod")
    for name, pod in manifests.pods.items():
        if pod["metadata"]["labels"].get(PART) is None:
            found.append(f"{name}: its pods lack {PART}")
    return found


def listened(manifests):
    """Each port that a Service, a probe or a network policy names is one at which somebody listens."""
    found = []
    for service in manifests.of_kind("Service"):
        for port in service["spec"]["ports"]:
            found += [f"Service {service['metadata']['name']}: {name} has no port {port['targetPort']}"
                      for name, pod in chosen(manifests, service["spec"]["selector"]).items()
                      if port["targetPort"] not in ports(pod)]
    for policy in manifests.of_kind("NetworkPolicy"):
        for rule in policy["spec"].get("ingress", []):
            found += [f"NetworkPolicy {policy['metadata']['name']}: {name} has no port {port['port']}"
                      for name, pod in chosen(manifests, policy["spec"]["podSelector"]).items()
                      for port in rule["ports"] if port["port"] not in ports(pod)]
    for name, (container, pod) in manifests.containers.items():
        for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
            path, port = asked(container.get(kind, {}))
            if port is not None and port not in ports({"spec": pod}):
                found.append(f"{name}: {kind} asks port {port}, which it does not have")
            if path not in (None, "/livez", "/readyz"):
                found.append(f"{name}: {kind} asks {path}")
    return found


def asked(probe):
    """Path and port of a probe over HTTP, or of one that bash asks."""
    if "httpGet" in probe:
        return probe["httpGet"]["path"], probe["httpGet"]["port"]
    text = " ".join(probe.get("exec", {}).get("command", []))
    port, path = re.search(r"/dev/tcp/127\.0\.0\.1/(\d+)", text), re.search(r"GET (\S+) HTTP", text)
    return path and path[1], port and int(port[1])


def references(manifests):
    """Each volume, Secret, ConfigMap and file that is named is there; the page's commands make the Secrets."""
    found, named = [], set()
    for name, (container, pod) in manifests.containers.items():
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        mounts = {mount["mountPath"]: mount for mount in container.get("volumeMounts", [])}
        found += [f"{name}: no volume {mount['name']}" for mount in mounts.values() if mount["name"] not in volumes]
        for volume in volumes.values():
            if "secret" in volume:
                named.add(volume["secret"]["secretName"])
            elif volume.get("configMap", {}).get("name") not in manifests.generated:
                found.append(f"{name}: volume {volume['name']} is of nothing that is here")
        for entry in container.get("env", []):
            folder, _, file = entry.get("value", "").rpartition("/")
            secret = volumes.get(mounts.get(folder, {}).get("name"), {}).get("secret", {}).get("secretName")
            if entry["name"].endswith("_FILE") and file not in manifests.secrets.get(secret, []):
                found.append(f"{name}: {entry['name']} names {entry.get('value')}, which no Secret has")
    for login in manifests.of_kind("TriggerAuthentication"):
        for entry in login["spec"]["secretTargetRef"]:
            named.add(entry["name"])
            if entry["key"] not in manifests.secrets.get(entry["name"], []):
                found.append(f"Secret {entry['name']} has no {entry['key']}")
    found += [f"the page makes no Secret {name}" for name in sorted(named - set(manifests.secrets))]
    return found + [f"nobody reads Secret {name}" for name in sorted(set(manifests.secrets) - named)]


def confined(manifests):
    """Nobody is root, writes to the image, has a capability, a token of the cluster or all of a node's memory."""
    found = []
    for name, (container, pod) in manifests.containers.items():
        own, around, limits = container.get("securityContext", {}), pod.get("securityContext", {}), container.get("resources", {})
        for sentence, holds in {
            "may write to the image": own.get("readOnlyRootFilesystem") is True,
            "may gain rights": own.get("allowPrivilegeEscalation") is False,
            "keeps capabilities": own.get("capabilities") == {"drop": ["ALL"]},
            "may be root": around.get("runAsNonRoot") is True and around.get("runAsUser", 0) > 0,
            "overrides its pod's user": not {"runAsUser", "runAsNonRoot", "privileged"} & own.keys(),
            "may call whatever the kernel has": around.get("seccompProfile") == {"type": "RuntimeDefault"},
            "has a token of the cluster": pod.get("automountServiceAccountToken") is False,
            "shares the node's namespaces": not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys(),
            "has no limits": {"cpu", "memory"} <= limits.get("limits", {}).keys(),
            "asks for nothing": {"cpu", "memory"} <= limits.get("requests", {}).keys(),
            "may write to what is mounted": all(mount.get("readOnly") for mount in container.get("volumeMounts", [])),
        }.items():
            if not holds:
                found.append(f"{name} {sentence}")
        for volume in pod.get("volumes", []):
            if "secret" in volume and (volume["secret"].get("defaultMode") != 0o440 or not around.get("fsGroup")):
                found.append(f"{name}: its program would refuse the files of Secret {volume['secret']['secretName']}")
    return found


def logins(manifests):
    """Each workload has the login of its role, and the key only who needs it."""
    wanted = {"migrate": {"owner-login"}, "worker": {"work-login", "key", "serve-token"},
              "serve": {"serve-login", "serve-token"}, "operate": {"operate-login", "key"}}
    found = []
    for name, pod in manifests.pods.items():
        has = {volume["secret"]["secretName"].removeprefix("jobrunner-") for volume in pod["spec"]["volumes"] if "secret" in volume}
        part = pod["metadata"]["labels"].get(PART)
        if has != wanted.get(part):
            found.append(f"{name} has {', '.join(sorted(has))}")
    return found


def denied(manifests):
    """What no policy names is refused, in both directions; https leads to no private network."""
    policies = [policy["spec"] for policy in manifests.of_kind("NetworkPolicy")]
    closed = any(not spec["podSelector"] and {"Ingress", "Egress"} <= set(spec["policyTypes"]) and not spec.get("ingress")
                 and not spec.get("egress") for spec in policies)
    found = [] if closed else ["nothing is denied by default"]
    for spec in policies:
        for rule in spec.get("egress", []) + spec.get("ingress", []):
            peers = rule.get("to", []) + rule.get("from", [])
            found += [] if peers and rule.get("ports") else ["a rule is for anybody or for any port"]
            found += [f"{peer['ipBlock']['cidr']} has private networks in it" for peer in peers
                      if peer.get("ipBlock", {}).get("cidr") in ("0.0.0.0/0", "::/0")
                      and not {"10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "fc00::/7"} & set(peer["ipBlock"].get("except", []))]
    return found
