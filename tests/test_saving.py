"""Files are written whole or not at all: killed, without space, or where they cannot be written, the old one stays."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import regraft as rg
from forks import Forks
from regraft.atomic import replacing, writing
from regraft.simulate import Trajectory
from simple_mechanisms import ball, slider

PACKAGE = Path(rg.__file__).parent
ROOT = Path(__file__).parents[1]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}


def trajectory() -> Trajectory:
    return rg.simulate(*slider(), 0.3)


SAVES = {
    "mechanism.json": slider()[0].save,
    "state.json": slider()[1].save,
    "trajectory.npz": lambda file: trajectory().save(file),
    "invariants.png": lambda file: trajectory().invariants().plot(file),
}
"""Everything that writes a file of a name that the user chose."""


@pytest.fixture(params=SAVES)
def save(request):
    """A file name and what writes a file of that name."""
    return request.param, SAVES[request.param]


# --- killed ------------------------------------------------------------------------------------------------------------

# A child saves one thing and another by turns over the same file until it is killed; then the file must be one of them.
KILLED = """
import os, random, signal, sys, time
import regraft as rg
from pathlib import Path

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
chain = rg.Mechanism()
last = "world"
for k in range(400):
    chain.add_body(f"b{k}", rg.Inertia.sphere(1.0, 0.1))
    chain.add_joint(f"j{k}", rg.Revolute((0, 1, 0)), last, f"b{k}")
    last = f"b{k}"
twin = chain.copy()
twin.add_frame("end", last)
swing = rg.models.pendulum()
long, short = (rg.simulate(*swing.start, span, step=2e-4) for span in (1.0, 0.8))
pairs = {
    "chain.json": ((chain, twin), lambda found: (found == chain) + 2 * (found == twin)),
    "swing.npz": ((long, short), lambda found: (found.steps == long.steps) + 2 * (found.steps == short.steps)),
}
random.seed(1)
seen = set()
for kill in range(kills):
    name = list(pairs)[kill % len(pairs)]
    both, which = pairs[name]
    file = folder / name
    before = time.perf_counter()
    both[0].save(file)
    took = time.perf_counter() - before
    done, told = os.pipe()
    child = os.fork()
    if child == 0:
        for turn in range(10_000):
            both[1 - turn % 2].save(file)
            os.write(told, b".")
        os._exit(1)
    for _ in range(1 + kill // 2 % 2):
        os.read(done, 1)
    time.sleep(random.uniform(0.0, took))  # into the next save, wherever that is by then
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), status
    os.close(done), os.close(told)
    found = which(rg.load(file))
    assert found in (1, 2), (name, found)
    seen.add((name, found))
assert len(seen) >= 3, seen  # the kills did come at different moments
assert any(file.name.startswith(".") for file in folder.iterdir())  # and some of them in the middle of a save
print("whole", kills)
"""


def kill_while_saving(folder, kills):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(kills)], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"whole {kills}\n"


def test_a_file_is_whole_whenever_the_process_is_killed(tmp_path):
    kill_while_saving(tmp_path, 12)


@pytest.mark.slow
def test_a_file_is_whole_after_many_kills(tmp_path):
    kill_while_saving(tmp_path, 400)


# --- no space ----------------------------------------------------------------------------------------------------------

LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
"""
"""No file may be longer than some bytes, as on a full disk."""

FULL = f"""{LIMITED}
import regraft as rg
sys.path.insert(0, sys.argv[2])
from test_saving import SAVES
try:
    SAVES[sys.argv[1]](sys.argv[1])
except rg.RegraftError as problem:
    print(problem)
"""


TOOL = "from regraft.__main__ import main; main()"


@pytest.fixture(scope="module")
def forks():
    with Forks(PACKAGE.parent) as started:
        yield started


def test_without_space_the_old_file_stays(save, forks, tmp_path):
    name, _ = save
    (tmp_path / name).write_text("the old one")
    done = forks.run(FULL, name, Path(__file__).parent, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"cannot write '{name}': File too large.\n"
    assert (tmp_path / name).read_text() == "the old one"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_tool_without_space_keeps_the_old_file_and_says_so_in_one_line(forks, tmp_path):
    mech, _ = slider()
    mech.save(tmp_path / "model.json")
    before = (tmp_path / "model.json").read_bytes()
    arguments = ("reroot", "model.json", "--top", "mass", "-o", "model.json", "--force")
    done = forks.run(LIMITED + TOOL, *arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: cannot write 'model.json': File too large.\n")
    assert (tmp_path / "model.json").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", [("show", "model.json"), ("--version",), ("--help",)])
def test_output_to_a_full_disk_is_one_line_and_an_exit_code(command, forks, tmp_path):
    slider()[0].save(tmp_path / "model.json")
    done = forks.run(TOOL, *command, folder=tmp_path, out="/dev/full")
    assert (done.returncode, done.stderr) == (1, "error: cannot write the output: No space left on device.\n")


def test_output_that_nobody_reads_to_its_end_is_no_noise(tmp_path):
    slider()[0].save(tmp_path / "model.json")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "regraft", "show", "model.json"]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the output")
def test_a_program_that_is_started_without_an_output_does_its_work(tmp_path):
    slider()[0].save(tmp_path / "model.json")
    command = f'"{sys.executable}" -m regraft convert model.json other.json >&-'
    done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "other.json").read_text() == (tmp_path / "model.json").read_text()


