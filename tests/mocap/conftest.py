"""Real recordings, where the folder with them is there."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shared_data():
    """A file or folder of the shared data by its name, such as ``shared_data("mocap/bvh/02_01.bvh")``, or skip."""
    folder = Path(os.environ.get("REGRAFT_SHARED_DATA", ROOT.parent / "shared" / "data"))

    def at(name):
        path = folder / name
        if not path.exists():
            pytest.skip(f"{name} is not there; the environment variable REGRAFT_SHARED_DATA says in which folder it is")
        return path

    return at
