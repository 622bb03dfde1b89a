"""Build what is published, in dist/: ``make dist``. It takes a few minutes, since all kernels are compiled.

- the source distribution;
- a wheel for this platform and version of Python, which is built from the former and brings its kernels: see
  `regraft.compilation.shipped`.

Nothing is written into the sources here, so kernels can neither be committed nor get into the source distribution.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
KERNELS = Path("src", "regraft", "compilation", "kernels.zip")
MADE_WITH = ("numba", "llvmlite", "numpy")  # other versions of these find no kernel that fits, and compile


def main() -> None:
    """Build both and say what they are."""
    shutil.rmtree(DIST, ignore_errors=True)
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        python("-m", "build", "--sdist", "--outdir", str(DIST), str(ROOT))
        (packed,) = DIST.glob("*.tar.gz")
        with tarfile.open(packed) as archive:
            archive.extractall(work, filter="data")
        source = work / packed.name.removesuffix(".tar.gz")
        make_kernels(source, work / "cache")
        name_versions(source / "pyproject.toml")
        python("-m", "build", "--wheel", "--outdir", str(work), str(source))
        (plain,) = work.glob("*.whl")
        tag(plain)
        plain.unlink()
        (wheel,) = work.glob("*.whl")
        shutil.move(wheel, DIST)
    for file in sorted(DIST.iterdir()):
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.1f} MB")


def make_kernels(source: Path, cache: Path) -> None:
    """Compile the kernels of unpacked sources for the plainest processor of this kind, and put them into these sources."""
    cache.mkdir(mode=0o700)
    python(
        str(ROOT / "tools" / "kernels.py"), str(source / KERNELS),
        PYTHONPATH=str(source / "src"), REGRAFT_CACHE_DIR=str(cache), NUMBA_CPU_NAME="generic",
    )  # fmt: skip


def name_versions(project: Path) -> None:
    """Give the wheel an extra, ``regraft[kernels]``, that asks for the versions that its kernels were made with."""
    head = "[project.optional-dependencies]\n"
    before, found, after = project.read_text(encoding="utf-8").partition(head)
    if not found:
        raise ValueError(f"{project.name} has no section {head.strip()} to put the extra into.")
    extra = f"kernels = {[f'{name}=={version(name)}' for name in MADE_WITH]}\n"
    project.write_text(before + head + extra + after, encoding="utf-8")


def tag(wheel: Path) -> None:
    """Write a copy of a wheel that says which machines and which Python it is for.

    These are the ones of the installed llvmlite, which reads the kernels. They depend on the version of Python, whose bytecode
    they were compiled from and whose objects they handle in C's way: hence ``cp311-cp311`` and not ``py3-none``.
    """
    described = distribution("llvmlite").read_text("WHEEL") or ""
    tags = [line.removeprefix("Tag: ").split("-") for line in described.splitlines() if line.startswith("Tag: ")]
    interpreters, abis, platforms = ((".".join(sorted(set(part)))) for part in zip(*tags, strict=True))
    python("-m", "wheel", "tags", f"--python-tag={interpreters}", f"--abi-tag={abis}", f"--platform-tag={platforms}", str(wheel))


def python(*arguments: str, **environment: str) -> None:
    """Run Python with other variables in its environment."""
    subprocess.run([sys.executable, *arguments], env=os.environ | environment, check=True)


if __name__ == "__main__":
    main()
