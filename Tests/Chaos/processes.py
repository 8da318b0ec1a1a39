"""What is started as processes of its own, and ended by its id."""

import os
import signal
import subprocess

from cluster import wait_until

PROGRAMS = os.environ.get("JOBRUNNER_PROGRAMS", ".build/debug")


def start(program, *words, log, environment=None):
    return subprocess.Popen([f"{PROGRAMS}/{program}", *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            env=os.environ | (environment or {}))


def announced(path, prefix):
    """What a program prints behind `prefix` as soon as it has begun."""
    def line():
        with open(path) as file:
            return next((text for text in file if text.startswith(prefix) and text.endswith("\n")), None)

    if not wait_until(line, 60):
        raise RuntimeError(f"{path}: the program has not begun")
    return line()[len(prefix):].strip()


def end(process, seconds=60):
    """In order, and by force when that takes too long."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Workers:
    """Workers in slots: one that is killed is followed by another in its slot."""

    def __init__(self, folder, environment, concurrency, lease):
        self.folder, self.environment = folder, environment
        self.words = ["worker", "--concurrency", str(concurrency), "--lease", lease]
        self.slots = {}

    def start(self, count):
        for slot in range(count):
            self.start_in(slot)

    def start_in(self, slot):
        with open(f"{self.folder}/worker-{slot}.log", "a") as log:
            self.slots[slot] = start("jobrunner", *self.words, log=log, environment=self.environment)

    def kill(self, slot):
        """False: it had exited by itself."""
        worker = self.slots[slot]
        was_alive = worker.poll() is None
        worker.kill()
        worker.wait()
        self.start_in(slot)
        return was_alive

    def slot_of(self, pid):
        return next((slot for slot, worker in self.slots.items() if worker.pid == pid), None)

    @property
    def alive(self):
        return sum(worker.poll() is None for worker in self.slots.values())

    def memory_mb(self, name):
        """Of each, by the name that the kernel has for it: VmRSS now, VmHWM at most."""
        sizes = []
        for worker in self.slots.values():
            with open(f"/proc/{worker.pid}/status") as file:
                sizes += [int(line.split()[1]) / 1024 for line in file if line.startswith(name + ":")]
        return sizes

    def internal_errors(self):
        """Lines that tell of an outcome that was refused or given up."""
        count = 0
        for slot in self.slots:
            with open(f"{self.folder}/worker-{slot}.log") as log:
                count += sum("internal error" in line for line in log)
        return count

    def end(self):
        for worker in self.slots.values():
            if worker.poll() is None:
                worker.send_signal(signal.SIGCONT)
                worker.terminate()
        for worker in self.slots.values():
            end(worker)
