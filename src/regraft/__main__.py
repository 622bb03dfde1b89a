"""The program ``regraft``, also by ``python -m regraft``; where what it needs is not installed, it says so."""

import sys

from .errors import MissingPackageError
from .extras import require


def main() -> None:
    """Run the command line tool."""
    try:
        for package in ("typer", "rich"):
            require(package, "the command line")
    except MissingPackageError as problem:
        sys.exit(f"error: {problem}")
    from .cli import main as run  # only now: it imports these packages at once

    run()


if __name__ == "__main__":
    main()
