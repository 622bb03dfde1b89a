"""Several processes that need the same kernel: one compiles it, the others wait; nobody waits for a process that is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from counting import COUNT
from regraft.compilation import claims

PROGRAM = f"""
import json, sys
{COUNT}
import regraft as rg
sys.stdin.readline()
place = float(rg.Prismatic((1, 0, 0)).pose([2.0]).translation[0])
print(json.dumps([place, "_relative_pose" in count.names]))
"""


def start(cache):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"REGRAFT_CACHE_DIR": str(cache)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process):
    out, problem = process.communicate("go\n")
    assert process.returncode == 0, problem
    return json.loads(out)


def test_a_kernel_that_several_processes_need_is_compiled_by_one_of_them(tmp_path):
    processes = [start(tmp_path / "cache") for _ in range(3)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    found = [end(process) for process in processes]
    assert [place for place, _ in found] == [2.0] * 3
    assert [compiled for _, compiled in found].count(True) == 1
    assert not list((tmp_path / "cache").glob("*.claim"))


@pytest.fixture
def file(tmp_path):
    yield tmp_path / "some.kernel"
    claims._ours.clear()


def test_a_claim_is_taken_once_and_given_up(file):
    assert claims.claim(file)
    assert claims.claim(file)  # by the same process
    assert file.with_suffix(".claim").exists()
    claims.release(file)
    assert not file.with_suffix(".claim").exists()
    file.touch()
    assert not claims.claim(file)
    assert not file.with_suffix(".claim").exists()


def test_nobody_waits_for_a_process_that_is_gone(file):
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True)
    claims.claim(file)
    file.with_suffix(".claim").write_text(f"{claims.socket.gethostname()} {gone.stdout.strip()}", encoding="utf-8")
    claims._ours.clear()
    began = time.perf_counter()
    assert claims.claim(file)
    assert time.perf_counter() - began < 5.0


@pytest.mark.parametrize("text", ["", "nonsense", f"elsewhere {os.getpid()}"], ids=["empty", "nonsense", "of another host"])
def test_an_old_claim_is_void(file, text):
    path = file.with_suffix(".claim")
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time.time() - 1000.0,) * 2)
    assert claims.claim(file)


def test_a_claim_is_waited_for(file):
    """By another process, which makes the file after a while."""
    maker = """
import sys, time
from pathlib import Path
from regraft.compilation import claims
file = Path(sys.argv[1])
assert claims.claim(file)
print("claimed", flush=True)
time.sleep(0.3)
file.write_text("made")
claims.release(file)
"""
    other = subprocess.Popen([sys.executable, "-c", maker, str(file)], stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "claimed\n"
    assert not claims.claim(file)
    assert file.read_text() == "made"
    assert other.wait() == 0


def test_where_nothing_can_be_written_everyone_compiles(tmp_path):
    assert claims.claim(tmp_path / "not there" / "some.kernel")


def test_what_fails_to_compile_is_given_up(tmp_path, monkeypatch):
    """So that others do not wait for it."""
    from regraft.compilation.cache import KernelCache
    from regraft.joints import single

    monkeypatch.setattr(KernelCache, "_file", lambda *_: tmp_path / "some.kernel")
    monkeypatch.setattr("regraft.compilation.cache.is_private", lambda _: True)
    released = []
    monkeypatch.setattr("regraft.compilation.cache.release", released.append)
    claims._ours.add(tmp_path / "another.claim")
    with pytest.raises(TypeError, match="compiled for"):
        single._relative_pose.compile((int,))
    single._relative_pose.compile(single._relative_pose.declared[0])
    assert tmp_path / "some.kernel" in released
    claims._ours.clear()