# --- where it cannot be written ----------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there(save, tmp_path):
    name, write = save
    with pytest.raises(rg.RegraftError, match=rf"cannot write '.*missing/{name}': No such file or directory"):
        write(tmp_path / "missing" / name)


def test_a_file_instead_of_a_folder(save, tmp_path):
    name, write = save
    (tmp_path / "file").write_text("")
    with pytest.raises(rg.RegraftError, match=rf"cannot write '.*file/{name}': Not a directory"):
        write(tmp_path / "file" / name)


def test_a_folder_instead_of_a_file(save, tmp_path):
    name, write = save
    (tmp_path / name).mkdir()
    with pytest.raises(rg.RegraftError, match=rf"cannot write '.*{name}': Is a directory"):
        write(tmp_path / name)
    assert list(tmp_path.iterdir()) == [tmp_path / name]


@contextmanager
def as_nobody():
    """Root may write everywhere, so it becomes somebody who may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o666), (0o777, 0o444)])
@pytest.mark.parametrize("what", ["mechanism", "state", "trajectory"])
def test_what_is_read_only(what, folder_mode, file_mode):
    mech, state = slider()
    thing = {"mechanism": mech, "state": state, "trajectory": trajectory()}[what]
    with TemporaryDirectory() as name:  # not below a folder that only its owner may enter
        folder, file = Path(name), Path(name) / "x.json"
        file.write_text("the old one")
        file.chmod(file_mode)
        folder.chmod(folder_mode)
        try:
            with as_nobody(), pytest.raises(rg.RegraftError, match=r"cannot write '.*x\.json': Permission denied"):
                thing.save(file)
            assert file.read_text() == "the old one"
            assert list(folder.iterdir()) == [file]
        finally:
            folder.chmod(0o755)


@pytest.mark.parametrize("path", [3, b"x.json", "a\0b", "a\ud800b"])
def test_what_is_no_path(path, save):
    _, write = save
    with pytest.raises(rg.ModelError, match="path of a file"):
        write(path)


def test_no_path_at_all():
    with pytest.raises(rg.ModelError, match="give the path of a file, as a text or a Path, not None"):
        slider()[0].save(None)


def test_a_picture_of_an_unknown_format(tmp_path):
    with pytest.raises(rg.ModelError, match=r"x\.doc.*no pictures of the format 'doc', but: .*'png'"):
        SAVES["invariants.png"](tmp_path / "x.doc")
    assert not list(tmp_path.iterdir())


# --- what stays as it was ----------------------------------------------------------------------------------------------


def test_links_are_followed(save, tmp_path):
    name, write = save
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / name
    real.write_text("the old one")
    link = tmp_path / name
    link.symlink_to(real)
    write(link)
    assert link.is_symlink()
    assert real.stat().st_size > 100
    assert list(real.parent.iterdir()) == [real]


def test_permissions_are_kept_and_new_files_have_the_usual_ones(save, tmp_path):
    name, write = save
    (tmp_path / name).write_text("the old one")
    (tmp_path / name).chmod(0o640)
    write(tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640
    usual = tmp_path / "usual"
    usual.write_text("")
    write(tmp_path / f"new-{name}")
    assert (tmp_path / f"new-{name}").stat().st_mode == usual.stat().st_mode


def test_a_file_is_never_more_readable_than_the_one_it_replaces(tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("the old one")
    secret.chmod(0o600)
    with replacing(secret) as beside:
        assert beside.stat().st_mode & 0o777 == 0o600
        beside.write_text("the new one")


def test_a_failure_while_writing_leaves_the_old_file_and_no_other(tmp_path):
    file = tmp_path / "x.txt"
    file.write_text("the old one")

    def interrupted():
        with writing(file) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [file]


PRINTED = "import sys; sys.path.insert(0, sys.argv[2]); from test_saving import SAVES; SAVES[sys.argv[1]]('/dev/stdout')"


@pytest.mark.parametrize("name", ["mechanism.json", "trajectory.npz"])
@pytest.mark.parametrize("where", ["pipe", "file"])
def test_standard_output(name, where, forks, tmp_path):
    """A pipe has no name that could be replaced; a file that the shell has opened must not be replaced under it."""
    out = tmp_path / name
    if where == "pipe":
        call = [sys.executable, "-c", PRINTED, name, str(Path(__file__).parent)]
        out.write_bytes(subprocess.run(call, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True).stdout)
    else:
        with out.open("wb") as file:
            assert forks.run(PRINTED, name, Path(__file__).parent, out=out).returncode == 0
            assert os.fstat(file.fileno()).st_ino == out.stat().st_ino
    found = rg.load(out)
    if isinstance(found, rg.Mechanism):
        assert found == slider()[0]
    else:
        assert found.state(0.2) == trajectory().state(0.2)


def test_a_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        ball()[0].save(pipe)
        assert reader.stdout is not None
        assert '"regraft mechanism"' in reader.stdout.read()
    assert pipe.is_fifo()


# --- every file --------------------------------------------------------------------------------------------------------

WRITERS = {
    "write_text", "write_bytes", "savefig", "save", "savez", "savez_compressed", "savetxt", "tofile", "dump", "to_csv",
    "to_json", "print_figure", "imsave", "copyfile", "rename", "touch", "mkstemp", "NamedTemporaryFile", "TemporaryFile",
}  # fmt: skip


def is_opened_to_write(call):
    """Whether a call opens a file for more than reading; "x" makes a new file or none, so that nothing can be lost by it."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in ("open", "fdopen"):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    modes = [value.value for value in given if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    flags = [node.attr for value in given for node in ast.walk(value) if isinstance(node, ast.Attribute)]
    return any(set(mode) & set("wa+") for mode in modes if len(mode) <= 4) or (
        any(flag in ("O_WRONLY", "O_RDWR") for flag in flags) and "devnull" not in flags
    )


