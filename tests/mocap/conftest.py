"""Recordings that are not part of the project, where they are at hand."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def shared_data():
    """shared_data(name) -> Path of a file of the folder with real recordings, or skip."""
    root = Path(os.environ.get("REGRAFT_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))

    def find(name):
        path = root / name
        if not path.exists():
            pytest.skip(f"{path} is not there; set REGRAFT_SHARED_DATA to the folder with the recordings")
        return path

    return find


@pytest.fixture
def written(tmp_path):
    """written(text or bytes, name) -> Path of a new file."""

    def made(text, name):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return made
