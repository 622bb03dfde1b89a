"""The closed circle through files: what was simulated is written, read and inverted, and torques and reactions come back.

Positions alone are in a file. Splines of degree 5 through samples at a distance h have second derivatives that are off by some
h⁴ x⁽⁶⁾ / 720 within a record and a few hundred times that at its ends. Joints here move with up to 8 rad/s (x⁽⁶⁾ ≈ 10⁵ rad/s⁶ for
an amplitude of a few tenths), so at 200 frames a second accelerations are good to 10⁻⁶ rad/s² at the ends, and torques to 10⁻⁷ of
weight times metre. Numbers are written with all of their digits: rounding them would cost 2 ε / h² in accelerations, and that is
what the single precision of C3D files does, with ε = 3·10⁻⁸ m for a point that is a metre away.
"""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

import regraft as rg
from mocap import circles
from mocap.performed import performed, stepping, swinging
from mocap.simulated import lifted
from regraft.mocap import Motion, Plate, Recording
from regraft.mocap.gait_result import pressure_of

KINDS = {
    "bvh": circles.skeleton_kind,
    "trc": lambda: circles.marker_kind(circles.through_trc),
    "arrays": lambda: circles.marker_kind(circles.as_arrays),
    "mot": lambda: circles.model_kind(circles.coordinates),
    "trc and model": lambda: circles.model_kind(circles.model_markers),
}
LOADS = """<OpenSimDocument Version="40000"><ExternalLoads name="x"><objects>{loads}</objects>
<datafile>plates.mot</datafile></ExternalLoads></OpenSimDocument>"""
LOAD = """<ExternalForce name="{side}"><applied_to_body>{foot}</applied_to_body>
<force_expressed_in_body>ground</force_expressed_in_body><point_expressed_in_body>ground</point_expressed_in_body>
<force_identifier>{side}_ground_force_v</force_identifier><point_identifier>{side}_ground_force_p</point_identifier>
<torque_identifier>{side}_ground_torque_</torque_identifier></ExternalForce>"""
EXACT = 1e-6  # of the body weight, and of weight times metre


@cache
def known(kind, what):
    """A motion of a body of that kind, and how it is written and read."""
    found = KINDS[kind]()
    if callable(found.standing):
        found = found._replace(standing=found.standing(Path(mkdtemp())))
    mech, feet = found.standing.mech, found.feet
    state = mech.state(found.standing.q[0])
    if what == "one foot":
        state, acts = lifted(mech, state, "right"), swinging(mech, feet[:1], still=found.still)
    elif what == "stepping":
        state, acts = stepping(mech, state, *feet)
    else:
        acts = swinging(mech, feet if what == "two feet" else (), still=found.still)
    return found, performed(mech, state, acts, step=0.0025 if what == "two feet" else 0.005)


def circle(kind, what, folder):
    """What was simulated, and the gait that comes back."""
    found, own = known(kind, what)
    mech = found.standing.mech
    again = found.again(Motion(mech, own.t, own.q, own.v, own.a), folder)
    assert set(again.mech.joints) == set(mech.joints)
    tau = {name: own.tau[:, mech.v_slice(name)] for name in mech.layout.names}
    feet = dict(zip(("left", "right"), found.feet, strict=True))
    return own._replace(tau=tau), rg.mocap.analyse(again, cutoff=None), feet


def plates_file(own, feet, folder):
    """The forces of the ground as a table with two plates."""
    plates = []
    for side, foot in feet.items():
        wrench = own.reactions[foot]
        point, turning = pressure_of(wrench, np.zeros(len(own.t)))
        plates.append(Plate(f"{side}_ground_force", own.t, wrench[:, 3:], point, np.outer(turning, (0.0, 0.0, 1.0))))
    Recording("plates", own.t, plates=tuple(plates)).save(folder / "plates.mot")
    return folder / "plates.mot"


def worst_torque(own, gait, frames=slice(None)):
    return max(np.abs(gait.moment[name] - own.tau[name])[frames].max() for name in gait.moment) / (gait.mass * 9.81)


def worst_reaction(own, gait, feet, frames=slice(None)):
    """Of forces in body weights, and of moments about the world's origin in weight times metre."""
    found = []
    for side, foot in feet.items():
        if foot in own.reactions:
            force, at = gait.reaction[side], np.nan_to_num(gait.pressure[side])
            moment = np.cross(at, force) + np.outer(gait.free_moment[side], (0.0, 0.0, 1.0))
            found.append(np.abs(np.concatenate((moment, force), axis=1) - own.reactions[foot])[frames].max())
    return max(found) / (gait.mass * 9.81)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["one foot", "flight"])