def writes_elsewhere(source):
    """The lines of calls that write to something else than what `writing` or `replacing` has given."""
    found = []

    def visit(node, beside):
        if isinstance(node, ast.With):
            for item in node.items:
                call, name = item.context_expr, getattr(item.optional_vars, "id", None)
                visit(call, beside)
                made = isinstance(call, ast.Call) and (
                    (isinstance(call.func, ast.Name) and call.func.id in ("writing", "replacing"))
                    or (isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", None) in beside)
                )
                beside = beside | {name} if made else beside - {name}
            for statement in node.body:
                visit(statement, beside)
            return
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in WRITERS or is_opened_to_write(node):
                told = [getattr(node.func, "value", None), *node.args[:1]]
                if not any(isinstance(value, ast.Name) and value.id in beside for value in told):
                    found.append(node.lineno)
        for child in ast.iter_child_nodes(node):
            visit(child, beside)

    visit(ast.parse(source), frozenset())
    return found


@pytest.mark.parametrize(
    "source",
    [
        "path.write_text('x')",
        "with writing(path) as beside:\n    path.write_text('x')",
        "with writing(path) as beside:\n    pass\nbeside.write_text('x')",
        "with path.open('w') as file:\n    pass",
        "open(path, mode='ab')",
        "os.open(path, os.O_CREAT | os.O_WRONLY)",
        "figure.savefig(path)",
        "np.savez(path, x=x)",
        "json.dump(data, file)",
    ],
)
def test_the_search_finds_what_it_is_to_find(source):
    assert writes_elsewhere(source)


FILES = sorted(file for home in (PACKAGE, ROOT / "examples", ROOT / "benchmarks") for file in home.rglob("*.py"))


def test_every_file_is_written_beside_and_put_in_place():
    assert len(FILES) > 500
    found = {file: writes_elsewhere(file.read_text(encoding="utf-8")) for file in FILES if file.name != "atomic.py"}
    assert {str(file.relative_to(ROOT)): lines for file, lines in found.items() if lines} == {}


def test_a_joint_type_that_a_new_process_has_only_loaded(forks, tmp_path):
    """A process in which no such joint was made compares and saves it all the same."""
    file = tmp_path / "joint"
    file.write_bytes(pickle.dumps(rg.Cylindrical((0, 0, 1), damping=0.5)))
    program = f"import pickle, pathlib; print(pickle.loads(pathlib.Path({str(file)!r}).read_bytes()))"
    found = forks.run(program)
    assert found.stdout.strip() == "Cylindrical(axis=(0, 0, 1), damping=(0.5, 0.5))"
