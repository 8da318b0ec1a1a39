"""What deploy/kubernetes has, as `kubectl apply -k` would read it."""

import pathlib
import re

import yaml

FOLDER = pathlib.Path("deploy/kubernetes")
PAGE = pathlib.Path("docs/operating/kubernetes.md")


class Strict(yaml.SafeLoader):
    """A key that comes twice is a mistake; of plain YAML the later one would win in silence."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {', '.join(map(str, twice))}", node.start_mark)
        return super().construct_mapping(node, deep)


class Manifests:
    """The kustomization, the resources of its files, and what the page says must be made by hand."""

    def __init__(self):
        (self.kustomization,) = self.read("kustomization.yaml")
        self.resources = [document for name in self.kustomization["resources"] for document in self.read(name)]
        self.unlisted = sorted(file.name for file in FOLDER.glob("*.yaml")
                               if file.name not in ("kustomization.yaml", *self.kustomization["resources"]))
        self.generated = {entry["name"]: [file.split("=")[-1] for file in entry["files"]]
                          for entry in self.kustomization["configMapGenerator"]}
        self.page = PAGE.read_text()

    @staticmethod
    def read(name):
        return list(yaml.load_all((FOLDER / name).read_text(), Strict))

    def of_kind(self, *kinds):
        return [resource for resource in self.resources if resource["kind"] in kinds]

    @property
    def pods(self):
        """Each workload's name with its pod template."""
        return {resource["metadata"]["name"]: resource["spec"]["template"] for resource in self.of_kind("Deployment", "Job")}

    @property
    def containers(self):
        """Each container's name in its workload, with itself and its pod's specification."""
        return {f"{name}/{container['name']}": (container, pod["spec"]) for name, pod in self.pods.items()
                for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]}

    @property
    def secrets(self):
        """The keys of each Secret that the page's commands make."""
        made = {}
        for name, rest in re.findall(r"create secret generic (\S+)((?: |\\\n)[^\n]*(?:\\\n[^\n]*)*)", self.page):
            made[name] = re.findall(r"--from-(?:file|literal)=([\w.-]+)=", rest)
        return made

    @property
    def queries(self):
        """Each trigger of KEDA by its name."""
        return {trigger["name"]: trigger for resource in self.of_kind("ScaledObject") for trigger in resource["spec"]["triggers"]}
