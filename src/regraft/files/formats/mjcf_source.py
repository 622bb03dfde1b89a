"""An MJCF file as MuJoCo compiles it, with the names that its parts get here; assets that are not there are stood in for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...errors import FileError, printable
from ...extras import require
from ..report import Findings
from .contract import ReadOptions
from .inertias import nearest_tensor
from .mjcf_assets import MeshFile, few, stand_in
from .mjcf_xml import check_xml

Array = NDArray[np.float64]

_UNPHYSICAL = "A + B >= C"  # how MuJoCo's complaint about moments of inertia is known


class Names:
    """Names of one kind of part, each once: those of the file, and made ones where it has none."""

    def __init__(self, *taken: str) -> None:
        self.taken = set(taken)
        self.made: list[str] = []

    def make(self, wanted: str) -> str:
        """A name for what has none: the wanted one, or that with a number."""
        name, count = wanted, 2
        while name in self.taken:
            name, count = f"{wanted}_{count}", count + 1
        self.taken.add(name)
        self.made.append(name)
        return name


@dataclass(frozen=True, eq=False)
class Source:
    """What the parts of a mechanism are made from.

    Attributes
    ----------
    mj : module
        The package `mujoco`.
    model : MjModel
        The compiled model.
    meshes : tuple of MeshFile
        The file of each mesh.
    hollow : frozenset of str
        Bodies that have no mass because all of it would have come from meshes that are not there.
    found : Findings
        Where to note down what is not carried over.
    bodies, joints, sites : list of str
        Their names, by MuJoCo's numbers.
    """

    mj: Any
    model: Any
    meshes: tuple[MeshFile, ...]
    hollow: frozenset[str]
    found: Findings
    bodies: list[str]
    joints: list[str]
    sites: list[str]

    def name(self, kind: str, number: int) -> str:
        """The name that the file gives to a part, or an empty text; `kind` is the end of a member of mjtObj."""
        return name_in(self.mj, self.model, kind, number)

    def named(self, kind: str, number: int, otherwise: str) -> str:
        """The same, or a made name with the part's number."""
        return self.name(kind, number) or f"{otherwise}_{number}"

    def numbers(self, table: str, number: int, width: int = 0) -> Array:
        """A row of a table of the model; zeros where this version of MuJoCo has no such table."""
        found = getattr(self.model, table, None)
        return np.zeros(width) if found is None else np.array(found[number], float)

    def number(self, table: str, number: int) -> float:
        """One number of a table; 0 where this version of MuJoCo has no such table."""
        found = getattr(self.model, table, None)
        return 0.0 if found is None else float(found[number])

    def disabled(self, *flags: str) -> bool:
        """Whether the file switches something off, by the ends of members of mjtDisableBit."""
        bits = self.mj.mjtDisableBit.__members__
        return any(
            int(self.model.opt.disableflags) & int(bits[f"mjDSBL_{flag}"].value) for flag in flags if f"mjDSBL_{flag}" in bits
        )


def name_in(mj: Any, model: Any, kind: str, number: int) -> str:
    """The name of a part in a compiled model; an empty text where it has none."""
    return mj.mj_id2name(model, getattr(mj.mjtObj, f"mjOBJ_{kind}"), int(number)) or ""


def compiled(path: Path, options: ReadOptions, found: Findings) -> Source:
    """The model in a file, compiled by MuJoCo; every complaint of MuJoCo's is a FileError."""
    parts = check_xml(path)
    mj = require("mujoco", "an MJCF file")
    errors = (ValueError, RuntimeError, TypeError, mj.FatalError)
    with listening(mj) as heard:
        try:
            spec = _specification(mj, path, parts)
            meshes, hollow = stand_in(mj, spec, path, options.packages, found)
            model = spec.compile()
        except errors as problem:
            if _UNPHYSICAL not in str(problem) or options.inertia != "repair":
                raise _refused(path, problem) from problem
            model = _repaired(spec, path, errors, found)
    for warning in heard:
        found.note("mujoco", "", f"MuJoCo says: {' '.join(warning.split()).removesuffix('.')}.")
    return _source(mj, model, meshes, hollow, found)


