"""Files of motions that were simulated, in every format, and the bodies in motion that are made of them again."""

from typing import NamedTuple

import numpy as np

import regraft as rg
from mocap import marker_figures
from mocap.osim_files import Model, Part, axis, linear
from mocap.recorded_skeletons import skeleton
from regraft.mocap import Motion, Recording
from regraft.mocap.gait_cycles import body_places
from regraft.mocap.segments.figure import figure
from regraft.mocap.segments.names import roles

MASS = 70.0
_TURNS, _WAYS = ("tilt", "list", "turn"), ("tx", "ty", "tz")
_MARKERS = {
    "pelvis": ("0.1 0 0.12", "0.1 0 -0.12", "-0.12 0.02 0", "0 0.5 0.1"),
    "femur": ("0.05 -0.1 0.08", "0.02 -0.3 -0.06", "-0.05 -0.38 0.05"),
    "tibia": ("0.05 -0.1 0.05", "-0.04 -0.2 0.05", "0 -0.38 0.04"),
    "calcn": ("-0.02 0.02 0", "0.18 0.01 0.05", "0.2 0.02 -0.04"),
}


class Kind(NamedTuple):
    """How a body is described, written and read."""

    standing: Motion
    """The body, and a motion whose first frame is one in which it stands."""
    feet: tuple[str, str]
    """The bodies on the ground, left and right."""
    still: tuple[str, ...]
    """Joints that markers do not show, and that therefore must not move."""
    again: object
    """(motion, folder) -> Motion: to a file, and back."""


def skeleton_kind():
    """A skeleton in a BVH file; height, masses and soles are those of another one, in which the figure stands."""
    still = skeleton("HumanIK", n=30)
    fig = figure(still, roles(still.bones, None))

    def again(motion, folder):
        still.save(folder / "still.bvh")
        _as_skeleton(motion, fig).save(folder / "own.bvh")
        read = rg.mocap.load(folder / "own.bvh", keep_first_frame=True)
        standing = rg.mocap.load(folder / "still.bvh", keep_first_frame=True)
        return rg.mocap.body(read, MASS, static=standing, cutoff=None)

    standing = rg.mocap.body(still, MASS, static=still, cutoff=None)
    return Kind(standing, ("left_foot", "right_foot"), (), again)


def marker_kind(write):
    """Markers; `write(recording, folder)` puts them into a file and reads them again."""
    still = marker_figures.walker(n=30, size=0.0)[0]
    standing = rg.mocap.body(still, MASS, static=still, cutoff=None)

    def again(motion, folder):
        return rg.mocap.body(write(_as_markers(motion, still.markers), folder), MASS, static=still, cutoff=None)

    return Kind(standing, ("left_foot", "right_foot"), ("left_wrist", "right_wrist"), again)


def model_kind(write):
    """An OpenSim model; `write(motion, folder)` puts what it does into a file."""
    model = biped()
    labels = [name for name, _, _ in model.markers]

    def again(motion, folder):
        (folder / "biped.osim").write_text(model.new())
        return rg.mocap.motion(folder / "biped.osim", write(motion, folder, labels), cutoff=None)

    def standing(folder):
        (folder / "biped.osim").write_text(model.new())
        read = rg.mocap.read_osim(folder / "biped.osim")
        t, q = np.arange(2.0), np.tile(read.default.q, (2, 1))
        return Motion(read.mech, t, q, 0.0 * q, 0.0 * q, feet=read.feet)

    return Kind(standing, ("left_calcn", "right_calcn"), (), again)


# --- files -------------------------------------------------------------------------------------------------------------------


def through_trc(rec, folder):
    rec.save(folder / "own.trc")
    return rg.mocap.load(folder / "own.trc")


def as_arrays(rec, _):
    return rec


def through_c3d(rec, folder):
    import ezc3d

    c3d = ezc3d.c3d()
    c3d["parameters"]["POINT"]["RATE"]["value"] = [rec.rate]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = list(rec.markers)
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    c3d["data"]["points"] = np.ones((4, len(rec.markers), len(rec.t)))
    c3d["data"]["points"][:3] = 1000.0 * np.moveaxis(np.array(list(rec.markers.values())), -1, 0)
    c3d.write(str(folder / "own.c3d"))
    return rg.mocap.load(folder / "own.c3d")


