"""Schemas: Kubernetes' own kinds by its published ones, KEDA's and kustomize's by what their manuals document."""

import jsonschema
import kubernetes_validate

# The oldest version that is still asked for, and the newest that the package knows.
VERSIONS = ("1.31", kubernetes_validate.latest_version())


def of(required=(), **properties):
    """An object that has these fields and no other."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def listed(items, **more):
    return {"type": "array", "items": items, "minItems": 1} | more


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 0}
FLAG = {"type": "boolean"}
NUMBER_AS_TEXT = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$"}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
METADATA = of(["name"], name={"type": "string", "pattern": r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"}, namespace=TEXT, labels=TEXTS,
              annotations=TEXTS)


def resource(version, kind, spec):
    return of(["apiVersion", "kind", "metadata", "spec"], apiVersion={"const": version}, kind={"const": kind},
              metadata=METADATA, spec=spec)


# https://keda.sh/docs/latest/reference/scaledobject-spec, and of autoscaling/v2 what it hands on.
POLICY = of(["type", "value", "periodSeconds"], type={"enum": ["Pods", "Percent"]}, value={"type": "integer", "minimum": 1},
            periodSeconds={"type": "integer", "minimum": 1, "maximum": 1800})
RULES = of([], selectPolicy={"enum": ["Max", "Min", "Disabled"]}, policies=listed(POLICY), tolerance={"type": ["string", "number"]},
           stabilizationWindowSeconds=COUNT | {"maximum": 3600})
# https://keda.sh/docs/latest/scalers/postgresql: all values are texts.
POSTGRESQL = of(["query", "targetQueryValue"], query=TEXT, targetQueryValue=NUMBER_AS_TEXT,
                activationTargetQueryValue=NUMBER_AS_TEXT, connectionFromEnv=TEXT, host=TEXT, port=TEXT, userName=TEXT,
                passwordFromEnv=TEXT, dbName=TEXT, sslmode=TEXT)
TRIGGER = of(["type", "metadata"], type={"const": "postgresql"}, name=TEXT, metadata=POSTGRESQL, useCachedMetrics=FLAG,
             metricType={"enum": ["AverageValue", "Value"]},
             authenticationRef=of(["name"], name=TEXT, kind={"enum": ["TriggerAuthentication", "ClusterTriggerAuthentication"]}))
FALLBACK = of(["failureThreshold", "replicas"], failureThreshold=COUNT, replicas=COUNT,
              behavior={"enum": ["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"]})
SCALED_OBJECT = resource("keda.sh/v1alpha1", "ScaledObject", of(
    ["scaleTargetRef", "triggers"],
    scaleTargetRef=of(["name"], apiVersion=TEXT, kind=TEXT, name=TEXT, envSourceContainerName=TEXT),
    pollingInterval=COUNT, cooldownPeriod=COUNT, initialCooldownPeriod=COUNT, idleReplicaCount={"const": 0},
    minReplicaCount=COUNT, maxReplicaCount={"type": "integer", "minimum": 1}, fallback=FALLBACK,
    advanced=of([], restoreToOriginalReplicaCount=FLAG, horizontalPodAutoscalerConfig=of(
        [], name=TEXT, behavior=of([], scaleUp=RULES, scaleDown=RULES))),
    triggers=listed(TRIGGER)))
# https://keda.sh/docs/latest/concepts/authentication; of its providers the ones that a Secret or a variable needs.
TRIGGER_AUTHENTICATION = resource("keda.sh/v1alpha1", "TriggerAuthentication", of(
    [], secretTargetRef=listed(of(["parameter", "name", "key"], parameter=TEXT, name=TEXT, key=TEXT)),
    env=listed(of(["parameter", "name"], parameter=TEXT, name=TEXT, containerName=TEXT))))
# https://kubectl.docs.kubernetes.io/references/kustomize/kustomization: what is used here, and its neighbours.
KUSTOMIZATION = of(
    ["apiVersion", "kind", "resources"], apiVersion={"const": "kustomize.config.k8s.io/v1beta1"},
    kind={"const": "Kustomization"}, namespace=TEXT, resources=listed(TEXT, uniqueItems=True),
    images=listed(of(["name"], name=TEXT, newName=TEXT, newTag=TEXT, digest=TEXT)),
    configMapGenerator=listed(of(["name"], name=TEXT, namespace=TEXT, files=listed(TEXT), literals=listed(TEXT))),
    labels=listed(of(["pairs"], pairs=TEXTS, includeSelectors=FLAG, includeTemplates=FLAG)),
    patches=listed(of([], path=TEXT, patch=TEXT, target={"type": "object"})))
OWN = {"ScaledObject": SCALED_OBJECT, "TriggerAuthentication": TRIGGER_AUTHENTICATION, "Kustomization": KUSTOMIZATION}


def told(error):
    return f"{'.'.join(map(str, error.absolute_path)) or 'the document'}: {error.message[:200]}"


def findings(document):
    """What a schema has against a document."""
    kind = document.get("kind")
    if kind in OWN:
        return [told(error) for error in jsonschema.Draft202012Validator(OWN[kind]).iter_errors(document)]
    found = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
            found.append(f"Kubernetes {version}: " + (told(error) if hasattr(error, "absolute_path") else error.message))
    return found


def hold(manifests):
    """Each document is of its kind, and has no field that nobody reads."""
    return [f"{document.get('kind')} {document.get('metadata', {}).get('name', '')}: {one}"
            for document in (manifests.kustomization, *manifests.resources) for one in findings(document)]
