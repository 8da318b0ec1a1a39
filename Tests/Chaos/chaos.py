#!/usr/bin/env python3
"""Attacks running workers and checks afterwards that nothing was lost, doubled or miscounted; bin/chaos has the options.

It shares no code with the product. A phase is a module, whose `run` is given what was asked for.
"""

import argparse
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback

from checks import Checks, say
from cluster import Cluster

USAGE = 64


class Run:
    """What phases share: a folder, a server, the checks, and all that has to be ended."""

    def __init__(self, options):
        self.folder = tempfile.mkdtemp(prefix="jobrunner-chaos.", dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        self.checks, self.random, self.worlds, self.cluster = Checks(), random.Random(options.seed), [], None
        say(f"seed {options.seed}")

    def start_server(self, *options, environment=None):
        self.cluster = Cluster(f"{self.folder}/pg", *options, environment=environment)

    def end(self):
        for world in self.worlds:
            world.end()
        if self.checks.failed and os.path.exists(f"{self.folder}/pg/log"):
            shutil.copy(f"{self.folder}/pg/log", f"{self.folder}/server.log")
        if self.cluster:
            self.cluster.stop()
        if self.checks.failed:
            print(f"chaos: logs are kept in {self.folder}")
        else:
            shutil.rmtree(self.folder)
        self.checks.tell()


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"chaos: {message}; see the head of bin/chaos", file=sys.stderr)
        sys.exit(USAGE)


def read_options():
    parser = Parser(add_help=False, allow_abbrev=False)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--app", choices=["metube", "sportstime"])
    for form in ("--net", "--pairs", "--patroni", "--restore"):
        forms.add_argument(form, action="store_true")
    for form in ("--hostile", "--storm", "--sources", "--scaling"):
        forms.add_argument(form, type=float, metavar="SECONDS")
    for form in ("--shifting", "--failover", "--pooler"):
        forms.add_argument(form, type=int, metavar="TIMES", default=0)
    for name, usual in (("kills", None), ("cuts", None), ("stops", 5), ("restarts", 3), ("deadlines", 50), ("claims", 300),
                        ("others", 50), ("requests", 100), ("freeze", 33), ("switches", 3),
                        ("switchovers", 5), ("leader-kills", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", default=str(random.randrange(1 << 15)))
    parser.add_argument("--only")
    for name in ("calm", "unmet"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args()


def phase(options):
    """The module of the form that was asked for."""
    if options.shifting:
        return "sources"
    for form in ("net", "pairs", "hostile", "storm", "sources", "failover", "pooler", "patroni", "restore", "scaling"):
        if getattr(options, form):
            return form
    return "sportstime" if options.app == "sportstime" else "kills"


def main():
    options = read_options()
    name = phase(options)
    usual_kills, usual_cuts = {"sportstime": (10, 10), "net": (0, 300)}.get(name, (30, 0))
    options.kills = usual_kills if options.kills is None else options.kills
    options.cuts = usual_cuts if options.cuts is None else options.cuts
    module = importlib.import_module("pairs.run" if name == "pairs" else name)
    # So that what was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    run = Run(options)
    try:
        module.run(run, options)
    except BaseException as error:
        traceback.print_exc()
        run.checks.that(name, "it came to its end", False, repr(error))
    finally:
        run.end()
    return 1 if run.checks.failed else 0


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
    sys.exit(main())