def coordinates(motion, folder, _):
    """A table of coordinates, in degrees where they are angles."""
    mech = motion.mech
    numbers = {name: motion.q[:, mech.q_slice(name)] for name in mech.layout.names}
    columns = {name: x[:, 0] if name in _WAYS else np.degrees(x[:, 0]) for name, x in numbers.items() if x.size}
    Recording("own", motion.t, columns=columns, in_degrees=True).save(folder / "own.mot")
    return folder / "own.mot"


def model_markers(motion, folder, labels):
    _as_markers(motion, labels).save(folder / "own.trc")
    return folder / "own.trc"


# --- what a motion looks like --------------------------------------------------------------------------------------------------


def _as_markers(motion, labels):
    """Frames of the body that have the names of markers."""
    places = body_places(motion)
    tracks = {}
    for label in labels:
        frame = motion.mech.frames[label]
        here = places[:, motion.mech.structure.row(frame.body)]
        tracks[label] = here[:, :9].reshape(-1, 3, 3) @ frame.pose.translation + here[:, 9:]
    return Recording("own", motion.t, markers=tracks)


def _as_skeleton(motion, fig):
    """The bones of a figure; those that are no bodies keep their axes on what carries them."""
    places, structure = body_places(motion), motion.mech.structure
    bones, n = fig.rec.bones, len(motion.t)
    order = {bone.name: k for k, bone in enumerate(bones)}
    turns, origins = np.tile(fig.rec.turns[0], (n, 1, 1, 1)), np.tile(fig.rec.origins[0], (n, 1, 1))
    axes = np.empty_like(turns)
    for k, bone in enumerate(bones):
        above = np.eye(3) if bone.parent is None else axes[:, order[bone.parent]]
        if k in fig.bones:
            here = places[:, structure.row(fig.bodies[fig.bones.index(k)])]
            axes[:, k] = here[:, :9].reshape(-1, 3, 3)
            turns[:, k] = np.swapaxes(np.broadcast_to(above, axes[:, k].shape), 1, 2) @ axes[:, k]
            if bone.parent is None:
                origins[:, k] = here[:, 9:]
        else:
            axes[:, k] = above @ turns[:, k]
    return Recording("own", motion.t, bones, turns, origins)


def biped():
    """A figure of 70 kg on two legs, 18 degrees of freedom, as OpenSim has them: x to the front, y up, z to the right."""
    turns = zip(_TURNS, ("0 0 1", "1 0 0", "0 1 0"), strict=True)
    ways = zip(_WAYS, ("1 0 0", "0 1 0", "0 0 1"), strict=True)
    base = "".join(axis(f"rotation{k}", way, name, linear()) for k, (name, way) in enumerate(turns, 1))
    base += "".join(axis(f"translation{k}", way, name, linear()) for k, (name, way) in enumerate(ways, 1))
    trunk = {"mass": 40.0, "com": "0 0.3 0", "inertia": "2.5 0.9 2.3 0 0 0"}
    parts = [Part("pelvis", "ground", "CustomJoint", "ground_pelvis", (*_TURNS, *_WAYS), base, **trunk)]
    markers = [(f"pelvis_{k}", "pelvis", at) for k, at in enumerate(_MARKERS["pelvis"])]
    for side, z in (("left", -0.1), ("right", 0.1)):
        parts += _leg(side, z)
        for part in ("femur", "tibia", "calcn"):
            markers += [(f"{side}_{part}_{k}", f"{side}_{part}", at) for k, at in enumerate(_MARKERS[part])]
    return Model(parts, markers)


def _leg(side, z):
    femur, tibia, calcn = (f"{side}_{part}" for part in ("femur", "tibia", "calcn"))
    hip = tuple(f"{side}_hip_{way}" for way in ("flexion", "adduction", "rotation"))
    ankle = (f"{side}_ankle_angle", f"{side}_subtalar_angle")
    thigh = {"at": f"0 -0.07 {z}", "mass": 9.0, "com": "0 -0.17 0", "inertia": "0.14 0.04 0.15 0 0 0"}
    shank = {"at": "0 -0.4 0", "mass": 4.5, "com": "0 -0.19 0", "inertia": "0.06 0.01 0.06 0 0 0"}
    foot = {"at": "0 -0.4 0", "own_at": "0.05 0.06 0", "mass": 1.5, "com": "0.1 0.02 0", "inertia": "0.002 0.005 0.005 0 0 0"}
    return [
        Part(femur, "pelvis", "GimbalJoint", f"{side}_hip", hip, **thigh),
        Part(tibia, femur, "PinJoint", f"{side}_knee", (f"{side}_knee_angle",), **shank),
        Part(calcn, tibia, "UniversalJoint", f"{side}_ankle", ankle, **foot),
    ]
