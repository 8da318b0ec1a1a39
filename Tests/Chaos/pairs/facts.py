"""What happened in one order, as those who took part saw it: the judge compares it with what the database says."""

from dataclasses import dataclass, field


@dataclass
class Request:
    """Something was asked for and accepted."""

    what: str
    user: str
    started: int
    committed: int
    answer: str = ""
    force: bool = False
    # None: all of them.
    entity: str | None = None
    full: bool = False
    repair: bool = False
    # A run after this one honours it.
    after_run: int | None = None


@dataclass
class Edit:
    """An application changed a row; body None: it deleted it."""

    what: str
    record: str
    body: str | None
    committed: int


@dataclass
class Page:
    """A run committed rows."""

    fence: int
    number: int
    started: int
    committed: int
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    swept: int = 0


@dataclass
class Facts:
    """All of an order."""

    state: str
    clock: object
    requests: list = field(default_factory=list)
    edits: list = field(default_factory=list)
    pages: list = field(default_factory=list)
    claims: list = field(default_factory=list)
    # fence: (outcome, when)
    ends: dict = field(default_factory=dict)
    # Outcomes to be told once more: somebody held the job.
    busy: list = field(default_factory=list)
    # verb: when it was committed
    done: dict = field(default_factory=dict)
    # What verbs answered, by verb.
    answers: dict = field(default_factory=dict)
    # record: (body, tag) as the source has it; body None: deleted
    source: dict = field(default_factory=dict)
    # record: tag that a push wrote back
    tagged: dict = field(default_factory=dict)
    # record: the body that gave way to the source's
    gave_way: dict = field(default_factory=dict)
    violations: list = field(default_factory=list)

    def violated(self, text):
        if text not in self.violations:
            self.violations.append(text)
