"""The robot.yaml beside a URDF file: the frames that close loops, and the motors, as Gepetto's example-parallel-robots have it.

URDF has trees only. In that file ``closed_loop`` has pairs of names of links or joints whose frames coincide, ``type`` says
whether each pair is held in place and orientation ("6d") or in place alone ("3d"), ``name_mot`` names the joints with motors, and
``joint_name`` with ``joint_type`` names joints of the tree that are ball joints or do not move.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from reprlib import Repr
from typing import Any

import numpy as np

from ...algebra.pose import Pose
from ...ask.assembly import assembled_anyhow
from ...describe.mechanism import Mechanism
from ...describe.parts import Joint
from ...describe.state import State
from ...errors import AssemblyError, FileError, ModelError, listed
from ...extras import require
from ...joints import Fixed, JointType, Spherical
from ..report import Findings
from .contract import ReadOptions
from .urdf import read_urdf

SUFFIX = ".yaml"
_MARK, _MOST_BYTES = "closed_loop", 1 << 20
_MARKS = tuple(_MARK.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_LOOPS: dict[str, JointType] = {"6d": Fixed(), "3d": Spherical()}
_TYPES: dict[str, JointType] = {"spherical": Spherical(), "fixed": Fixed()}
_KNOWN = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring = 2, 80  # lists that repeat one another by names would fill all memory when they are shown


def read_urdf_and_loops(path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The mechanism in a URDF file; with the loops and motors of the .yaml file of the same name, if there is one."""
    mech, state = read_urdf(path, options, found)
    beside = path.with_suffix(SUFFIX)
    if not beside.is_file() or not _names_loops(beside):
        return mech, state
    closed = _Beside(beside, mech).build(found)
    same = {name: place for name, place in state.layout.q_slices.items() if _same(mech, closed, name)}
    return closed, _closed_start(closed, closed.state(q={name: state.q[place] for name, place in same.items()}), found)


def read_yaml(path: Path, options: ReadOptions, found: Findings) -> tuple[Mechanism, State]:
    """The same, from the .yaml file; the URDF file of the same name is beside it."""
    if not _names_loops(path):
        raise FileError(f"{str(path)!r} does not name loops: it has no entry closed_loop.")
    robot = path.with_suffix(".urdf")
    if not robot.is_file():
        raise FileError(f"{str(path)!r}: there is no file {robot.name!r} beside it, whose loops it would close.")
    return read_urdf_and_loops(robot, options, found)


