"""Meshes and pictures that MJCF files name: how they are named, and what stands in for those that are not there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...algebra.pose import Pose
from ...describe.shapes import Mesh
from ..report import Findings


def few(names: list[str], most: int = 12) -> str:
    """Names for a note, cut short where there are many."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def pose_of(position: ArrayLike, quaternion: Iterable[float]) -> Pose:
    """A pose from MuJoCo's numbers."""
    w, x, y, z = (float(part) for part in quaternion)
    size = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / size, x / size, y / size, z / size
    rotation = None if w == 1.0 else [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]  # fmt: skip
    return Pose(rotation, np.array(position, float))


_OPENED = (".stl", ".obj", ".msh")  # the mesh files that MuJoCo opens


def name_from(folder: Path, form: Mesh) -> str | None:
    """How a file in a folder names a mesh so that MuJoCo finds it; None where MuJoCo cannot open it.

    That is its name as it was where it still holds, or is not known to have held, and else the whole path: MuJoCo knows no
    packages.
    """
    plain = "://" not in form.path
    suffix = Path(form.file or form.path).suffix.lower()
    if suffix not in _OPENED or not (plain or form.file) or (suffix == ".stl" and form.file and not _is_binary(form.file)):
        return None
    if form.file is None or (plain and (folder / form.path).resolve() == Path(form.file).resolve()):
        return form.path
    return Path(form.file).resolve().as_posix()


def _is_binary(file: str) -> bool:
    """Whether the length of an .stl file is that of a binary one, of so many triangles as it says; MuJoCo reads no others."""
    with open(file, "rb") as opened:
        said = opened.read(84)[80:]
        return opened.seek(0, 2) == 84 + 50 * int.from_bytes(said, "little")


_CORNERS = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_FACES = (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)


@dataclass(frozen=True)
class MeshFile:
    """Where a mesh comes from.

    Attributes
    ----------
    path : str
        Its file, as it is named from the folder of the MJCF file; empty for a mesh without a file.
    place : Pose
        Where the file's frame is in the frame that geoms place, but for what `scale` does.
    scale : tuple of float
        By what its coordinates are multiplied.
    file : str or None
        Where it was found.
    """

    path: str
    place: Pose
    scale: tuple[float, ...]
    file: str | None


def stand_in(
    mj: Any, spec: Any, path: Path, packages: Sequence[Path], found: Findings, *, look: bool = True
) -> tuple[tuple[MeshFile, ...], frozenset[str]]:
    """Make a specification compile without the files that are missing, or, unless we `look`, without all of them.

    A mesh becomes a small tetrahedron whose geoms have no mass; pictures, which nothing here needs, become plain colours.

    Returns
    -------
    files : tuple of MeshFile
        Of each mesh.
    hollow : frozenset of str
        Bodies all of whose mass would have come from missing meshes: they are given some so that MuJoCo takes them.
    """
    files, missing = [], []
    for mesh in spec.meshes:
        named = _named(mesh, spec)
        there = _found(path.parent, named, mesh.file, packages) if look and mesh.file else None
        files.append(_mesh_file(mesh, named, there, found))
        if not mesh.file:
            continue
        if not mesh.name:
            mesh.name = Path(mesh.file).stem
        if there is None:
            missing.append(mesh.name)
            mesh.file, mesh.content_type = "", ""
            mesh.uservert, mesh.userface = list(_CORNERS), list(_FACES)
        else:
            mesh.file = str(there.resolve())
    _plain_pictures(mj, spec)
    if missing:
        found.note("mesh", "", f"{len(missing)} mesh files are not there, so the shapes cannot be drawn: {few(missing)}.")
    return tuple(files), _without_mass(mj, spec, frozenset(missing), found)


