"""Makes each breakage of Tests/Mutants/*.mutant and says whether a test saw it; called by bin/mutants."""

import argparse
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TEST_SECONDS_MAX = 300
CHAOS_SECONDS_MAX = 900
MUTANTS_A_SERVER = 10


class Mistake(Exception):
    """One line for the person who wrote the entry, or who called."""


class Mutant:
    def __init__(self, number, name, place):
        self.number, self.name, self.place = number, name, place
        self.file = self.filter = self.chaos = None
        self.old, self.new = [], []
        self.nth, self.count = 1, 1

    def applied(self):
        """The file's text with the breakage in it; raises where it does not find its place."""
        if not (self.file and self.filter and self.old):
            raise Mistake(f"{self.place}: '{self.name}' lacks one of: in, seen by, -")
        try:
            with open(self.file, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            raise Mistake(f"{self.place}: there is no {self.file}") from None
        old, new = "\n".join(self.old), "\n".join(self.new)
        if old == new:
            raise Mistake(f"{self.place}: '{self.name}' changes nothing")
        found = text.count(old)
        if found != self.count:
            raise Mistake(
                f"{self.place}: {self.file} has {found} × '{self.old[0].strip()}…', {self.count} expected")
        start = -1
        for _ in range(self.nth):
            start = text.index(old, start + 1)
        return text[:start] + new + text[start + len(old):]


def read_all():
    mutants = []
    for path in sorted(glob.glob("Tests/Mutants/*.mutant")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file.read().split("\n"), 1):
                place = f"{path}:{number}"
                if line.startswith("= "):
                    mutants.append(Mutant(len(mutants) + 1, line[2:], place))
                elif line and not line.startswith("#"):
                    if not mutants:
                        raise Mistake(f"{place}: an entry begins with '= ' and its name")
                    take(mutants[-1], line, place)
    return mutants


def take(mutant, line, place):
    at = re.fullmatch(r"at (\d+) of (\d+)", line)
    if line.startswith("in "):
        mutant.file = line[3:]
    elif line.startswith("seen by "):
        mutant.filter = line[8:]
    elif line.startswith("found by "):
        mutant.chaos = line[9:]
    elif at:
        mutant.nth, mutant.count = int(at[1]), int(at[2])
    elif line[:2] in ("- ", "-"):
        mutant.old.append(line[2:])
    elif line[:2] in ("+ ", "+"):
        mutant.new.append(line[2:])
    else:
        raise Mistake(f"{place}: a line begins with =, in, seen by, found by, at, - or +")


def chosen(mutants, words, is_chaos):
    if is_chaos:
        mutants = [mutant for mutant in mutants if mutant.chaos]
    if not words:
        return mutants
    # A number means that entry alone: '1' is no part of a name.
    return [
        mutant for mutant in mutants
        if any(word == str(mutant.number) if word.isdigit() else word in mutant.name or word in mutant.file
               for word in words)
    ]


def run(command, seconds=None):
    """Exit status and output; None for the status when the time is over. What it started ends with it."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        end(process)
        return None, ""
    except BaseException:
        end(process)
        raise


def end(process):
    """Ends all of its session: `swift test` gives the tests a process group of their own."""
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{folder}/stat", encoding="utf-8", errors="replace") as file:
                session = file.read().rpartition(")")[2].split()[3]
            if session == str(process.pid):
                os.kill(int(os.path.basename(folder)), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue
    process.communicate()


def build():
    return run(["swift", "build", "--build-tests"])


def test(pattern):
    """None when all tests of the pattern are green, else the first words of a red one."""
    status, output = run(["swift", "test", "--skip-build", "--filter", pattern], TEST_SECONDS_MAX)
    if status is None:
        return f"not within {TEST_SECONDS_MAX} s"
    if not re.search(r"Test run with [1-9]\d* tests?", output) and status == 0:
        raise Mistake(f"no test matches '{pattern}'")
    if status == 0:
        return None
    issue = re.search(r"^✘ (Test .*? recorded an issue.*)(?:\n↳ (.*))?$", output, re.M)
    if not issue:
        return f"the tests ended with {status}"
    return ": ".join(part for part in issue.groups() if part)[:400]


def check_filters(mutants):
    """A filter that no test's name matches would be found out only when its turn comes."""
    _, output = run(["swift", "test", "list", "--skip-build"])
    tests = output.split("\n")
    lost = [f"{m.place}: no test matches '{m.filter}'" for m in mutants if not any(re.search(m.filter, t) for t in tests)]
    if lost:
        raise Mistake("\n".join(lost))


def search(arguments):
    """None when `bin/chaos` finds nothing, else the first that it found."""
    status, output = run(["bin/chaos", *shlex.split(arguments)], CHAOS_SECONDS_MAX)
    if status is None:
        return f"not within {CHAOS_SECONDS_MAX} s"
    if status == 0:
        return None
    found = re.search(r"^not ok.*(?:\n .*)?", output, re.M)
    if not found:
        raise Mistake(f"'bin/chaos {arguments}' ended with {status}: {output[-500:]}")
    return " ".join(found[0].split())[:400]


def check_green(mutants, seek):
    status, output = build()
    if status != 0:
        raise Mistake("it does not build as it is:\n" + output[-2000:])
    check_filters(mutants)
    for look, sought in sorted({seek(mutant) for mutant in mutants}, key=lambda pair: pair[1]):
        # Twice, since a machine with other work may be late for once.
        red = look(sought) and look(sought)
        if red:
            raise Mistake(f"'{sought}' is red without any breakage: {red}")


def tests_of(mutant):
    return test, mutant.filter


def chaos_of(mutant):
    return search, mutant.chaos


def verdict(mutant, seek):
    """One of killed, survived, does not build; and the words of the red test."""
    text = mutant.applied()
    with open(mutant.file, encoding="utf-8") as file:
        before = file.read()
    try:
        write(mutant.file, text)
        status, output = build()
        if status != 0:
            error = re.search(r"^.*error: .*$", output, re.M)
            return "does not build", error.group(0) if error else ""
        look, sought = seek(mutant)
        red = look(sought)
        return ("killed", red) if red else ("survived", "")
    finally:
        write(mutant.file, before)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def try_all(mutants, seek, server):
    counts = {"killed": 0, "survived": 0, "does not build": 0}
    for place, mutant in enumerate(mutants):
        if place % MUTANTS_A_SERVER == 0:
            server.renew()
        began = time.monotonic()
        word, red = verdict(mutant, seek)
        counts[word] += 1
        print(f"{mutant.number:3} {word:14} {mutant.name} ({time.monotonic() - began:.0f} s)", flush=True)
        if red:
            print(f"      {red}", flush=True)
    print("{} killed, {} survived, {} do not build".format(*counts.values()))
    return 0 if counts["killed"] == len(mutants) else 1


def check_clean():
    status = subprocess.run(["git", "status", "--porcelain"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if status:
        raise Mistake("the working tree has changes: commit them first\n" + status.rstrip())


class Server:
    """The tests' server: one that the environment names, or one of our own."""

    def __init__(self):
        self.folder = None
        self.is_own = not os.environ.get("JOBRUNNER_TEST_DATABASE_URL")

    def renew(self):
        """Puts an empty one in its place: each test process leaves its databases to the next, which drops them."""
        if not self.is_own:
            return
        self.stop()
        # The folder itself is the server's: bin/pg gives it to the user that the server runs as.
        self.folder = tempfile.mkdtemp(prefix="jobrunner-mutants.", dir="/var/tmp")
        status, output = run(["bin/pg", "start", "--fast", self.folder])
        url = re.search(r"^DATABASE_URL=(.*)$", output, re.M)
        if status != 0 or not url:
            raise Mistake("no server: " + output.strip())
        os.environ["JOBRUNNER_TEST_DATABASE_URL"] = url[1]

    def stop(self):
        if self.folder:
            run(["bin/pg", "stop", self.folder])
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


def list_all(mutants):
    lost = 0
    for mutant in mutants:
        print(f"{mutant.number:3} {mutant.file}: {mutant.name}")
        try:
            mutant.applied()
        except Mistake as mistake:
            lost += 1
            print(f"      {mistake}")
    print(f"{len(mutants)} entries, {lost} without their place")
    return 1 if lost else 0


def main():
    parser = argparse.ArgumentParser(prog="bin/mutants")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORDS")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--chaos", action="store_true")
    arguments = parser.parse_args()
    mutants = chosen(read_all(), arguments.only, arguments.chaos)
    seek = chaos_of if arguments.chaos else tests_of
    if not mutants:
        raise Mistake("no entry is meant")
    if arguments.list:
        return list_all(mutants)
    check_clean()
    for mutant in mutants:
        mutant.applied()
    subprocess.run(["bin/needs", "test"], check=True)

    server = Server()
    try:
        server.renew()
        check_green(mutants, seek)
        return try_all(mutants, seek, server)
    finally:
        server.stop()
        build()  # of what stands here again, so that nobody tests a breakage later


def stop(*_):
    raise KeyboardInterrupt


for one in (signal.SIGINT, signal.SIGTERM):
    signal.signal(one, stop)
try:
    sys.exit(main())
except Mistake as mistake:
    print(f"mutants: {mistake}", file=sys.stderr)
    sys.exit(65)
except KeyboardInterrupt:
    sys.exit(130)
