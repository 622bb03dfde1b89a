"""Reading a robot beside Pinocchio: Talos, 60 links, from a URDF file of the package example-robot-data."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pinocchio as pin

import regraft as rg
from timing import Comparison, compare


def robot_file(name: str) -> Path:
    """A URDF file of the package."""
    files = importlib.metadata.files("example-robot-data") or []
    return next(Path(str(file.locate())) for file in files if file.name == name)


def reading_comparison() -> Comparison:
    """The whole of `rg.read` against Pinocchio's reader, which makes neither shapes nor a report."""
    file = robot_file("talos_full_v2.urdf")
    return compare("read a URDF file", "Talos", lambda: rg.read(file),
                   "pin.buildModelFromUrdf", lambda: pin.buildModelFromUrdf(str(file)), 2.0, calls=20)  # fmt: skip
