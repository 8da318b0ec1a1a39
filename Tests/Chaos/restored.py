"""A server whose log is archived, and that is set back to a moment: a base backup, and the log until then."""

import os
import shutil
import time

from cluster import Database, port_of, wait_until
from patroni_cluster import BIN, call

SETTINGS = """
restore_command = 'cp {archive}/%f %p'
recovery_target_time = '{moment}'
recovery_target_action = promote
"""


class Archive:
    """Of one cluster; made before anything is worth keeping."""

    def __init__(self, cluster):
        self.cluster, self.data = cluster, f"{cluster.folder}/data"
        self.folder, self.backup = f"{cluster.folder}/archive", f"{cluster.folder}/backup"
        call("mkdir", "-p", self.folder)
        self.administrator = Database(cluster.administrator_url)
        for text in ("alter system set archive_mode = on",
                     f"alter system set archive_command = 'test ! -f {self.folder}/%f && cp %p {self.folder}/%f'"):
            self.administrator.script(text)
        cluster.pg("restart", cluster.folder)
        self.administrator.session = None

    def take_backup(self):
        call(f"{BIN}/pg_basebackup", "-h", "127.0.0.1", "-p", str(port_of(self.cluster.url)), "-U", "postgres",
             "-D", self.backup, "--checkpoint=fast", "--wal-method=none", "--no-sync")

    def moment(self):
        """By the server's clock; what commits later is not of it."""
        moment = self.administrator.value("select clock_timestamp()::text")
        time.sleep(0.1)
        return moment

    def keep_all(self):
        """The log until now is in the archive."""
        (last,) = self.administrator.rows("select pg_walfile_name(pg_switch_wal())")[0].values()
        if not wait_until(lambda: os.path.exists(f"{self.folder}/{last}")):
            raise RuntimeError("the log is not archived")

    def set_back(self, moment):
        """The server is lost with all its files, and one of the moment answers in its place."""
        postmaster = self.cluster.postmaster
        self.cluster.lose()
        wait_until(lambda: not os.path.exists(f"/proc/{postmaster}"))
        shutil.move(self.data, f"{self.data}-lost")
        call("cp", "-a", self.backup, self.data)
        call("tee", "-a", f"{self.data}/postgresql.auto.conf", input=SETTINGS.format(archive=self.folder, moment=moment))
        call("touch", f"{self.data}/recovery.signal")
        self.cluster.pg("restart", self.cluster.folder)
        self.administrator.session = None
        if not wait_until(lambda: self.administrator.holds("not pg_is_in_recovery()")):
            raise RuntimeError("the server was not promoted")
