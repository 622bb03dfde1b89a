"""Install the wheel that `dist.py` built into a fresh environment, and time the first uses of it: ``make dist-test``.

Fails if anything is compiled there, or if a first use takes more than two seconds of a processor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
SECONDS = 2.0


def main() -> None:
    """Install, run `first_uses.py`, and judge what it reports."""
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with TemporaryDirectory() as temporary:
        home = Path(temporary)
        venv.create(home / "environment", with_pip=True)
        python = home / "environment" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel}[kernels]"], check=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA_"))}
        environment["REGRAFT_CACHE_DIR"] = str(home / "cache")
        program = [str(python), str(ROOT / "tools" / "first_uses.py")]
        first, second = (json.loads(subprocess.check_output(program, env=environment, cwd=home)) for _ in range(2))
    for use, seconds in first["seconds"].items():
        print(f"{use:20} {seconds:5.2f} s of a processor, in the next process {second['seconds'][use]:5.2f} s")
    if first["compiled"] or second["compiled"]:
        raise SystemExit(f"{wheel.name} does not bring all kernels: {first['compiled']} functions were compiled.")
    slow = [use for use, seconds in first["seconds"].items() if seconds > SECONDS]
    if slow:
        raise SystemExit(f"{wheel.name}: the first use of {', '.join(slow)} takes more than {SECONDS:g} s.")


if __name__ == "__main__":
    main()
