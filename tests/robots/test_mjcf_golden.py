"""Every MJCF file that is at hand, against MuJoCo's own answers, with contacts, limits and dry friction off."""

import numpy as np
import pytest

import regraft as rg
from robots.mujoco_models import FILES, MENAGERIE, MENAGERIE_FILES, MESHES_ARE_ELSEWHERE, UNREADABLE, Peer, plain

BOUND = 1e-9


def name_of(file):
    return f"{file.parent.name}/{file.stem}"


EVERY_FILE = pytest.mark.parametrize("file", FILES, ids=name_of)


@pytest.fixture
def read():
    """Reads a file and has MuJoCo compile it by itself; skips what MuJoCo refuses and what has no mass."""

    def both(file, **options):
        name = name_of(file)
        if name in UNREADABLE:
            pytest.skip(f"MuJoCo refuses it: it {UNREADABLE[name]}")
        if name in MESHES_ARE_ELSEWHERE:
            pytest.skip("the meshes that its masses come from are not in the package")
        return rg.read(file, ignore="all"), Peer(file, **options)

    return both


def error(found, wanted):
    """The largest difference, relative to the largest number that is wanted."""
    if wanted.size == 0:
        return 0.0 if found.size == 0 else np.inf
    return np.abs(found - wanted).max() / (np.abs(wanted).max() or 1.0)


def same_dynamics(mech, peer, seed):
    """Poses, mass matrix, bias force and forward dynamics, in one random state."""
    qpos, qvel = peer.random(seed)
    peer.set(qpos, qvel)
    state = peer.state(mech, qpos, qvel)
    assert np.array_equal(state.q, qpos)
    poses = rg.body_poses(mech, state)
    for body in range(1, peer.model.nbody):
        pose = poses[peer.model.body(body).name or f"body_{body}"]
        assert error(pose.translation, peer.data.xpos[body]) < BOUND
        assert error(pose.rotation, peer.data.xmat[body].reshape(3, 3)) < BOUND
    if mech.nv == 0:
        return
    assert error(rg.mass_matrix(mech, state), peer.mass_matrix()) < BOUND
    assert error(rg.inverse_dynamics(mech, state, np.zeros(mech.nv)), peer.bias_force()) < BOUND
    assert error(rg.forward_dynamics(mech, state), peer.acceleration()) < BOUND


@EVERY_FILE
@pytest.mark.parametrize("seed", [0, 1])
def test_a_tree_moves_as_in_mujoco(read, file, seed):
    reading, peer = read(file)
    same_dynamics(plain(reading.mech, "friction", "limits", loops=False), peer, seed)


@EVERY_FILE
def test_a_tree_moves_as_in_mujoco_without_rotors_and_springs(read, file):
    reading, peer = read(file, passive=False)
    mech = plain(reading.mech, "friction", "limits", "armature", "stiffness", "rest", loops=False)
    same_dynamics(mech, peer, 2)


@EVERY_FILE
def test_it_starts_where_mujoco_does(read, file):
    reading, peer = read(file)
    assert error(reading.state.q, peer.model.qpos0) < 1e-15
    assert not reading.state.v.any()


@EVERY_FILE
def test_keyframes_are_those_of_mujoco(read, file):
    reading, peer = read(file)
    assert len(reading.mech.keyframes) == peer.model.nkey
    for number, name in enumerate(reading.mech.keyframes):
        assert error(reading.mech.keyframe(name).q, peer.model.key_qpos[number]) < 1e-15


@pytest.mark.parametrize("file", [file for file in FILES if name_of(file) in UNREADABLE], ids=name_of)
def test_what_mujoco_refuses_is_a_named_error(file):
    with pytest.raises(rg.FileError, match="MuJoCo cannot read it"):
        rg.read(file)


def test_the_menagerie_is_there():
    if not MENAGERIE.is_dir():
        pytest.skip("the menagerie's files are not beside the project")
    assert len(MENAGERIE_FILES) >= 6
