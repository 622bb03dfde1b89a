"""Other processes that compile at the same time: they help, they end, and nothing depends on them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from counting import COUNT
from regraft.compilation import ENTRIES, ahead, assistants, claims, unit_named

SMALL = "regraft.joints.single._relative_pose 0 0"  # a request for a kernel that is compiled in a second

# Begins with a kernel that is large enough for help, and says what it has compiled itself, and what others have.
PROGRAM = f"""
import json, os, sys, time
{COUNT}
from regraft.compilation import ENTRIES, ahead, assistants, expect
import regraft as rg
TASK
"""

HELPED = """
ahead._expected.clear()  # what most programs need is not needed here
own, wanted = (ENTRIES["regraft.joints.single." + name] for name in ("_settle", "_relative_pose"))
expect(wanted)
own.compile(own.declared[0])  # which nobody has announced
helping = len(assistants._assistants)
deadline = time.monotonic() + 100.0
while not wanted._cache.has(wanted.declared[0]) and time.monotonic() < deadline:
    time.sleep(0.05)
place = float(rg.Prismatic((1, 0, 0)).pose([2.0]).translation[0])
print(json.dumps([helping, place, "_settle" in count.names, "_relative_pose" in count.names]))
"""

LINGERS = """
assistants._tell(b"")
print(json.dumps([assistant.pid for assistant in assistants._assistants]), flush=True)
time.sleep(END)
"""

several_cores = pytest.mark.skipif(assistants._cores() < 2, reason="there is one core")


def begin(task, cache):
    program = PROGRAM.replace("TASK", task)
    environment = os.environ | {"REGRAFT_CACHE_DIR": str(cache), "REGRAFT_ASSISTANTS": ""}
    return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)


def ends(process):
    """Whether a process is gone within some seconds, as one that nobody waits for any more at the most."""
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{process}/stat", encoding="ascii") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@several_cores
def test_what_is_announced_is_compiled_by_another_process(tmp_path):
    out, _ = begin(HELPED, tmp_path / "cache").communicate()
    helping, place, own, announced = json.loads(out)
    assert 1 <= helping <= 3
    assert place == 2.0
    assert own
    assert not announced
    assert not list((tmp_path / "cache").glob("*.claim"))


@several_cores
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are looked up in /proc")
@pytest.mark.parametrize("killed", [False, True])
def test_assistants_end_with_the_process_that_they_help(tmp_path, killed):
    process = begin(LINGERS.replace("END", "60" if killed else "0"), tmp_path / "cache")
    helping = json.loads(process.stdout.readline())
    assert helping
    if killed:
        process.send_signal(signal.SIGKILL)
    process.communicate()
    assert all(map(ends, helping))


@pytest.fixture
def nothing_known(monkeypatch):
    monkeypatch.setattr(ahead, "_expected", {})
    monkeypatch.setattr(ahead, "_coming", {})
    monkeypatch.setattr(ahead, "_known", set())
    monkeypatch.setattr(assistants, "_assistants", [])
    monkeypatch.delenv("REGRAFT_ASSISTANTS", raising=False)
    return monkeypatch


@pytest.fixture
def told(nothing_known):
    """What assistants are told, where they could help but none is started."""
    requests, monkeypatch = [], nothing_known
    monkeypatch.setattr(assistants, "_tell", requests.append)
    monkeypatch.setattr(assistants, "_cores", lambda: 2)
    monkeypatch.setattr(assistants, "parent_process", lambda: None)
    return requests


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    from regraft.compilation import cache

    monkeypatch.setattr(cache, "cache_home", lambda: tmp_path / "cache")


LARGE = ENTRIES["regraft.kernels.aba.forward_dynamics"]
LITTLE = ENTRIES["regraft.joints.single._relative_pose"]


@pytest.mark.usefixtures("empty_cache")
def test_requests_name_all_that_is_not_there_but_what_is_being_compiled(told):
    assistants.ask_for_help(LARGE, LARGE.declared[0])
    units = [unit_named(request, ENTRIES) for request in told[0].decode().splitlines()]
    assert {unit.name for unit in units} >= {"place_bodies", "move_bodies", "eliminate_joints", "accelerate"}
    assert "forward_dynamics" not in {unit.name for unit in units}
    assistants.ask_for_help(LARGE, LARGE.declared[0])
    assert not b"".join(told[1:])  # they know


@pytest.mark.usefixtures("empty_cache")
def test_small_kernels_are_worth_no_process(told):
    assistants.ask_for_help(LITTLE, LITTLE.declared[0])
    assert not told


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("lack", ["cores", "python", "cache", "freedom", "wish"])
def test_without_what_it_takes_nobody_is_asked(told, monkeypatch, lack):
    if lack == "cores":
        monkeypatch.setattr(assistants, "_cores", lambda: 1)
    elif lack == "python":  # a program in which Python is embedded
        monkeypatch.setattr(assistants.sys, "executable", "/usr/bin/modeller")
    elif lack == "wish":
        monkeypatch.setenv("REGRAFT_ASSISTANTS", "0")
    elif lack == "cache":
        monkeypatch.setattr(assistants, "why_not_kept", lambda: "no place")
    else:
        monkeypatch.setattr(assistants, "parent_process", object)
    assistants.ask_for_help(LARGE, LARGE.declared[0])
    assert not told


@pytest.mark.usefixtures("nothing_known", "empty_cache")
def test_an_assistant_that_is_gone_or_cannot_start_does_no_harm(monkeypatch):
    gone = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)
    gone.wait()
    assistants._assistants.append(gone)
    monkeypatch.setattr(assistants, "_cores", lambda: 2)
    monkeypatch.setattr(assistants.sys, "executable", "/nowhere/python")
    assistants._tell(f"{SMALL}\n".encode())
    assert not assistants._assistants


@pytest.mark.usefixtures("nothing_known")
def test_nothing_else_is_compiled_in_the_middle_of_a_compilation(monkeypatch):
    compiled = []
    monkeypatch.setattr(ahead, "compile_if_free", lambda unit: compiled.append(unit) is None)
    ahead._coming["some"] = unit_named(SMALL, ENTRIES)
    monkeypatch.setattr(ahead, "any_claims", lambda: True)
    assert not ahead.compile_meanwhile()
    monkeypatch.setattr(ahead, "any_claims", lambda: False)
    assert ahead.compile_meanwhile()
    assert not ahead.compile_meanwhile()
    assert [unit.name for unit in compiled] == ["relative_pose"]


def test_claims_of_an_assistant_that_was_killed_are_void_at_once(tmp_path):
    """Until its end is asked for, the system keeps a process that was killed."""
    file = tmp_path / "some.kernel"
    asleep = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    claims.watch(asleep.pid, asleep.poll)
    file.with_suffix(".claim").write_text(f"{claims.socket.gethostname()} {asleep.pid}")
    assert claims.is_claimed(file)
    os.kill(asleep.pid, signal.SIGKILL)
    assert claims.claim(file)
    claims.release(file)
    claims.release_for(asleep.pid, tmp_path)
    assert asleep.wait() == -signal.SIGKILL


def test_who_waits_for_a_claim_does_something_meanwhile(tmp_path):
    file, done = tmp_path / "some.kernel", []
    claim = file.with_suffix(".claim")
    claim.write_text(f"{claims.socket.gethostname()} {os.getppid()}")

    def meanwhile():
        done.append(True)
        file.touch()
        return True

    assert claims.is_claimed(file)
    assert not claims.claim(file, meanwhile)
    assert done == [True]
    claim.unlink()
    assert not claims.is_claimed(file)
