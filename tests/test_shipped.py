"""Kernels that come with the package: nothing is compiled where they fit, and all is compiled as ever where they do not."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import zipfile

import llvmlite.binding as llvm
import pytest
from numba.core.registry import cpu_target

from forks import Forks
from regraft.compilation import shipped
from regraft.compilation.sealing import seal, unseal
from test_first_compilation import EDIT, PACKAGE, SLIDE, files_in, run

# A kernel by itself, and one that calls a stage.
TASK = f"""
{SLIDE}
mech = rg.Mechanism()
mech.add_body("bob", rg.Inertia.sphere(1.0, 0.1))
mech.add_joint("slide", rg.Prismatic((1, 0, 0)), "world", "bob")
report["place"] = float(rg.body_poses(mech, mech.state(q=[3.0]))["bob"].translation[0])
"""


def run_generic(task, cache, source):
    """The report of a fresh process that compiles for the plainest processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CPU_NAME", "generic")
        return run(task, cache, source)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Kernels compiled for the plainest processor."""
    home = tmp_path_factory.mktemp("compiled") / "cache"
    report, _ = run_generic(TASK, home, PACKAGE.parent)
    assert report["compiled"] > 0
    return home


@pytest.fixture(scope="module")
def installed(compiled, tmp_path_factory):
    """The package as it is installed from a wheel that brings these kernels."""
    home = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, home / "regraft", ignore=shutil.ignore_patterns("__pycache__"))
    shipped.pack(compiled, archive_of(home))
    return home


@pytest.fixture(scope="module")
def forks(installed):
    with Forks(installed) as started:
        yield started


@pytest.fixture
def copy(installed, tmp_path):
    """A copy of it that a test may change."""
    return shutil.copytree(installed, tmp_path / "installed")


def archive_of(home):
    return home / "regraft" / "compilation" / shipped.ARCHIVE.name


def members_of(archive):
    with zipfile.ZipFile(archive) as members:
        return {name: members.read(name) for name in members.namelist()}


def write(archive, members):
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)


def machine_code(kernel):
    """The instructions in a kernel of the cache."""
    _, _, ((_, _, (code, _)), *_) = pickle.loads(unseal(kernel.read_bytes()))
    return [bytes(part.data()) for part in llvm.ObjectFileRef.from_data(code).sections() if part.is_text()]


def test_nothing_is_compiled_and_the_machine_code_is_kept(installed, forks, copy, tmp_path):
    first, said = run(TASK, tmp_path / "cache", installed, forks)
    assert (first["slide"], first["place"], first["compiled"], said) == (2.0, 3.0, 0, [])
    kept = files_in(tmp_path / "cache")
    assert len(kept) == len(members_of(archive_of(installed))) > 2
    archive_of(copy).unlink()
    again, said = run(TASK, tmp_path / "cache", copy)
    assert (again["slide"], again["place"], again["compiled"], said) == (2.0, 3.0, 0, [])
    assert files_in(tmp_path / "cache") == kept


def test_nothing_is_compiled_where_nothing_can_be_kept(installed, forks, tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way", encoding="utf-8")
    report, said = run(TASK, blocked / "cache", installed, forks)
    assert (report["slide"], report["place"], report["compiled"], said) == (2.0, 3.0, 0, [])


def test_machine_code_is_made_for_the_processor_at_hand(compiled, installed, forks, tmp_path):
    """The same as compiled where that is the plainest one, and another where it can do more."""
    run_generic(SLIDE, tmp_path / "generic", installed)
    run(SLIDE, tmp_path / "host", installed, forks)
    (generic,), (host,) = ((tmp_path / name).glob("*.kernel") for name in ("generic", "host"))
    assert machine_code(generic) == machine_code(compiled / generic.name)
    if llvm.get_host_cpu_features().get("fma", False) and "NUMBA_CPU_NAME" not in os.environ:
        assert machine_code(host) != machine_code(generic)


def cut_short(archive):
    archive.write_bytes(archive.read_bytes()[:-1000])


def of_another_platform(archive):
    write(archive, {f"another {name}": data for name, data in members_of(archive).items()})


@pytest.mark.parametrize("change", [cut_short, of_another_platform])
def test_what_cannot_be_used_is_compiled(copy, tmp_path, change):
    change(archive_of(copy))
    report, said = run(SLIDE, tmp_path / "cache", copy)
    assert report["slide"] == 2.0
    assert report["compiled"] > 0
    assert len(said) == 1


def test_a_stage_that_is_missing_is_compiled_by_itself(copy, tmp_path):
    archive = archive_of(copy)
    write(archive, {name: data for name, data in members_of(archive).items() if "place_bodies" not in name})
    report, said = run(TASK, tmp_path / "cache", copy)
    assert (report["slide"], report["place"]) == (2.0, 3.0)
    assert report["compiled"] > 0
    assert len(said) == 1


def test_kernels_of_other_sources_are_not_used(copy, tmp_path):
    with (copy / "regraft" / "algebra" / "spatial.py").open("a", encoding="utf-8") as source:
        source.write(EDIT)
    report, _ = run(SLIDE, tmp_path / "cache", copy)
    assert report["slide"] == 4.0
    assert report["compiled"] > 0


@pytest.fixture
def lookup(installed, tmp_path, monkeypatch):
    """Looks a kernel up in a copy of the archive, which a test may change."""
    archive = shutil.copy(archive_of(installed), tmp_path / "kernels.zip")
    monkeypatch.setattr(shipped, "ARCHIVE", archive)
    found = next(iter(members_of(archive))).split("/")[1].rsplit(".", 1)

    def load(name=found[0], key=found[1]):
        return shipped.load(name, key, cpu_target.target_context.codegen())

    return archive, load


def test_a_kernel_is_found_by_its_name_key_and_platform(lookup, monkeypatch):
    _, load = lookup
    assert load() is not None
    assert load(key="0" * 32) is None
    assert load(name="regraft.another") is None
    monkeypatch.setattr(shipped, "platform", lambda: "another")
    assert load() is None


def test_kernels_of_a_mac_fit_all_its_releases_and_no_other_machine(monkeypatch):
    def platform_of(triple):
        monkeypatch.setattr(llvm, "get_process_triple", lambda: triple)
        return shipped.platform.__wrapped__()

    mac = platform_of("arm64-apple-darwin22.6.0")
    assert mac == platform_of("arm64-apple-darwin24.1.0")
    assert mac != platform_of("x86_64-apple-darwin22.6.0")
    assert mac != platform_of("aarch64-unknown-linux-gnu")


def one_bit(data):
    return data[:-100] + bytes([data[-100] ^ 1]) + data[-99:]


DAMAGES = {
    "empty": lambda _: b"",
    "one byte less": lambda data: data[:-1],
    "one bit": one_bit,
    "a pickle that would run": lambda _: b"cos\nsystem\n(S'touch ran'\ntR.",
    "a kernel of another kind": lambda _: seal(pickle.dumps(("this", "is", "none"))),
    "no pickle": lambda _: seal(b"this is no kernel"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_kernel_is_none(lookup, damage, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    archive, load = lookup
    write(archive, {name: DAMAGES[damage](data) for name, data in members_of(archive).items()})
    assert load() is None
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("damage", [lambda _: b"", lambda data: data[: len(data) // 2], lambda data: b"no" * len(data), None])
def test_a_damaged_archive_has_no_kernels(lookup, damage):
    archive, load = lookup
    if damage is None:
        archive.unlink()
    else:
        archive.write_bytes(damage(archive.read_bytes()))
    assert load() is None


def test_a_damaged_kernel_is_not_packed(compiled, tmp_path):
    home = shutil.copytree(compiled, tmp_path / "cache")
    file = min(home.iterdir())
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match=f"{file.name} is damaged"):
        shipped.pack(home, tmp_path / "kernels.zip")


KEY = """
import sys
import llvmlite.binding as llvm
llvm.get_host_cpu_features = lambda: {"avx512f": sys.argv[1] == "wide"}
import numba
from regraft.kernels.batch import forward_dynamics_batch
print(forward_dynamics_batch._cache.key((numba.int64,)))
"""


def test_packs_of_another_width_are_another_kernel():
    """The processor decides on the width of packs, and is no part of what a kernel is looked up by."""
    plain = os.environ | {"NUMBA_CPU_NAME": "generic"}  # else Numba would ask for the processor's features as well
    widths = "wide", "wide", "narrow"
    keys = [subprocess.check_output([sys.executable, "-c", KEY, width], text=True, env=plain) for width in widths]
    assert keys[0] == keys[1] != keys[2]
