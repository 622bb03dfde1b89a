"""Compile every kernel and pack them all into an archive, for `dist.py`: ``python tools/kernels.py ARCHIVE``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm


def main(archive: Path) -> None:
    """Compile for packs of both widths, which depend on the processor; all other kernels are the same and compiled once."""
    subprocess.run([sys.executable, "-m", "regraft.warmup"], check=True)
    wide = llvm.get_host_cpu_features().get("avx512f", False)
    llvm.get_host_cpu_features = lambda: {"avx512f": not wide}

    # they look at the processor as soon as they are imported
    from regraft.compilation import cache_home, shipped
    from regraft.warmup import units

    for unit in units():
        unit.dispatcher.compile(unit.signature)
    home = cache_home()
    assert home is not None
    shipped.pack(home, archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