def _mesh_file(mesh: Any, named: str, there: Path | None, found: Findings) -> MeshFile:
    """A mesh is turned and moved by its own reference first, then scaled: v ↦ S Rᵀ (v − p)."""
    turn = pose_of(mesh.refpos, mesh.refquat)
    scale = tuple(float(one) for one in mesh.scale)
    turned = not np.array_equal(turn.rotation, np.eye(3))
    if turned and len(set(scale)) > 1:
        found.note("mesh", mesh.name, "a mesh that is turned and then stretched; the shape is not turned here.")
        turned = False
    back = turn.rotation.T if turned else np.eye(3)
    place = Pose(back, -np.array(scale) * (back @ turn.translation))
    return MeshFile(named, place, scale, None if there is None else str(there.resolve()))


def _named(mesh: Any, spec: Any) -> str:
    """The path of a mesh's file from the folder of the MJCF file, as MuJoCo puts it together."""
    if not mesh.file:
        return ""
    file = Path(mesh.file)
    if getattr(spec, "strippath", False):
        file = Path(file.name)
    compiler = getattr(mesh, "compiler", None) or spec.compiler
    folder = getattr(compiler, "meshdir", None) or getattr(spec, "meshdir", "") or ""
    return file.as_posix() if file.is_absolute() else (Path(folder) / file).as_posix()


def _found(folder: Path, named: str, file: str, packages: Sequence[Path]) -> Path | None:
    """Where the file is: at its path, or below one of the folders that the user names."""
    tried = [folder / named, *(package / part for package in packages for part in (named, file, Path(file).name))]
    return next((one for one in tried if one.is_file()), None)


def _plain_pictures(mj: Any, spec: Any) -> None:
    for texture in spec.textures:
        texture.file, texture.content_type = "", ""
        texture.cubefiles = [""] * len(texture.cubefiles)
        texture.builtin = mj.mjtBuiltin.mjBUILTIN_FLAT
        texture.width, texture.height = 1, 6 if texture.type == mj.mjtTexture.mjTEXTURE_CUBE else 1
    for field in spec.hfields:
        if field.file:  # only its shape would come from there, and there is no such shape here
            field.file, field.content_type = "", ""
            field.nrow, field.ncol, field.userdata = 2, 2, [0.0] * 4
    for skin in list(spec.skins):
        skin.delete() if hasattr(skin, "delete") else spec.delete(skin)  # which of the two, depends on MuJoCo's version


def _without_mass(mj: Any, spec: Any, missing: frozenset[str], found: Findings) -> frozenset[str]:
    """Take the mass from geoms of missing meshes, and note which bodies' inertias would have come from them."""
    hollow = set()
    for number, body in enumerate(spec.bodies):
        heavy, gone = 0, []
        for geom in body.geoms:
            lacking = geom.type == mj.mjtGeom.mjGEOM_MESH and geom.meshname in missing
            if _gives_mass(mj, spec, body, geom):
                heavy += 1
                gone += [geom] if lacking else []
            if lacking:
                geom.mass = 0.0
        if not gone or number == 0:
            continue
        body.name = body.name or f"body_{number}"
        left = "it has that of its other geoms alone" if len(gone) < heavy else "it has no mass"
        meant = ", ".join(sorted({geom.meshname for geom in gone}))
        message = f"its inertia comes from meshes that are not there ({meant}); {left}."
        found.note("mesh", body.name, message, dynamics=_moves(body))
        if len(gone) == heavy:
            gone[0].mass = 1.0
            hollow.add(body.name)
    return frozenset(hollow)


def _gives_mass(mj: Any, spec: Any, body: Any, geom: Any) -> bool:
    """Whether MuJoCo takes a geom into account for its body's inertia."""
    compiler, choice = spec.compiler, mj.mjtInertiaFromGeom
    if compiler.inertiafromgeom == choice.mjINERTIAFROMGEOM_FALSE:
        return False
    if body.explicitinertial and compiler.inertiafromgeom != choice.mjINERTIAFROMGEOM_TRUE:
        return False
    first, last = compiler.inertiagrouprange
    massive = geom.density > 0.0 if math.isnan(geom.mass) else geom.mass > 0.0
    return bool(first <= geom.group <= last and massive)


def _moves(body: Any) -> bool:
    """Whether there is a joint between a body and the world."""
    while body is not None and body.name != "world":
        if body.joints:
            return True
        body = body.parent
    return False
