"""Patroni, etcd and PostgreSQL on loopback, made of the files of deploy/patroni: only ports, paths and times differ."""

import json
import os
import random
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import processes
from cluster import Cluster, Database, wait_until
from libpq import Refused

NODES = 3
NAME = "jobrunner"
BIN = "/usr/lib/postgresql/15/bin"
# A test does not wait for half a minute until a leader's time is over.
QUICK = {"ttl: 30": "ttl: 6", "loop_wait: 10": "loop_wait: 1", "retry_timeout: 10": "retry_timeout: 2"}
# What a database administrator makes (docs/operating/install.md).
ROLES = """
    set log_min_error_statement = panic;
    create role {name} login password '{password}';
    create role {name}_worker nologin;
    create role {name}_operator nologin;
    create role {name}_reader nologin;
    create role {name}_application nologin;
    create database {name} owner {name};
"""


def as_postgres(*words):
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return list(words)
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--inh-caps=-all", *words]


def call(*words, **more):
    """Runs a program as postgres, which must succeed; returns what it printed."""
    done = subprocess.run(as_postgres(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/", **more)
    if done.returncode != 0:
        raise RuntimeError(f"{os.path.basename(words[0])}: {done.stdout}")
    return done.stdout


def free_port():
    """None that the kernel gives to a connection while its server is away."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) != 0:
                return port


def shipped(name, changes):
    """A file of deploy/patroni with some texts changed."""
    with open(f"deploy/patroni/{name}") as file:
        text = file.read()
    for old, new in changes.items():
        assert old in text, f"deploy/patroni/{name} does not say '{old}'"
        text = text.replace(old, new)
    return text


def variables(text):
    """What systemd would make of an environment file."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


class Etcd:
    """One member, which is enough where machines don't fail."""

    def __init__(self, folder):
        self.port, peers = free_port(), free_port()
        variables_of_one = variables(shipped("etcd", {
            "10.0.0.1:2379,http://127.0.0.1:2379": f"127.0.0.1:{self.port}", "db1:2379": f"127.0.0.1:{self.port}",
            "10.0.0.1:2380": f"127.0.0.1:{peers}", "db1:2380": f"127.0.0.1:{peers}",
            ",db2=http://db2:2380,db3=http://db3:2380": ""}))
        environment = os.environ | variables_of_one | {"ETCD_DATA_DIR": f"{folder}/etcd", "ETCD_LOG_LEVEL": "warn"}
        with open(f"{folder}/etcd.log", "w") as log:
            self.process = subprocess.Popen(as_postgres("etcd"), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=environment, cwd="/")

    def end(self):
        processes.end(self.process)


class Node:
    """A server under Patroni."""

    def __init__(self, folder, number, etcd, passwords):
        self.name, self.folder, self.process = f"db{number}", f"{folder}/db{number}", None
        self.port, self.rest = free_port(), f"127.0.0.1:{free_port()}"
        self.database = Database(f"postgres://{NAME}@127.0.0.1:{self.port}/{NAME}?sslmode=require")
        self.configuration, self.data = f"{self.folder}/patroni.yml", f"{self.folder}/data"
        call("mkdir", "-m", "700", self.folder)
        self.environment = os.environ | variables(shipped("patroni_env.conf", {
            "PATRONI_NAME=db1": f"PATRONI_NAME={self.name}", "10.0.0.1,127.0.0.1:5432": f"127.0.0.1:{self.port}",
            "10.0.0.1:5432": f"127.0.0.1:{self.port}", "10.0.0.1:8008": self.rest})) | passwords | {
                "PATRONI_ETCD3_HOSTS": f"127.0.0.1:{etcd.port}", "HOME": self.folder}
        text = shipped("patroni.yml", QUICK | {
            "/var/lib/postgresql/15/jobrunner": self.data, "/var/lib/postgresql": self.folder,
            "/var/run/postgresql": self.folder, "/etc/ssl/certs/ssl-cert-snakeoil.pem": f"{folder}/server.pem",
            "/etc/ssl/private/ssl-cert-snakeoil.key": f"{folder}/server.key", "10.0.0.0/24": "127.0.0.1/32"})
        if os.getuid() != 0:
            # Whoever calls this is not called postgres.
            text = text.replace(" peer", " trust")
        call("tee", self.configuration, input=text)

    def start(self):
        with open(f"{self.folder}.log", "a") as log:
            self.process = subprocess.Popen(as_postgres("patroni", self.configuration), stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, env=self.environment, cwd="/")

    def says(self, path="patroni"):
        """What it tells of itself, or of the cluster; nothing while it is away."""
        try:
            with urllib.request.urlopen(f"http://{self.rest}/{path}", timeout=5) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as answer:
            return json.load(answer)
        except OSError:
            return {}

    @property
    def is_leader(self):
        return self.says().get("role") in ("master", "primary")

    def is_in_recovery(self):
        """Nothing where it does not answer."""
        try:
            return self.database.holds("pg_is_in_recovery()")
        except (ConnectionError, Refused):
            return None

    @property
    def postmaster(self):
        try:
            with open(f"{self.data}/postmaster.pid") as file:
                return int(file.readline())
        except FileNotFoundError:
            return None

    def kill(self):
        """As when its machine loses power: Patroni and all of PostgreSQL are gone at once."""
        self.process.kill()
        postmaster = self.postmaster
        children = subprocess.run(["pgrep", "-P", str(postmaster)], capture_output=True, text=True).stdout.split()
        for pid in (postmaster, *map(int, children)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def end(self):
        """Patroni stops its PostgreSQL."""
        if self.process:
            processes.end(self.process, 30)
        if self.postmaster:
            subprocess.run(as_postgres(f"{BIN}/pg_ctl", "-D", self.data, "-m", "immediate", "stop"),
                           capture_output=True, cwd="/")


class PatroniCluster:
    """Stands for cluster.Cluster: it has one database."""

    def __init__(self, folder):
        subprocess.run(["bin/needs", "failover"], check=True)
        if not os.path.exists(f"{BIN}/postgres"):
            # It installs what it starts.
            Cluster(f"{folder}-first", "--bare").stop()
        os.makedirs(folder)
        if os.getuid() == 0:
            subprocess.run(["chown", "postgres:postgres", folder], check=True)
        self.folder, self.nodes, self.etcd = folder, [], None

    def start(self):
        self.make_certificate()
        self.etcd = Etcd(self.folder)
        words = ("REPLICATION", "REWIND", "RESTAPI")
        passwords = {f"PATRONI_{word}_PASSWORD": secrets.token_hex(16) for word in words}
        for number in range(1, NODES + 1):
            self.nodes.append(Node(self.folder, number, self.etcd, passwords))
            self.nodes[-1].start()
        self.await_health()
        self.make_database()

    def make_certificate(self):
        call("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
             "-keyout", f"{self.folder}/server.key", "-out", f"{self.folder}/server.pem")

    def make_database(self):
        """What libpq of this program, of commands and of workers logs in with is in a file."""
        password = secrets.token_hex(16)
        leader = self.leader
        call("/usr/bin/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", leader.folder, "-p", str(leader.port), "-U", "postgres",
             input=ROLES.format(name=NAME, password=password))
        path = f"{self.folder}.passwords"
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"*:*:*:{NAME}:{password}\n")
        os.environ["PGPASSFILE"] = path

    def database(self, name):
        """The owner's address, of all nodes, and none of an administrator."""
        assert name == NAME, f"pg_hba lets nobody into {name}"
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgres://{NAME}@{hosts}/{NAME}?target_session_attrs=read-write&sslmode=require&connect_timeout=2", None

    @property
    def leader(self):
        return next((node for node in self.nodes if node.is_leader), None)

    def is_healthy(self):
        """All others follow one leader, and Patroni has noted which of them may be promoted."""
        leader = self.leader
        if leader is None:
            return False
        streaming = [each for each in leader.says().get("replication", []) if each["state"] == "streaming"]
        roles = [member["role"] for member in leader.says("cluster").get("members", [])]
        return len(streaming) == NODES - 1 and "sync_standby" in roles

    def await_health(self):
        if not wait_until(self.is_healthy, every=0.2):
            raise RuntimeError("the nodes do not follow one leader")

    def await_promotion(self, old, meanwhile=lambda: None):
        """Another node than the old leader takes writes; returns when it was seen."""
        others = [node for node in self.nodes if node is not old]

        def is_promoted():
            meanwhile()
            return any(node.is_in_recovery() is False for node in others)

        if not wait_until(is_promoted, every=0.01):
            raise RuntimeError("no other node was promoted")
        return time.monotonic()

    def switch_over(self, old):
        """By Patroni's own command, which is called again where it was refused."""
        asked = [self.ask_for_switchover(old)]

        def ask_again():
            if asked[-1].poll() is not None and old.is_leader:
                asked.append(self.ask_for_switchover(old))

        promoted = self.await_promotion(old, ask_again)
        asked[-1].wait(60)
        return promoted

    def ask_for_switchover(self, old):
        with open(f"{self.folder}/patronictl.log", "a") as log:
            return subprocess.Popen(as_postgres("patronictl", "-c", old.configuration, "switchover", NAME, "--force"),
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=old.environment, cwd="/")

    def lose(self, old):
        old.kill()
        return self.await_promotion(old)

    def stop(self):
        for node in self.nodes:
            node.end()
        if self.etcd:
            self.etcd.end()
