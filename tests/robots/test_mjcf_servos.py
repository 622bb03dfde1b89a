"""Servos and motors of MJCF files: their torques are MuJoCo's, for any control."""

import warnings

import mujoco
import numpy as np
import pytest

import regraft as rg
from robots.mujoco_models import FILES, MENAGERIE, MESHES_ARE_ELSEWHERE, UNREADABLE, Peer, plain

BOUND = 1e-9
DRIVEN = {
    f"{file.parent.name}/{file.stem}": file
    for file in FILES
    if f"{file.parent.name}/{file.stem}" not in (*UNREADABLE, *MESHES_ARE_ELSEWHERE) and "<actuator" in file.read_text()
}


def random_controls(model, rng):
    """Controls within their bounds and beyond them."""
    lower, upper = model.actuator_ctrlrange.T
    room, limited = 0.3 * (upper - lower), model.actuator_ctrllimited.astype(bool)
    return rng.uniform(np.where(limited, lower - room, -2.0), np.where(limited, upper + room, 2.0))


def drive(peer, mech, controls):
    """Give MuJoCo these controls; filters are where they come to rest, and what the mechanism does not have is still."""
    model, data = peer.model, peer.data
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    kept = [
        number for number in range(model.nu) if not model.actuator(number).name or model.actuator(number).name in mech.actuators
    ]
    gone = [number for number in range(model.nu) if number not in kept]
    model.actuator_gainprm[gone] = model.actuator_biasprm[gone] = 0.0
    data.ctrl[:] = controls
    within = np.where(model.actuator_ctrllimited, np.clip(controls, *model.actuator_ctrlrange.T), controls)
    for number in np.flatnonzero(model.actuator_actadr >= 0):
        data.act[model.actuator_actadr[number]] = within[number]
    return kept


def compared(mech, peer, seed):
    """The largest errors of the actuators' torques and of the accelerations, relative to the largest of them."""
    rng = np.random.default_rng(seed + 100)
    qpos, qvel = peer.random(seed)
    controls = random_controls(peer.model, rng)
    kept = drive(peer, mech, controls)
    peer.set(qpos, qvel)
    state = peer.state(mech, qpos, qvel)
    torques, wanted = rg.control_torques(mech, state, controls[kept]), peer.turns(qpos).T @ peer.data.qfrc_actuator
    found = rg.forward_dynamics(mech, state, torques)
    errors = ((torques, wanted), (found, peer.acceleration()))
    return tuple(np.abs(one - other).max() / (np.abs(other).max() or 1.0) for one, other in errors)


@pytest.mark.parametrize("name", DRIVEN)
@pytest.mark.parametrize("seed", range(3))
def test_torques_and_accelerations_are_those_of_mujoco(name, seed):
    mech, peer = plain(rg.read(DRIVEN[name], ignore="all").mech, "friction", "limits", loops=False), Peer(DRIVEN[name])
    assert max(compared(mech, peer, seed)) < BOUND


@pytest.mark.parametrize("name", ["franka_emika_panda/panda", "unitree_g1/g1"])
def test_a_robot_with_servos_is_loaded_and_the_report_says_when_they_act(name):
    if not MENAGERIE.is_dir():
        pytest.skip("the menagerie's files are not beside the project")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert rg.load(DRIVEN[name]).actuators
    (told,) = [one for one in rg.read(DRIVEN[name]).report.findings if one.kind == "servo"]
    assert not told.dynamics
    assert "only where they are given controls" in told.message


