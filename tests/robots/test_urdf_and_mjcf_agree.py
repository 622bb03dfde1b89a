"""Robots that are there as URDF and as MJCF, by different hands: they are the same robots."""

import numpy as np
import pytest

import regraft as rg
from robots.mujoco_models import MENAGERIE, SHARED, plain

PAIRS = {
    "panda": ("panda.urdf", "franka_emika_panda/panda.xml", None, 1e-9),
    "g1": ("g1_29dof_rev_1_0.urdf", "unitree_g1/g1.xml", "free", 2.7e-5),
    "so101": ("so101.urdf", "robotstudio_so101/so101.xml", None, 6e-5),
}
"""The two files, how the robot stands, and ten times how far they are apart, as their numbers are rounded in different ways."""
REACH = {rg.Prismatic: 0.02}  # of fingers; other joints turn


def partner(mech, joint, kind):
    """The joint of the other file: that of the same name but for a prefix, or the one free joint."""
    if kind.nv == 6:
        return next(name for name, other in mech.joints.items() if other.type.nv == 6)
    return joint.removeprefix("panda_")


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_mass_matrices_agree_but_for_rotors(name, seed):
    urdf, mjcf, base, bound = PAIRS[name]
    if not (SHARED / "urdf" / urdf).is_file():
        pytest.skip("the robots' files are not beside the project")
    one = plain(rg.read(SHARED / "urdf" / urdf, ignore="all", base=base).mech, "armature", loops=False)
    two = plain(rg.read(MENAGERIE / mjcf, ignore="all").mech, "armature", loops=False)
    reach = [REACH.get(type(one.joints[name].type), 1.0) for name in one.layout.names for _ in range(one.joints[name].type.nv)]
    state = one.state(rg.integrate(one, one.state().q, np.random.default_rng(seed).uniform(-1.0, 1.0, one.nv) * reach))
    joints = {joint: partner(two, joint, one.joints[joint].type) for joint in one.layout.names if one.joints[joint].type.nv}
    there = two.state({other: state[joint].q for joint, other in joints.items()})
    M = rg.mass_matrix(one, state)
    order = [i for joint in joints for i in range(two.v_slice(joints[joint]).start, two.v_slice(joints[joint]).stop)]
    other = rg.mass_matrix(two, there)[np.ix_(order, order)]
    assert M.shape == other.shape
    assert np.abs(M - other).max() < bound * np.abs(M).max()
    assert np.allclose(rg.center_of_mass(one, state), rg.center_of_mass(two, there), rtol=0, atol=1e-4)
