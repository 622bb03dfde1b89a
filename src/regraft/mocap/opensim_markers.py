"""The coordinates of an OpenSim model from its own markers, by inverse kinematics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite_number
from ..ask.poses import body_poses
from ..ask.targets import Marker
from ..describe.inertia import Inertia
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..errors import ModelError, listed
from ..joints import Fixed
from .formats.osim import OsimModel
from .markers.tracking import Tracked, follow
from .recording import Recording

Array = NDArray[np.float64]


def followed(model: OsimModel, rec: Recording, weights: Mapping[str, float]) -> Tracked:
    """The positions of all frames in which the model's markers are nearest to those of a recording."""
    notes: list[str] = []
    labels = _labels(model, rec, notes)
    strange = [name for name in weights if name not in labels]
    if strange:
        raise ModelError(f"weights: {strange[0]!r} is no marker of both the model and the recording; these are {listed(labels)}.")
    markers = {}
    for name, label in labels.items():
        weight = finite_number(f"the weight of {name!r}", weights.get(name, 1.0))
        markers[name] = Marker(rec.markers[label], weight, on=name)
    locked = [c.joint for c in model.coordinates.values() if c.locked]
    moving = _with_fixed(model, set(locked)) if locked else model.mech
    if locked:
        notes.append(f"locked coordinates stay at their defaults: {listed(locked)}.")
    places = [
        (part, model.mech.q_slice(joint)) for joint, part in moving.structure.layout.q_slices.items() if joint not in locked
    ]
    rest = np.zeros(moving.nq)
    for part, place in places:
        rest[part] = model.default.q[place]
    found = follow(moving, markers, rest)
    q = np.tile(model.default.q, (len(rec.t), 1))
    for part, place in places:
        q[:, place] = found.q[:, part]
    q[np.isnan(found.q).any(axis=1)] = np.nan
    return found._replace(q=q, notes=[*notes, *found.notes])


def _labels(model: OsimModel, rec: Recording, notes: list[str]) -> dict[str, str]:
    """The label in the recording of each marker of the model that is there and was seen; all others are told."""
    short = {label.rpartition(":")[2].lower(): label for label in reversed(list(rec.markers))}
    found = {name: name if name in rec.markers else short.get(name.lower(), "") for name in model.markers}
    there = {name: label for name, label in found.items() if label}
    hidden = [label for label in there.values() if np.isnan(rec.markers[label]).any(axis=1).all()]
    if not there:
        raise ModelError(
            f"{rec.source!r} has no marker of the model {model.name!r}: it has {listed(rec.markers)}, and the model "
            f"{listed(model.markers) or 'none'}."
        )
    missing, others = [n for n in found if n not in there], [n for n in rec.markers if n not in there.values()]
    told = {"the model's markers that {} does not have": missing, "markers of {} that the model does not have": others}
    told["markers of {} that were never seen"] = hidden
    source = Path(rec.source).name or "the recording"
    notes += [f"{what.format(repr(source))} are left out: {listed(names)}." for what, names in told.items() if names]
    return {name: label for name, label in there.items() if label not in hidden}


def _with_fixed(model: OsimModel, locked: set[str]) -> Mechanism:
    """The bodies and markers of the model, with some joints fixed as they are by default."""
    mech, poses = model.mech, body_poses(model.mech, model.default)
    found = Mechanism(gravity=mech.gravity)
    for name in mech.bodies:
        found.add_body(name, Inertia(0.0))
    for name, joint in mech.joints.items():
        if name in locked:
            pose = poses[joint.child] if joint.parent == WORLD else poses[joint.parent].inverse() @ poses[joint.child]
            found.add_joint(name, Fixed(), joint.parent, joint.child, parent_pose=pose)
        else:
            found.add_joint(name, joint.type, joint.parent, joint.child, joint.parent_pose, joint.child_pose)
    for name in model.markers:
        found.add_frame(name, mech.frames[name].body, mech.frames[name].pose)
    return found
