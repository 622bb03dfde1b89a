"""What is fitted to the bodies and joints of a compiled MJCF model: geoms, sites and keyframes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.pose import Pose
from ...describe.mechanism import Mechanism
from ...describe.shapes import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Plane, Sphere
from ...describe.state import State
from .mjcf_assets import pose_of
from .mjcf_loops import equality_sites, spring_sites
from .mjcf_source import Names, Source
from .mjcf_tree import FREE

Array = NDArray[np.float64]

START = "start"
"""The keyframe that a mechanism starts from, if there is one; else it starts from qpos0."""
_SEEN_GROUPS = 3  # MuJoCo shows geoms of the groups 0, 1 and 2
_PLAIN = (0.5, 0.5, 0.5, 1.0)  # the colour of geoms that are given none


def add_shapes(mech: Mechanism, source: Source) -> None:
    """Geoms as shapes: those of the groups 0 to 2 are there to be seen, those that can be in contact to be touched."""
    model = source.model
    names = Names(*filter(None, (source.name("GEOM", i) for i in range(model.ngeom))))
    for geom in range(model.ngeom):
        body = source.bodies[model.geom_bodyid[geom]]
        form, pose = _form(source, geom)
        if form is None:
            continue
        name = source.name("GEOM", geom) or names.make(f"{body}_geom_{geom - int(model.body_geomadr[model.geom_bodyid[geom]])}")
        touched = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        seen = bool(model.geom_group[geom] < _SEEN_GROUPS)
        mech.add_shape(body, form, name, pose, visual=seen, collision=touched, color=_color(model, geom))


def _form(source: Source, geom: int) -> tuple[Form | None, Pose]:
    model, kind = source.model, source.mj.mjtGeom
    pose = pose_of(model.geom_pos[geom], model.geom_quat[geom])
    x, y, z = (float(size) for size in model.geom_size[geom])
    number = int(model.geom_type[geom])
    if number == kind.mjGEOM_PLANE:
        return Plane(), pose
    if number == kind.mjGEOM_SPHERE:
        return Sphere(x), pose
    if number == kind.mjGEOM_CAPSULE:
        return Capsule(x, (0.0, 0.0, -y), (0.0, 0.0, y)), pose
    if number == kind.mjGEOM_ELLIPSOID:
        return Ellipsoid((x, y, z)), pose
    if number == kind.mjGEOM_CYLINDER:
        return Cylinder(x, 2.0 * y), pose
    if number == kind.mjGEOM_BOX:
        return Box((2.0 * x, 2.0 * y, 2.0 * z)), pose
    mesh = int(model.geom_dataid[geom])
    if number in (kind.mjGEOM_MESH, kind.mjGEOM_SDF) and mesh >= 0 and source.meshes[mesh].path:
        file, moved = source.meshes[mesh], pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh])  # to the mesh's centre
        return Mesh(file.path, file.scale, file.file), pose @ moved.inverse() @ file.place
    what = "a height field" if number == kind.mjGEOM_HFIELD else "a mesh without a file"
    source.found.note("geom", source.named("GEOM", geom, "geom"), f"{what} has no shape here; it is left out.")
    return None, pose


def _color(model: Any, geom: int) -> tuple[float, ...] | None:
    own, material = _digits(model.geom_rgba[geom]), int(model.geom_matid[geom])
    if own != _PLAIN:
        return own
    return _digits(model.mat_rgba[material]) if material >= 0 else None


def _digits(color: Any) -> tuple[float, ...]:
    """A colour in single precision by the shortest numbers that are it."""
    return tuple(float(str(part)) for part in np.clip(color, 0.0, 1.0))


def add_frames(mech: Mechanism, source: Source) -> None:
    """Sites as frames, but for those that are only the ends of an equality or a tendon of our own writing."""
    model, ends = source.model, _ends(source)
    names = Names("world", *mech.bodies, *(source.sites[i] for i in range(model.nsite) if i not in ends))
    for site in range(model.nsite):
        if site in ends:
            continue
        name = source.sites[site]
        if name in mech.bodies or name == "world":
            name = names.make(f"{name}_site")
            source.found.note("name", source.sites[site], f"a body has the name of this site, so the frame is called {name!r}.")
        mech.add_frame(name, source.bodies[model.site_bodyid[site]], pose_of(model.site_pos[site], model.site_quat[site]))


def _ends(source: Source) -> set[int]:
    """Sites called x/1 and x/2 at which the equality or the tendon x ends: the writer makes them."""
    model, found = source.model, set[int]()
    pairs = [(source.name("EQUALITY", i), equality_sites(source, i)) for i in range(model.neq)]
    pairs += [(source.name("TENDON", i), spring_sites(source, i)) for i in range(model.ntendon)]
    for name, sites in pairs:
        if name and sites is not None and tuple(source.sites[i] for i in sites) == (f"{name}/1", f"{name}/2"):
            found.update(sites)
    return found


def state_of(mech: Mechanism, source: Source, qpos: Array, qvel: Array) -> State:
    """The state with MuJoCo's numbers: q as they are; the velocity of a free joint is in the body's axes here."""
    model, q, v = source.model, {}, {}
    for joint, name in enumerate(source.joints):
        kind, at, dof = int(model.jnt_type[joint]), int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        nq, nv = ((7, 6), (4, 3), (1, 1), (1, 1))[kind]
        own, rate = np.array(qpos[at : at + nq], float), np.array(qvel[dof : dof + nv], float)
        if kind < 2:
            own[-4:] /= np.linalg.norm(own[-4:])
        if kind == FREE:
            rate[:3] = pose_of((0.0, 0.0, 0.0), own[3:]).rotation.T @ rate[:3]
        q[name], v[name] = own, rate
    return mech.state(q, v)


def add_keyframes(mech: Mechanism, source: Source) -> State:
    """Keyframes as named states; returns the one to start from."""
    model = source.model
    names = Names(*filter(None, (source.name("KEY", i) for i in range(model.nkey))))
    for key in range(model.nkey):
        name = source.name("KEY", key) or names.make(f"key_{key}")
        mech.add_keyframe(name, state_of(mech, source, model.key_qpos[key], model.key_qvel[key]))
    if START in mech.keyframes:
        return mech.keyframe(START)
    return state_of(mech, source, model.qpos0, np.zeros(model.nv))