ARM = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j" axis="0 1 0" ref="0.3" {j}/>
<geom size=".1" pos="0 0 .4"/><body name="b" pos="0 0 .5"><joint name="k" type="slide" axis="1 0 1" ref="-0.2" {k}/>
<geom size=".1" pos=".1 0 .2"/><body name="c" pos="0 0 .5"><joint name="l" axis="1 0 0"/><geom size=".05" pos="0 .2 .2"/></body>
</body></body></worldbody><tendon><fixed name="t" {t}><joint joint="j" coef="0.7"/><joint joint="k" coef="-2"/></fixed></tendon>
<actuator>{actuators}</actuator></mujoco>"""
LAWS = {
    "position": '<position name="p" joint="j" kp="50" kv="3" ctrlrange="-1 2" gear="4"/>',
    "velocity": '<velocity name="p" joint="k" kv="7" gear="-3"/>',
    "damping ratio": '<position name="p" joint="j" kp="50" dampratio="0.8"/>',
    "affine gain": '<general name="p" joint="j" gear="2" gaintype="affine" gainprm="2 3 -1" biastype="affine" biasprm="1 -2 3"/>',
    "constant bias": '<general name="p" joint="k" gainprm="0" biastype="affine" biasprm="5 0 0"/>',
    "in the parent": '<position name="p" jointinparent="j" kp="5" gear="2"/>',
    "stronger one way": '<position name="p" joint="j" kp="500" forcerange="-1 30"/><motor name="q" joint="k" ctrlrange="-3 1"/>',
    "tendon": '<position name="p" tendon="t" kp="20" kv="2" gear="-1.5" forcerange="-9 9"/><motor name="q" joint="j" gear="2"/>',
    "filter": '<position name="p" joint="j" kp="20" kv="1" timeconst="0.1"/>',
    "several on a joint": '<position name="p" joint="j" kp="20"/><velocity name="q" joint="j" kv="2"/><motor joint="j"/>',
}


@pytest.fixture
def arm(tmp_path):
    def written(law, j="", k="", t=""):
        file = tmp_path / "arm.xml"
        file.write_text(ARM.format(actuators=LAWS.get(law, law), j=j, k=k, t=t))
        return file

    return written


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", range(5))
def test_each_law_is_that_of_mujoco_before_and_after_writing(arm, tmp_path, law, seed):
    file = arm(law)
    mech = rg.read(file).mech
    assert max(compared(mech, Peer(file), seed)) < BOUND
    mech.save(tmp_path / "again.xml")
    again = rg.read(tmp_path / "again.xml").mech
    assert again.actuators == mech.actuators
    assert max(compared(again, Peer(tmp_path / "again.xml"), seed)) < BOUND


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bounded", [{"j": 'actuatorfrcrange="-4 4"'}, {"t": 'actuatorfrcrange="-3 2"'}])
def test_joints_and_tendons_bound_what_their_actuators_do(arm, bounded, seed):
    file = arm('<position name="p" tendon="t" kp="200"/><motor name="q" joint="j" gear="20"/>', **bounded)
    assert max(compared(rg.read(file).mech, Peer(file), seed)) < BOUND


def test_controls_that_the_file_does_not_clamp_are_not_clamped(arm):
    file = arm('<position name="p" joint="j" kp="5" ctrlrange="-1 1"/>')
    file.write_text(file.read_text().replace("<worldbody>", '<option><flag clampctrl="disable"/></option><worldbody>', 1))
    reading = rg.read(file)
    assert any(one.part == "clampctrl" for one in reading.report.findings)
    assert rg.control_torques(reading.mech, reading.mech.state(), {"p": 7.0})[0] == 35.0


@pytest.mark.parametrize(
    ("actuator", "kind", "dynamics"),
    [
        ('<muscle name="p" joint="j" lengthrange="0 1"/>', "muscle", True),
        ('<intvelocity name="p" joint="j" kp="3" actrange="-1 1"/>', "integrator", True),
        ('<cylinder name="p" joint="j" timeconst="0.2" area="2"/>', "delay", False),
        ('<general name="p" joint="j" dyntype="integrator" actrange="-1 1"/>', "integrator", False),
        ('<position name="p" joint="j" timeconst="0.1"/>', "delay", False),
    ],
)
def test_what_is_no_law_of_control_and_state_is_listed(arm, actuator, kind, dynamics):
    file = arm(actuator)
    reading = rg.read(file, ignore="actuator")
    (told,) = [one for one in reading.report.findings if one.kind == "actuator"]
    assert kind in told.message
    assert told.dynamics == dynamics
    if dynamics:
        with pytest.raises(rg.FileError, match=kind):
            rg.read(file)
        assert reading.mech.actuators["p"].is_motor
    else:
        rg.read(file)


def test_rotors_that_tendons_drive_are_told(arm):
    if not hasattr(mujoco.MjModel, "actuator_armature"):
        pytest.skip("this version of MuJoCo has no rotors of actuators")
    with pytest.raises(rg.FileError, match="its rotor has armature"):
        rg.read(arm('<motor name="p" tendon="t" armature="0.1"/>'))


def test_urdf_keeps_servos_for_regraft_and_says_so(arm, tmp_path):
    mech = rg.read(arm("tendon")).mech
    mech.add_actuator("r", "l", gain=3.0, bias=(1.0, -2.0, 0.5), control_range=(-1.0, None), force_range=(-2.0, 5.0))
    mech.add_actuator("s", "l", gear=7.0, effort=3.0)
    with pytest.warns(rg.RegraftWarning, match="no servos.*'p' and 'r'|no servos.*'p', 'r'"):
        mech.save(tmp_path / "arm.urdf")
    again = rg.read(tmp_path / "arm.urdf").mech
    assert list(again.actuators.items()) == list(mech.actuators.items())


def test_a_transmission_that_was_changed_by_hand_wins_over_what_regraft_wrote(arm, tmp_path):
    mech = rg.read(arm("position")).mech
    with pytest.warns(rg.RegraftWarning, match="servos"):
        mech.save(tmp_path / "arm.urdf")
    text = (tmp_path / "arm.urdf").read_text()
    assert text.count("<mechanicalReduction>4") == 1
    (tmp_path / "arm.urdf").write_text(text.replace("<mechanicalReduction>4", "<mechanicalReduction>5"))
    changed = rg.read(tmp_path / "arm.urdf").mech.actuators["p"]
    assert changed.gear == 5.0
    assert changed.is_motor
