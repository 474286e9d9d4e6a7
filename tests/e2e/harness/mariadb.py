"""A private MariaDB server over a copy of a template data folder."""

import os
import pathlib
import shutil
import signal
import subprocess

import pymysql

from .ports import give_back, take_port
from .waiting import wait_for

USER, PASSWORD = "frond", "s3cret"


def make_template(folder):
    """Makes the data folder that servers start from, also where the host's name cannot be looked up."""
    folder = pathlib.Path(folder)
    command = ["mariadb-install-db", "--no-defaults", f"--datadir={folder}", "--skip-test-db", "--force",
               "--auth-root-authentication-method=normal", *as_user()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def as_user():
    return ["--user=root"] if os.geteuid() == 0 else []


class MariaDb:
    """One database server. `durable`: commits survive kill(); without, it is faster."""

    def __init__(self, folder, template, durable=False):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.socket = self.folder / "s"
        self.durable = durable
        self.process = None
        self.port = take_port()
        self.extra = []
        shutil.copytree(template, self.data)

    def launch(self):
        """Starts the process and returns at once."""
        commit = 1 if self.durable else 0
        command = [
            "mariadbd", "--no-defaults", f"--datadir={self.data}", f"--socket={self.socket}",
            f"--pid-file={self.folder}/pid", "--bind-address=127.0.0.1", f"--port={self.port}", *as_user(),
            "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M", "--performance-schema=OFF",
            f"--innodb-flush-log-at-trx-commit={commit}", "--skip-log-bin", "--skip-name-resolve", *self.extra,
        ]
        if not self.durable:
            command.append("--innodb-flush-method=nosync")
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start(self):
        self.launch()
        wait_for(self.answers, 60, "MariaDB")
        return self

    def answers(self):
        assert self.process.poll() is None, (self.folder / "log").read_text(errors="replace")[-4000:]
        try:
            self.connect().close()
            return True
        except pymysql.err.OperationalError:
            return False

    def connect(self, database=None):
        return pymysql.connect(unix_socket=str(self.socket), user="root", database=database, autocommit=True,
                               charset="utf8mb4", connect_timeout=10)

    def sql(self, statement, *values, database=None):
        """Runs one statement as root; returns the rows."""
        connection = self.connect(database)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, values or None)
                return cursor.fetchall()
        finally:
            connection.close()

    def make_database(self, name):
        """A new database of that name, with a user that may do everything in it."""
        self.sql(f"CREATE DATABASE `{name}`")
        self.sql(f"CREATE USER IF NOT EXISTS '{USER}'@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
        self.sql(f"CREATE USER IF NOT EXISTS '{USER}'@'localhost' IDENTIFIED BY '{PASSWORD}'")
        self.sql(f"GRANT ALL ON `{name}`.* TO '{USER}'@'127.0.0.1'")
        self.sql(f"GRANT ALL ON `{name}`.* TO '{USER}'@'localhost'")
        return Database(self, name)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process = None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def restart(self):
        self.stop()
        return self.start()

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.kill()
        give_back(self.port)
        shutil.rmtree(self.folder, ignore_errors=True)


class Database:
    """One schema of a server: what a test works with."""

    def __init__(self, server, name):
        self.server = server
        self.name = name

    @property
    def url(self):
        return f"mysql://{USER}:{PASSWORD}@127.0.0.1:{self.server.port}/{self.name}"

    @property
    def socket_url(self):
        return f"mysql://{USER}:{PASSWORD}@localhost/{self.name}?socket={self.server.socket}"

    def sql(self, statement, *values):
        return self.server.sql(statement, *values, database=self.name)

    def max_id(self, key):
        return self.sql("SELECT max_id FROM leaf_alloc WHERE biz_tag = %s", key)[0][0]