@contextmanager
def listening(mj: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of meanwhile; by itself it would write some of it to a file in the present folder."""
    heard: list[str] = []
    before = mj.get_mju_user_warning()
    mj.set_mju_user_warning(heard.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield heard
    finally:
        mj.set_mju_user_warning(before)
        heard += [str(one.message) for one in caught]


def _specification(mj: Any, path: Path, parts: dict[str, bytes]) -> Any:
    """The file before it is compiled; MuJoCo opens .xml alone, so other files are handed over with what they include."""
    if path.suffix.lower() == ".xml":
        return mj.MjSpec.from_file(str(path))
    return mj.MjSpec.from_string(path.read_text(encoding="utf-8"), include=parts)


def check_text(text: str, path: Path) -> None:
    """Have MuJoCo compile what is to be written, without its meshes; what it complains about is a FileError."""
    mj = require("mujoco", "an MJCF file")
    try:
        with listening(mj):
            spec = mj.MjSpec.from_string(text)
            stand_in(mj, spec, path, (), Findings(), look=False)
            spec.compile()
    except (ValueError, RuntimeError, TypeError, mj.FatalError) as problem:
        said = " ".join(printable(str(problem)).split())
        raise FileError(f"{str(path)!r}: MuJoCo does not take this mechanism: {said}. Save it as .json.") from problem


def _repaired(spec: Any, path: Path, errors: tuple[type[Exception], ...], found: Findings) -> Any:
    """The model with the nearest moments of inertia that a body can have, where those of the file are impossible."""
    for number, body in enumerate(spec.bodies):
        if not body.explicitinertial:
            continue
        full = np.array(body.fullinertia, float)
        diagonal = bool(np.isnan(full[0]))
        xx, yy, zz, xy, xz, yz = (*body.inertia, 0.0, 0.0, 0.0) if diagonal else full
        before = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        was = np.linalg.eigvalsh(before)
        if was[0] + was[1] >= was[2] and was[0] >= 0.0:
            continue
        moments, axes = np.linalg.eigh(nearest_tensor(before))
        moments[2] = min(moments[2], moments[0] + moments[1])
        if diagonal:  # in the axes that the file gives
            order = np.argsort([xx, yy, zz])
            body.inertia = moments[np.argsort(order)]
        else:
            axes[:, 2] *= np.linalg.det(axes)
            body.fullinertia = np.full(6, np.nan)
            body.inertia, body.iquat = moments, Pose(axes).quaternion
        said, became = (" ".join(f"{one:.6g}" for one in numbers) for numbers in (was, moments))
        found.note("inertia", body.name or f"body_{number}", f"no real body has the moments {said}; they became {became}.")
    try:
        return spec.compile()
    except errors as problem:
        raise _refused(path, problem) from problem


def _refused(path: Path, problem: Exception) -> FileError:
    said = " ".join(printable(str(problem)).split())
    hint = ' inertia="repair" takes the nearest inertia that a body can have.' if _UNPHYSICAL in said else ""
    return FileError(f"{str(path)!r}: MuJoCo cannot read it: {said}.{hint}".replace("..", "."))


def _source(mj: Any, model: Any, meshes: tuple[MeshFile, ...], hollow: frozenset[str], found: Findings) -> Source:
    bodies, joints, sites = Names("world"), Names(), Names()
    given = {kind: [name_in(mj, model, kind, i) for i in range(count)]
             for kind, count in (("BODY", model.nbody), ("JOINT", model.njnt), ("SITE", model.nsite))}  # fmt: skip
    for kind, names in zip(("BODY", "JOINT", "SITE"), (bodies, joints, sites), strict=True):
        names.taken.update(filter(None, given[kind]))
    body_names = ["world", *(name or bodies.make(f"body_{i}") for i, name in enumerate(given["BODY"]) if i)]
    joint_names = [name or joints.make(_joint_name(mj, model, body_names, i)) for i, name in enumerate(given["JOINT"])]
    site_names = [name or sites.make(f"site_{i}") for i, name in enumerate(given["SITE"])]
    made = [*bodies.made, *joints.made, *sites.made]
    if made:
        found.note("name", "", f"parts without a name got one: {few(made)}.")
    return Source(mj, model, meshes, hollow, found, body_names, joint_names, site_names)


def _joint_name(mj: Any, model: Any, bodies: list[str], number: int) -> str:
    free = model.jnt_type[number] == int(mj.mjtJoint.mjJNT_FREE)
    return f"{bodies[model.jnt_bodyid[number]]}_{'free' if free else 'joint'}"
