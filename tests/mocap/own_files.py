"""Files of recordings with known answers: skeletons written by hand, and where their joints then are, found on another way."""

import math

import numpy as np
import pytest

import regraft as rg
from regraft.mocap import Bone, Recording

CHANNELS = [f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ"]


def rotate(axis, degrees, vector):
    """A vector turned about x, y or z."""
    i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = list(vector)
    turned[i], turned[j] = c * vector[i] - s * vector[j], s * vector[i] + c * vector[j]
    return turned


def assert_refused(path, words):
    """A file that cannot be read is an error that has all these words."""
    with pytest.raises(rg.FileError) as caught:
        rg.mocap.load(path)
    for word in words:
        assert word in str(caught.value)


class OwnSkeleton:
    """A random tree of joints with random channels, its BVH text, and the world positions of its joints by plain recursion."""

    def __init__(self, seed, *, frames=6):
        draw = np.random.default_rng(seed)
        self.parents = [-1] + [int(draw.integers(0, k)) for k in range(1, int(draw.integers(2, 9)))]
        self.names = [f"Joint {k}" if draw.random() < 0.3 else f"bone{k}" for k in range(len(self.parents))]
        self.offsets = [np.zeros(3)] + [draw.normal(size=3) for _ in self.parents[1:]]
        self.channels, self.values = [], []
        for k in range(len(self.parents)):
            chosen = list(draw.permutation(CHANNELS)) if k == 0 else self.some_channels(draw)
            self.channels.append(chosen)
            self.values.append([[self.value(draw, word, k) for word in chosen] for _ in range(frames)])
        self.frames = frames

    @staticmethod
    def some_channels(draw):
        turns = list(draw.choice(CHANNELS[3:], size=int(draw.integers(0, 4)), replace=bool(draw.random() < 0.3)))
        return list(draw.permutation(CHANNELS)) if draw.random() < 0.2 else turns

    def value(self, draw, word, joint):
        if "rotation" in word:
            return float(draw.uniform(-180, 180))
        return float(draw.normal() * 0.01 + self.offsets[joint]["XYZ".index(word[0])])  # around the offset: in place of it

    def point(self, frame, joint, place=(0.0, 0.0, 0.0)):
        """A place in the axes of a joint, in the axes of the file's world."""
        while joint >= 0:
            origin = list(self.offsets[joint])
            for word, value in reversed(list(zip(self.channels[joint], self.values[joint][frame], strict=True))):
                if "rotation" in word:
                    place = rotate(word[0], value, place)
                else:
                    origin["XYZ".index(word[0])] = value
            place = [a + b for a, b in zip(place, origin, strict=True)]
            joint = self.parents[joint]
        return place

    def points(self):
        return np.array([[self.point(f, k) for k in self.order()] for f in range(self.frames)])

    def order(self):
        """The joints as a file lists them."""
        found = []

        def visit(k):
            found.append(k)
            for child, parent in enumerate(self.parents):
                if parent == k:
                    visit(child)

        visit(0)
        return found

    def text(self, newline="\n", frame_time="0.01"):
        lines = ["HIERARCHY"]

        def visit(k):
            lines.extend(
                [f"{'JOINT' if k else 'ROOT'} {self.names[k]}", "{", "OFFSET " + " ".join(map(repr, map(float, self.offsets[k])))]
            )
            if self.channels[k] or k % 2:
                lines.append(" ".join(["CHANNELS", str(len(self.channels[k])), *self.channels[k]]))
            children = [child for child, parent in enumerate(self.parents) if parent == k]
            for child in children:
                visit(child)
            if not children:
                lines.extend(["End Site", "{", "OFFSET 0 1e-1 0", "}"])
            lines.append("}")

        visit(0)
        lines += ["MOTION", f"Frames: {self.frames}", f"Frame Time: {frame_time}"]
        for frame in range(self.frames):
            lines.append(" ".join(repr(value) for k in self.order() for value in self.values[k][frame]))
        return newline.join([*lines, ""])


def random_turns(draw, *shape):
    """Rotations from quaternions."""
    w, x, y, z = np.moveaxis((q := draw.normal(size=(*shape, 4))) / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def random_recording(seed, frames=7):
    """A recording that has everything: a skeleton, markers, columns and two force plates."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(1, 8))
    parents = [-1] + [int(draw.integers(0, k)) for k in range(1, count)]
    offsets = [np.zeros(3), *(draw.normal(size=3) for _ in parents[1:])]
    bones = tuple(
        Bone(f"bone {k}", None if p < 0 else f"bone {p}", offset, (draw.normal(size=3),) if k not in parents else ())
        for k, (p, offset) in enumerate(zip(parents, offsets, strict=True))
    )
    origins = np.tile(np.array(offsets), (frames, 1, 1))
    origins[:, 0] = draw.normal(size=(frames, 3))
    t = np.arange(frames) / 128
    markers = {f"marker {k}": draw.normal(size=(frames, 3)) for k in range(4)}
    markers["marker 2"][3] = np.nan
    from regraft.mocap import Plate

    plates = tuple(
        Plate(name, t, *(draw.normal(size=(frames, 3)) for _ in range(3))) for name in ("ground_force", "1_ground_force")
    )
    plates[1].force[2] = 0.0
    plates[1].point[2] = np.nan
    columns = {"knee": draw.normal(size=frames), "hip flexion": draw.normal(size=frames)}
    turns = random_turns(draw, frames, count)
    return Recording("own", t, bones, turns, origins, markers=markers, columns=columns, plates=plates, in_degrees=False)


WALKER = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {
    OFFSET 0 30 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT Head
    {
      OFFSET 0 35 0
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 0 15 0
      }
    }
  }
  JOINT LeftLeg
  {
    OFFSET 10 -45 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT LeftFoot
    {
      OFFSET 0 -42 0
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 0 -5 15
      }
    }
  }
}
MOTION
"""
"""A person of 1.69 m, in centimetres, y up, of whom one leg was left out."""


def walker(rows, frame_time="0.01", frames=None):
    """A file of that person; each row has 18 numbers, or is a text."""
    lines = [row if isinstance(row, str) else " ".join(map(str, row)) for row in rows]
    return f"{WALKER}Frames: {len(rows) if frames is None else frames}\nFrame Time: {frame_time}\n" + "\n".join([*lines, ""])


def walking(frames=20, first=None):
    """Rows of a smooth motion, perhaps with another one in front."""
    rows = []
    for k in range(frames):
        angles = [20.0 + 3.0 * math.sin(0.3 * k + j) for j in range(15)]
        rows.append([0.5 * k, 92.0, 1.0 * k, *angles])
    return ([first] if first is not None else []) + rows