def _names_loops(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as problem:
        raise FileError(f"{str(path)!r} cannot be read: {problem.strerror or problem}.") from None
    named = any(mark in data for mark in _MARKS)
    if named and len(data) > _MOST_BYTES:
        raise FileError(f"{str(path)!r} names loops and is larger than {_MOST_BYTES} bytes; take out what is not about them.")
    return named


def _closed_start(mech: Mechanism, state: State, found: Findings) -> State:
    """A state whose loops are closed: from the given one, or from others farther and farther from it.

    Files have their robots with all joints at zero, where loops may be wide open and rods in line, so that no small motion closes
    them.
    """
    try:
        start, told = assembled_anyhow(mech, state)
    except AssemblyError as problem:
        found.note("start", "", f"with all joints at zero the loops are open, and they could not be closed from there: {problem}")
        return state
    if np.array_equal(start.q, state.q):
        return state
    found.note("start", "", "with all joints at zero the loops are open; the state to start from has them closed")
    if told:
        found.note("start", "", told)
    return start


def _same(one: Mechanism, other: Mechanism, joint: str) -> bool:
    """Whether a joint has the same numbers in both."""
    return joint in other.layout.q_slices and one.joints[joint].type.nq == other.joints[joint].type.nq


class _Beside:
    """What such a file says, for a mechanism without its loops."""

    def __init__(self, path: Path, mech: Mechanism) -> None:
        self.path, self.mech = path, mech
        self.data: Mapping[str, Any] = self._parsed()

    def _parsed(self) -> Mapping[str, Any]:
        """The entries; all that is no list and no table is a text, so no tag does anything."""
        yaml = require("yaml", "the loops in a .yaml file beside a URDF file")
        try:
            loader = yaml.BaseLoader(self.path.read_bytes())
            node = loader.get_single_node()
            data = {} if node is None else loader.construct_document(node)
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as problem:
            raise FileError(f"{str(self.path)!r} is not YAML: {' '.join(str(problem).split())}.") from None
        if not isinstance(data, Mapping):
            raise self._error("it must have entries by name, such as closed_loop")
        twice = [key for key, count in Counter(str(key.value) for key, _ in node.value).items() if count > 1] if data else []
        if twice:
            raise self._error(f"there are two entries {_SHORT.repr(twice[0])}")
        return data

    def build(self, found: Findings) -> Mechanism:
        """The mechanism with its loops closed by joints, its motors known, and joints of other types."""
        odd = [str(key) for key in self.data if key not in _KNOWN]
        if odd:
            found.note("yaml", self.path.name, f"entries that are not known are left out: {listed(odd)}")
        motors, types = self._motors(), self._types()
        lost = [name for name in types if self.mech.joints[name].type.settings().keys() - {"actuated"}]
        if lost:
            found.note("joint", self.path.name, f"joints of another type here have none of their settings there: {listed(lost)}")
        mech = self.mech.joined_by({name: self._changed(joint, motors, types) for name, joint in self.mech.joints.items()})
        loops = self._loops()
        try:
            for (a, b), kind in loops.items():
                (body_a, on_a), (body_b, on_b) = self._frame(a), self._frame(b)
                mech.add_joint(f"{a}_{b}", kind, body_a, body_b, on_a, on_b)
            for name in motors:
                if not any(actuator.drives({name}) for actuator in mech.actuators.values()):
                    mech.add_actuator(name, name)
        except ModelError as problem:
            raise problem if isinstance(problem, FileError) else self._error(str(problem).removesuffix(".")) from None
        found.note("loop", self.path.name, f"{len(loops)} loops and {len(motors)} motors are from this file beside the robot's")
        return mech

    def _changed(self, joint: Joint, motors: list[str], types: Mapping[str, JointType]) -> Joint:
        kind = types.get(joint.name, joint.type)
        return dataclasses.replace(joint, type=kind.with_settings(actuated=joint.name in motors) if motors else kind)

    def _loops(self) -> dict[tuple[str, str], JointType]:
        pairs = self._list("closed_loop")
        kinds = self._list("type") or ["6d"] * len(pairs)
        if len(kinds) != len(pairs):
            raise self._error(f"there are {len(pairs)} pairs in closed_loop and {len(kinds)} types")
        found: dict[tuple[str, str], JointType] = {}
        for pair, kind in zip(pairs, kinds, strict=True):
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                raise self._error(f"closed_loop must have pairs of names, not {_SHORT.repr(pair)}")
            if not isinstance(kind, str) or kind.lower() not in _LOOPS:
                raise self._error(f"the type of a loop must be 6d or 3d, not {_SHORT.repr(kind)}")
            if (pair[0], pair[1]) in found:
                raise self._error(f"the pair {pair[0]!r}, {pair[1]!r} is in closed_loop twice")
            found[pair[0], pair[1]] = _LOOPS[kind.lower()]
        return found

    def _frame(self, name: str) -> tuple[str, Pose]:
        """The body that a name means, and where on it: a link, a frame, or a joint with what it moves."""
        mech = self.mech
        if name in mech.bodies:
            return name, Pose()
        if name in mech.frames:
            return mech.frames[name].body, mech.frames[name].pose
        if name in mech.joints:
            return mech.joints[name].child, mech.joints[name].child_pose
        raise self._error(f"there is no link, joint or frame {name!r} in {self.path.with_suffix('.urdf').name!r}")

    def _motors(self) -> list[str]:
        return [self._joint(name) for name in self._list("name_mot")]

    def _types(self) -> dict[str, JointType]:
        names, kinds = self._list("joint_name"), self._list("joint_type")
        if len(names) != len(kinds):
            raise self._error(f"there are {len(names)} names in joint_name and {len(kinds)} types in joint_type")
        found = {}
        for name, kind in zip(names, kinds, strict=True):
            if not isinstance(kind, str) or kind.lower() not in _TYPES:
                raise self._error(f"the type of a joint must be SPHERICAL or FIXED, not {_SHORT.repr(kind)}")
            found[self._joint(name)] = _TYPES[kind.lower()]
        return found

    def _joint(self, name: Any) -> str:
        if not isinstance(name, str) or name not in self.mech.joints:
            raise self._error(f"there is no joint {_SHORT.repr(name)} in {self.path.with_suffix('.urdf').name!r}")
        return name

    def _list(self, key: str) -> list[Any]:
        found = self.data.get(key) or []
        if not isinstance(found, list):
            raise self._error(f"{key} must be a list, not {_SHORT.repr(found)}")
        return found

    def _error(self, what: str) -> FileError:
        return FileError(f"{str(self.path)!r}: {what}.")
