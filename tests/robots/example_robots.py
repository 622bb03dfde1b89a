"""The URDF files of the package example-robot-data, and what to do about those that are odd."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import regraft as rg


def robot_files():
    """All URDF files of the package, sorted by their paths."""
    try:
        listed = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(file.locate()).resolve() for file in listed if file.suffix == ".urdf")


EMPTY = "ur_description/urdf/ur3.urdf"
"""A file without any link, which nobody reads."""

FILES = [file for file in robot_files() if not str(file).endswith(EMPTY)]
WITHOUT = "the package example-robot-data is not installed"


def label(file):
    return f"{file.parent.parent.name}/{file.stem}"


def robot(file, base=None):
    """What a file has, with impossible inertias repaired and faults of mimic joints passed over."""
    return rg.read(file, ignore="all", inertia="repair", base=base)


def bare(mech):
    """The same without what moves or bounds joints by itself: damping, friction, limits, and without couplings."""
    data = mech.to_dict()
    data.pop("couplings", None)
    for joint in data["joints"]:
        for setting in ("damping", "friction", "limits"):
            joint["joint"].pop(setting, None)
    return rg.Mechanism.from_dict(data)


def leaves(mech):
    """The bodies that carry no other."""
    parents = {joint.parent for joint in mech.joints.values()}
    return [body for body in mech.bodies if body not in parents]


def moving(mech):
    """The joints with coordinates."""
    return [name for name, joint in mech.joints.items() if joint.type.nq]
