"""scripts/setup against stand-ins for dpkg and apt, with its policy file in a temporary place."""

import os
import signal
import subprocess
import time

import pytest

from checkout import ROOT

OWN_POLICY = "#!/bin/sh\n# the administrator's own\nexit 104\n"


class Machine:
    """A folder of stand-in programs. `installed` is what dpkg-query knows; apt-get notes what it was asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.policy = folder / "policy-rc.d"
        self.installed = folder / "installed"
        self.installed.write_text("")
        self.apt_log = folder / "apt.log"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.program("sudo", 'exec "$@"')
        self.program(
            "dpkg-query",
            f'shift 2; rc=0; for p; do grep -qx "$p" {self.installed} && echo "$p:installed" || rc=1; done; exit $rc',
        )
        self.apt("installs")

    def program(self, name, body):
        path = self.bin / name
        path.write_text("#!/bin/bash\n" + body + "\n")
        path.chmod(0o755)

    def apt(self, what):
        """`installs`, `fails`, or `hangs` until it is interrupted; always notes its arguments and the policy."""
        end = {
            "installs": f'[[ $* == *" install "* ]] && printf "%s\\n" "$@" | grep -v "^-" >> {self.installed}; exit 0',
            "fails": "exit 100",
            "hangs": f"touch {self.folder}/hanging; exec sleep 600",
        }[what]
        self.program("apt-get", f'echo "$@" >> {self.apt_log}; cp {self.policy} {self.folder}/policy.seen\n{end}')

    def environment(self):
        return dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}", FROND_SETUP_POLICY=str(self.policy))

    def leftovers(self):
        return sorted(path.name for path in self.folder.glob("policy-rc.d*"))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_installs_only_what_is_missing(machine, run_script):
    machine.installed.write_text("wrk\npython3\n")
    done = run_script("setup", "bench", env=machine.environment())
    assert done.returncode == 0, done.stdout + done.stderr
    update, install = machine.apt_log.read_text().splitlines()
    assert update.endswith(" update")
    assert install.endswith(" install --no-install-recommends nginx-light sqlite3")


def test_asks_nothing_of_apt_when_nothing_is_missing(machine, run_script):
    assert run_script("setup", "build", "test", "bench", env=machine.environment()).returncode == 0
    machine.apt_log.unlink()
    done = run_script("setup", "build", "test", "bench", env=machine.environment())
    assert done.returncode == 0
    assert "nothing to install" in done.stdout
    assert not machine.apt_log.exists()


def test_forbids_services_only_while_it_installs(machine, run_script):
    assert run_script("setup", "bench", env=machine.environment()).returncode == 0
    assert "exit 101" in (machine.folder / "policy.seen").read_text()
    assert machine.leftovers() == []


@pytest.mark.parametrize("outcome", ["installs", "fails"])
def test_policy_of_the_machine_survives(machine, run_script, outcome):
    machine.policy.write_text(OWN_POLICY)
    machine.policy.chmod(0o755)
    machine.apt(outcome)
    done = run_script("setup", "bench", env=machine.environment())
    assert (done.returncode == 0) == (outcome == "installs")
    assert "exit 101" in (machine.folder / "policy.seen").read_text()
    assert machine.policy.read_text() == OWN_POLICY
    assert os.access(machine.policy, os.X_OK)
    assert machine.leftovers() == ["policy-rc.d"]


def test_policy_that_is_a_link_survives(machine, run_script):
    machine.policy.symlink_to("somewhere/else")
    assert run_script("setup", "bench", env=machine.environment()).returncode == 0
    assert os.readlink(machine.policy) == "somewhere/else"


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_policy_of_the_machine_survives_an_interruption(machine, interruption):
    machine.policy.write_text(OWN_POLICY)
    machine.apt("hangs")
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job's parent may have it ignored
    running = subprocess.Popen([str(ROOT / "scripts" / "setup"), "bench"], env=machine.environment(),
                               stdout=subprocess.DEVNULL, start_new_session=True, preexec_fn=heed)
    deadline = time.monotonic() + 20
    while not (machine.folder / "hanging").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(running.pid, interruption)  # as a terminal does: the script and what it runs
    assert running.wait(timeout=20) == 128 + interruption
    assert machine.policy.read_text() == OWN_POLICY
    assert machine.leftovers() == ["policy-rc.d"]


def test_policy_comes_back_after_a_run_that_was_killed(machine, run_script):
    machine.policy.write_text("#!/bin/sh\n# Temporary, by scripts/setup of Frond.\nexit 101\n")
    machine.policy.with_name("policy-rc.d.kept-by-frond-setup").write_text(OWN_POLICY)
    assert run_script("setup", "bench", env=machine.environment()).returncode == 0
    assert machine.policy.read_text() == OWN_POLICY
    assert machine.leftovers() == ["policy-rc.d"]


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["build", "nonsense"]])
def test_wrong_usage(machine, run_script, arguments):
    done = run_script("setup", *arguments, env=machine.environment())
    assert done.returncode == 64
    assert "usage" in done.stderr
