"""A private PostgreSQL, its databases, and its disturbances."""

import os
import signal
import subprocess
import time

from libpq import Refused, Session

# The longest that anything is waited for. It only turns a hang into a failure: no check depends on the machine's speed.
HANG_S = 300


def wait_until(holds, seconds=HANG_S, every=0.05):
    """Whether it held within so long."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


def port_of(url):
    return int(url.rsplit(":", 1)[1].split("/")[0])


def at_port(url, port):
    return url.replace(f":{port_of(url)}/", f":{port}/")


class Database:
    """Statements in one database, on a session that is made anew when it was lost."""

    def __init__(self, url):
        self.url, self.session = url, None

    def rows(self, sql, *values):
        return self.ask(lambda session: session.query(sql, *values))

    def script(self, sql):
        """Several statements as one transaction."""
        return self.ask(lambda session: session.script(sql))

    def ask(self, question):
        self.session = self.session or Session(self.url, TimeZone="UTC", client_min_messages="error")
        try:
            return question(self.session)
        except (Refused, ConnectionError) as error:
            if isinstance(error, ConnectionError) or error.sqlstate.startswith(("08", "57P")):
                self.session.close()
                self.session = None
                raise ConnectionError(str(error)) from error
            raise

    def value(self, sql, *values):
        """The one value of an answer: a number where it is one."""
        (value,) = self.rows(sql, *values)[0].values()
        return int(value) if value is not None and value.lstrip("-").isdigit() else value

    def holds(self, sql):
        return self.value(f"select ({sql})") == "t"


class Cluster:
    """A server in a folder of its own."""

    def __init__(self, folder, *options, environment=None):
        self.folder, self.standby_folder = folder, f"{folder}-standby"
        self.url, self.administrator_url = self.pg("start", *options, folder, environment=environment)

    @staticmethod
    def pg(*words, environment=None, log=None):
        """Runs bin/pg, and returns the two addresses where it prints them."""
        done = subprocess.run(["bin/pg", *words], stdout=subprocess.PIPE, stderr=log or subprocess.PIPE, text=True,
                              env=os.environ | (environment or {}))
        if done.returncode != 0:
            raise RuntimeError(f"bin/pg {words[0]}: {done.stderr}")
        return [line.split("=", 1)[1] for line in done.stdout.splitlines() if "_URL=" in line]

    def database(self, name):
        """Another database: the owner's address and, for instruments alone, an administrator's."""
        return self.pg("database", self.folder, name)

    def restart_as_if_crashed(self):
        self.pg("restart", self.folder, "--immediate")

    def freeze(self, seconds):
        """A stalled disk or a paused machine: every process of the server stands still."""
        children = subprocess.run(["pgrep", "-P", str(self.postmaster)], capture_output=True, text=True).stdout.split()
        for sign in (signal.SIGSTOP, signal.SIGCONT):
            for pid in (self.postmaster, *map(int, children)):
                os.kill(pid, sign)
            if sign == signal.SIGSTOP:
                time.sleep(seconds)

    @property
    def postmaster(self):
        with open(f"{self.folder}/data/postmaster.pid") as file:
            return int(file.readline())

    def start_standby(self):
        """Without the standby no commit is confirmed from here on."""
        with open(f"{self.folder}.log-standby", "w") as log:
            self.standby_port = port_of(self.pg("standby", self.standby_folder, self.folder, log=log)[0])
        administrator = Database(self.administrator_url)
        for text in ("alter system set synchronous_standby_names = '*'", "alter system set synchronous_commit = on",
                     "select pg_reload_conf()"):
            administrator.script(text)
        follows = "select count(*) = 1 from pg_stat_replication where sync_state = 'sync'"
        if not wait_until(lambda: administrator.holds(follows)):
            raise RuntimeError("the standby does not follow")

    def sessions_at_standby(self):
        """Workers' sessions that it has."""
        standby = Database(at_port(self.url, self.standby_port))
        count = standby.value("select count(*) from pg_stat_activity where application_name = 'jobrunner'")
        standby.session.close()
        return count

    def lose(self):
        """As when its machine loses power, and nobody is told."""
        os.kill(self.postmaster, signal.SIGQUIT)

    def promote_standby(self):
        """The standby takes writes."""
        self.pg("promote", self.standby_folder)

    def stop(self):
        for folder in (self.standby_folder, self.folder):
            subprocess.run(["bin/pg", "stop", folder], capture_output=True)