def test_torques_and_reactions_come_back_from_a_file(kind, what, tmp_path):
    own, gait, feet = circle(kind, what, tmp_path)
    assert set(gait.phase) == {"left" if what == "one foot" else "none"}
    assert worst_torque(own, gait) < EXACT
    assert np.abs(gait.residual).max() < EXACT * gait.mass * 9.81
    if what == "one foot":
        assert worst_reaction(own, gait, feet) < EXACT
    else:
        assert all((force == 0.0).all() for force in gait.reaction.values())


@pytest.mark.parametrize("kind", KINDS)
def test_on_two_feet_with_plates_torques_come_back_from_files(kind, tmp_path):
    own, gait, feet = circle(kind, "two feet", tmp_path)
    gait = rg.mocap.analyse(gait.motion, plates=plates_file(own, feet, tmp_path), cutoff=None)
    assert set(gait.phase) == {"both"}
    assert gait.measured == ("left", "right")
    assert worst_torque(own, gait) < EXACT
    assert worst_reaction(own, gait, feet) < EXACT
    assert np.abs(gait.residual).max() < EXACT * gait.mass * 9.81


@pytest.mark.parametrize("kind", ["bvh", "mot"])
def test_from_one_foot_to_the_other(kind, tmp_path):
    """Without plates wherever one foot stands; with plates always."""
    own, gait, feet = circle(kind, "stepping", tmp_path)
    alone = (gait.phase == "left") | (gait.phase == "right")
    assert list(dict.fromkeys(gait.phase[alone])) == ["left", "right"]
    assert 0.2 < alone.mean() < 0.8  # feet begin and end a step slowly, and count as standing meanwhile
    assert worst_torque(own, gait, alone) < EXACT
    assert worst_reaction(own, gait, feet, alone) < EXACT
    plates_file(own, feet, tmp_path)
    loads = "".join(LOAD.format(side=side, foot=foot) for side, foot in feet.items())
    (tmp_path / "loads.xml").write_text(LOADS.format(loads=loads))
    measured = rg.mocap.analyse(gait.motion, plates=tmp_path / "loads.xml", cutoff=None)
    assert worst_torque(own, measured) < EXACT
    assert worst_reaction(own, measured, feet) < EXACT


def test_a_c3d_file_has_the_digits_of_single_precision(tmp_path):
    """Points a metre away are rounded by 3·10⁻⁸ m, accelerations by some 2·10⁻³ m/s²: some 10⁻³ of the weight at the ends."""
    pytest.importorskip("ezc3d", reason="needs ezc3d: pip install 'regraft[c3d]'")
    found, own = known("arrays", "one foot")
    single = circles.marker_kind(circles.through_c3d).again(Motion(found.standing.mech, own.t, own.q, own.v, own.a), tmp_path)
    gait = rg.mocap.analyse(single, cutoff=None)
    off = np.abs(gait.reaction["left"] - own.reactions["left_foot"][:, 3:]).max() / (gait.mass * 9.81)
    assert set(gait.phase) == {"left"}
    assert EXACT < off < 2e-2


def test_all_trials_of_a_person_have_the_body_of_the_one_in_which_it_stands(tmp_path):
    """Without that one, height, masses and soles are guessed from each motion by itself."""
    found, own = known("bvh", "one foot")
    again = found.again(Motion(found.standing.mech, own.t, own.q, own.v, own.a), tmp_path)
    alone = rg.mocap.body(rg.mocap.load(tmp_path / "own.bvh", keep_first_frame=True), circles.MASS, cutoff=None)
    wanted, same, other = (m.mech.bodies["right_foot"].inertia.com for m in (found.standing, again, alone))
    np.testing.assert_allclose(same, wanted, atol=1e-12)
    assert np.abs(other - wanted).max() > 1e-3


def test_a_static_trial_must_be_of_the_same_skeleton():
    still = circles.skeleton("HumanIK", n=30)
    with pytest.raises(rg.ModelError, match=r"static='figure.bvh' must have the bones of 'figure.bvh'"):
        rg.mocap.body(still, circles.MASS, static=circles.skeleton("Xsens", n=30))
    nowhere = still.turns * np.nan
    with pytest.raises(rg.ModelError, match=r"static='figure.bvh' has no frame in which every bone was recorded"):
        rg.mocap.body(still, circles.MASS, static=Recording("figure.bvh", still.t, still.bones, nowhere, still.origins))


def test_somebody_with_markers_who_stands_still_has_a_body_too():
    """Segments that markers show are bodies, even where they do not move."""
    still = circles.marker_figures.walker(n=30, size=0.0)[0]
    assert "trunk" in rg.mocap.body(still, circles.MASS, cutoff=None).mech.bodies


def test_a_static_trial_of_somebody_else_or_in_another_unit_is_refused():
    still = circles.skeleton("HumanIK", n=30)
    with pytest.raises(rg.ModelError, match=r"static= is of somebody .* of one person, and in one unit \(scale="):
        rg.mocap.body(still, circles.MASS, static=circles.skeleton("HumanIK", n=30, height=17.5))
