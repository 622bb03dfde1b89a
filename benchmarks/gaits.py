"""Ground reactions and joint moments of a recorded walk, beside a loop over Pinocchio's inverse dynamics."""

from __future__ import annotations

import pinocchio as pin

import regraft as rg
from subjects import PinocchioTwin
from timing import Comparison, compare

CYCLES = 88  # 10 000 frames


def gait_comparison() -> Comparison:
    """Per frame: ours finds the phases, makes the standing foot the root, inverts, and shares loads; theirs inverts."""
    motion = rg.mocap.normal_walk(cycles=CYCLES).motion
    twin = PinocchioTwin(motion.mech)
    data = twin.model.createData()
    state = motion.mech.state(motion.q[100], motion.v[100])
    q, v, a = twin.q(state), twin.T(state) @ motion.v[100], twin.T(state) @ motion.a[100]

    def theirs() -> object:
        return pin.rnea(twin.model, data, q, v, a)

    both = float((rg.mocap.analyse(motion).phase == "both").mean())
    what = f"joint moments of a walk of {len(motion.t)} frames, per frame ({100 * both:.0f} % on both feet)"
    figure = f"figure of {motion.mech.nv} dof"
    return compare(what, figure, lambda: rg.mocap.analyse(motion), "pin.rnea from Python", theirs, None, len(motion.t), 1)
