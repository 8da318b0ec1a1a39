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

from entries import check_all, chosen, read_all
from place import Mistake, Product

TEST_SECONDS_MAX = 600
CHAOS_SECONDS_MAX = 900
MUTANTS_A_SERVER = 10


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
    status, output = run(["bin/swift-test", "--skip-build", "--filter", pattern], TEST_SECONDS_MAX)
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
    """A filter that no built test's name matches would be found out only when its turn comes."""
    _, output = run(["swift", "test", "list", "--skip-build"])
    tests = output.split("\n")
    lost = [mutant for mutant in mutants if not any(re.search(mutant.filter, test) for test in tests)]
    if lost:
        raise Mistake("\n".join(str(mutant.mistake(f"no test matches '{mutant.filter}'")) for mutant in lost))


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
    product = Product()
    path, text = mutant.broken(product)
    try:
        write(path, text)
        status, output = build()
        if status != 0:
            error = re.search(r"^.*error: .*$", output, re.M)
            return "does not build", error.group(0) if error else ""
        look, sought = seek(mutant)
        red = look(sought)
        return ("killed", red) if red else ("survived", "")
    finally:
        write(path, product.texts[path])


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
        print(f"{word:14} {mutant.name} ({time.monotonic() - began:.0f} s)", flush=True)
        if red:
            print(f"    {red}", flush=True)
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
        urls = dict(re.findall(r"^(DATABASE_URL|ADMINISTRATOR_URL)=(.*)$", output, re.M))
        if status != 0 or len(urls) != 2:
            raise Mistake("no server: " + output.strip())
        os.environ.update({"JOBRUNNER_TEST_" + name: url for name, url in urls.items()})

    def stop(self):
        if self.folder:
            run(["bin/pg", "stop", self.folder])
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        """One line and the exit code of a wrong call, instead of the usage and 2."""
        print(f"mutants: {message}", file=sys.stderr)
        sys.exit(64)


def part(text):
    """K and N of `K/N`."""
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"'{text}' is not K/N with 1 <= K <= N, such as 2/5")
    return int(found[1]), int(found[2])


def main():
    parser = Arguments(prog="bin/mutants")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORDS")
    parser.add_argument("--slice", type=part, default=(1, 1), metavar="K/N")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--chaos", action="store_true")
    arguments = parser.parse_args()
    product = Product()
    mutants = chosen(read_all(), arguments.only, product)
    if arguments.chaos:
        mutants = [mutant for mutant in mutants if mutant.chaos]
    first, step = arguments.slice
    mutants = mutants[first - 1::step]
    if not mutants:
        raise Mistake("no entry is meant")
    if arguments.check:
        return check_all(mutants, product)

    check_clean()
    for mutant in mutants:
        mutant.broken(product)
    subprocess.run(["bin/needs", "test"], check=True)
    seek = chaos_of if arguments.chaos else tests_of
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
