"""A mechanism at a moment: where its bodies are."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..show.solids import rows_of

Array = NDArray[np.float64]


class Placed:
    """A mechanism, its state, and the poses of its bodies in the world."""

    def __init__(self, mech: Mechanism, state: State) -> None:
        self.mech, self.state = mech, state
        self.rows = rows_of(mech, state)
        self.index = {name: k for k, name in enumerate((*mech.structure.row_of, WORLD))}

    @cached_property
    def quaternions(self) -> Array:
        """(bodies + 1, 4): orientations, the real part first, in the order of `rows`."""
        found: Array = Rotation.from_matrix(self.rows[:, :9].reshape(-1, 3, 3)).as_quat(scalar_first=True)
        return found

    def pose(self, body: str) -> Pose:
        """Where a body is."""
        return Pose.from_row(self.rows[self.index[body]])

    @cached_property
    def poses(self) -> dict[str, Pose]:
        """Where all of them are, and the world."""
        return {name: self.pose(name) for name in self.index}

    def at(self, body: str, point: ArrayLike) -> Array:
        """(3,): a point of a body in the world."""
        row = self.rows[self.index[body]]
        found: Array = row[:9].reshape(3, 3) @ np.asarray(point, float) + row[9:]
        return found

    def into(self, body: str, place: ArrayLike) -> Array:
        """(3,): a place in the world as a point of a body."""
        row = self.rows[self.index[body]]
        found: Array = row[:9].reshape(3, 3).T @ (np.asarray(place, float) - row[9:])
        return found

    def centre(self, body: str) -> Array:
        """(3,): the centre of mass of a body in the world; of the world itself its origin."""
        return self.at(body, self.mech.bodies[body].inertia.com) if body != WORLD else np.zeros(3)

    def joint(self, name: str) -> Array:
        """(3,): where a joint is, in the world: its frame on its child."""
        joint = self.mech.joints[name]
        return self.at(joint.child, joint.child_pose.translation)
