"""Prescribed motion: joints that move as told, what follows, and the torque that it takes."""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import regraft as rg
from couplings.coupled_mechanisms import random_coupled
from loops.closed_mechanisms import random_closed
from random_mechanisms import random_sample, relative_error

SEEDS = st.integers(0, 2**32 - 1)


def slider_crank(radius=0.3, rod=0.8):
    """A crank, a connecting rod and a piston on a slide along x; the joint between the last two closes the loop."""
    mech = rg.Mechanism()
    mech.add_body("crank", rg.Inertia.cylinder(2.0, 0.02, (0, 0, 0), (radius, 0, 0)))
    mech.add_body("rod", rg.Inertia.cylinder(1.0, 0.02, (0, 0, 0), (rod, 0, 0)))
    mech.add_body("piston", rg.Inertia.box(1.5, (0.1, 0.1, 0.1)))
    hinge = rg.Revolute((0, 1, 0))
    mech.add_joint("motor", hinge, "world", "crank")
    mech.add_joint("big end", hinge, "crank", "rod", rg.Pose(translation=(radius, 0, 0)))
    mech.add_joint("slide", rg.Prismatic((1, 0, 0)), "world", "piston", rg.Pose(translation=(radius + rod, 0, 0)))
    mech.add_joint("small end", hinge, "rod", "piston", rg.Pose(translation=(rod, 0, 0)))
    return mech


def turning(t):
    """An angle that speeds up and swings."""
    return (
        0.2 + 3.0 * t + 0.4 * np.sin(5.0 * t),
        3.0 + 2.0 * np.cos(5.0 * t),
        -10.0 * np.sin(5.0 * t),
    )


def started(mech, joint, motion, **others):
    q, v, _ = motion(0.0)
    return rg.assemble(mech, mech.state(q={joint: q, **others}, v={joint: v}), hold=joint)


def piston(angle, radius=0.3, rod=0.8):
    """Where the piston is, less where it starts; angles about y turn x to −z."""
    return radius * np.cos(angle) + np.sqrt(rod**2 - (radius * np.sin(angle)) ** 2) - radius - rod


@pytest.mark.parametrize("how", [{}, {"integrator": "rk4", "step": 2e-3}])
def test_a_prescribed_crank_moves_the_piston_as_geometry_says(how):
    mech = slider_crank()
    traj = rg.simulate(mech, started(mech, "motor", turning), 2.0, prescribed={"motor": turning}, **how)
    motor, slide = traj.joint("motor"), traj.joint("slide")
    expected = np.array([turning(t)[:2] for t in traj.t])
    assert np.array_equal(motor.q, expected[:, 0])  # to the last digit
    assert np.array_equal(motor.v, expected[:, 1])
    assert np.abs(slide.q - piston(expected[:, 0])).max() < 1e-9
    assert traj.loop_error().position.max() < 1e-10
    between = traj.resample(0.0137)
    assert np.array_equal(between.joint("motor").q, [turning(t)[0] for t in between.t])


def test_the_torque_that_it_takes_drives_the_same_motion():
    mech = slider_crank()
    state = started(mech, "motor", turning)
    traj = rg.simulate(mech, state, 1.0, prescribed={"motor": turning}, torque={"slide": 2.0})

    def torque(t, mech, state):
        taken = rg.prescribed_torques(mech, state, {"motor": turning(t)[2]}, {"slide": 2.0})["motor"]
        return {"motor": taken, "slide": 2.0}

    driven = rg.simulate(mech, state, 1.0, torque=torque)
    assert np.abs(driven.final[1].q - traj.final[1].q).max() < 1e-6
    told = traj.torques()["motor"]
    assert np.allclose(told, [torque(t, *(mech, traj.state(t)))["motor"][0] for t in traj.t], rtol=1e-9, atol=1e-9)
    # work: what motor and slide put in is what energy gains
    energy, power = traj.energy().total, told * traj.joint("motor").v + 2.0 * traj.joint("slide").v
    gained = np.trapezoid(power, traj.t)
    assert gained == pytest.approx(energy[-1] - energy[0], abs=2e-2)
    fine = traj.resample(np.linspace(0.0, 1.0, 4001))
    power = fine.torques()["motor"] * fine.joint("motor").v + 2.0 * fine.joint("slide").v
    assert np.trapezoid(power, fine.t) == pytest.approx(energy[-1] - energy[0], abs=1e-4)


@settings(max_examples=40)
@given(SEEDS, st.integers(2, 7))
def test_prescribed_accelerations_against_dense_algebra(seed, bodies):
    rng = np.random.default_rng(seed)
    sample = random_sample(rng, bodies=bodies, damping=True, springs=1)
    mech, state = sample.mech, sample.state
    moving = [name for name in mech.layout.names if mech.joints[name].type.nv]
    assume(moving and mech.nv)
    chosen = [str(name) for name in rng.choice(moving, min(len(moving), 2), replace=False)]
    told = {name: rng.standard_normal(mech.joints[name].type.nv) for name in chosen}
    a = rg.forward_dynamics(mech, state, sample.tau, prescribed=told)
    held = np.zeros(mech.nv, bool)
    for name in chosen:
        held[mech.v_slice(name)] = True
        assert np.array_equal(a[mech.v_slice(name)], told[name])
    M, c = rg.mass_matrix(mech, state), rg.bias_force(mech, state)
    if not held.all():
        free = np.linalg.solve(M[np.ix_(~held, ~held)], (sample.tau - c)[~held] - M[np.ix_(~held, held)] @ a[held])
        assert relative_error(a[~held], free) < 1e-8
    torques = rg.prescribed_torques(mech, state, told, sample.tau)
    needed = M @ a + c - sample.tau
    for name in chosen:
        assert relative_error(torques[name], needed[mech.v_slice(name)]) < 1e-8


@settings(max_examples=40)
@given(SEEDS, st.integers(3, 6), st.booleans())
def test_prescribed_motion_in_closed_and_coupled_chains(seed, bodies, couple):
    """The accelerations are those of the same mechanism under the torques that the motion takes."""
    rng = np.random.default_rng(seed)
    if couple:
        mech, state = random_coupled(rng, bodies, 2)
    else:
        mech, state = random_closed(rng, bodies, 1, kinds=(rg.Spherical, rg.Cylindrical))
        state = rg.assemble(mech, state)
    moving = [name for name in mech.layout.names if mech.joints[name].type.nv]
    J = rg.loop_jacobian(mech, state, reduced=True)
    assume(moving and len(J) and np.linalg.svd(J, compute_uv=False).min() > 1e-2 and np.abs(state.v).max() < 30)
    name = str(rng.choice(moving))
    others = np.ones(mech.nv, bool)
    others[mech.v_slice(name)] = False
    assume(others.any() and len(J) <= others.sum() and np.linalg.svd(J[:, others], compute_uv=False).min() > 1e-2)
    told, tau = rng.standard_normal(mech.joints[name].type.nv), rng.standard_normal(mech.nv)
    a = rg.forward_dynamics(mech, state, tau, prescribed={name: told})
    assert np.array_equal(a[mech.v_slice(name)], told)
    total = tau.copy()
    total[mech.v_slice(name)] += rg.prescribed_torques(mech, state, {name: told}, tau)[name]
    assert relative_error(rg.forward_dynamics(mech, state, total), a) < 1e-7


def test_a_prescribed_gear_drives_its_partner():
    mech = rg.Mechanism()
    for name, mass in (("motor", 1.0), ("wheel", 3.0)):
        mech.add_body(name, rg.Inertia.sphere(mass, 0.1))
        mech.add_joint(name, rg.Revolute((0, 0, 1)), "world", name)
    mech.add_coupling("gear", "motor", "wheel", ratio=-2.0, offset=0.1)
    traj = rg.simulate(mech, started(mech, "motor", turning), 1.0, prescribed={"motor": turning})
    angles = np.array([turning(t) for t in traj.t])
    assert np.abs(traj.joint("wheel").q - (-2.0 * angles[:, 0] + 0.1)).max() < 1e-9
    inertia = 0.4 * 0.01 * (1.0 + 4.0 * 3.0)
    assert np.allclose(traj.torques()["motor"], inertia * angles[:, 2], rtol=1e-9, atol=1e-9)


def test_a_ball_joint_can_be_prescribed():
    """A body that turns about a fixed axis at a speed that changes, on a spherical joint; a pendulum hangs on it."""
    mech = rg.Mechanism()
    mech.add_body("head", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    mech.add_body("bob", rg.Inertia.sphere(0.5, 0.05))
    mech.add_joint("neck", rg.Spherical(), "world", "head")
    mech.add_joint(
        "chain", rg.Revolute((0, 1, 0)), "head", "bob", rg.Pose(translation=(0.2, 0, 0)), rg.Pose(translation=(0, 0, 0.4))
    )
    axis = np.array([1.0, 2.0, 2.0]) / 3.0

    def nod(t):
        angle, speed, rate = 0.5 * np.sin(3.0 * t), 1.5 * np.cos(3.0 * t), -4.5 * np.sin(3.0 * t)
        return np.concatenate(([np.cos(angle / 2)], np.sin(angle / 2) * axis)), speed * axis, rate * axis

    q, v, _ = nod(0.0)
    state = mech.state(q={"neck": q, "chain": 0.3}, v={"neck": v})
    traj = rg.simulate(mech, state, 1.5, prescribed={"neck": nod})
    other = rg.simulate(mech, state, 1.5, prescribed={"neck": nod}, integrator="rk4", step=1e-3)
    assert np.abs(traj.final[1].q[:4] - nod(1.5)[0]).max() < 1e-14  # a quaternion is made a unit one
    assert np.abs(traj.final[1].q - other.final[1].q).max() < 1e-8
    energy = traj.resample(np.linspace(0.0, 1.5, 3001))
    power = np.einsum("ij,ij->i", energy.torques()["neck"], energy.joint("neck").v)
    total = energy.energy().total
    assert np.trapezoid(power, energy.t) == pytest.approx(total[-1] - total[0], abs=1e-5)


def test_numba_functions_events_and_threads():
    mech = slider_crank()

    @numba.njit
    def steady(t):
        return 0.2 + 2.0 * t, 2.0, 0.0

    state = started(mech, "motor", steady)
    stop = rg.when_joint("slide", -0.2, rg.STOP, direction=0)

    def run(_):
        return rg.simulate(mech, state, 3.0, prescribed={"motor": steady}, events=stop)

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(run, range(4)))
    for traj in found:
        end = traj.final[1]
        assert end.q[mech.q_slice("slide")] == pytest.approx(-0.2, abs=1e-9)
        assert end.q[mech.q_slice("motor")][0] == steady(traj.t[-1])[0]
        assert np.array_equal(traj.t, found[0].t)


def test_a_prescribed_joint_may_go():
    """The rod is thrown: the motor's motion is prescribed until the joint is cut."""
    mech = rg.Mechanism()
    mech.add_body("arm", rg.Inertia.cylinder(1.0, 0.05, (0, 0, 0), (1, 0, 0)))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0)), "world", "arm")
    release = rg.at_time(0.5, lambda mech, state: rg.cut(mech, state, "shoulder"))
    traj = rg.simulate(mech, started(mech, "shoulder", turning), 1.0, prescribed={"shoulder": turning}, events=release)
    assert list(traj.final[0].joints) == ["arm_free"]
    assert np.isnan(traj.torques()["shoulder"][-1])


def wrong(**parts):
    return lambda t: tuple(parts.get(what, number) for what, number in zip("qva", turning(t), strict=True))


@pytest.mark.parametrize(
    ("prescribed", "said"),
    [
        ({"moter": turning}, r"no joint 'moter'.*motor"),
        ({"small end": turning}, r"'small end' does not start where the joint is.*assemble\(mech, state, q=\{'small end'"),
        ({"motor": rg.law("slide", turning)}, r"law for 'motor' must be law\('motor', f\)"),
        ({"motor": rg.law("motor", turning, absent="nan")}, r"law for 'motor' must be law\('motor', f\)"),
        ({"motor": rg.law("motor", [1.0])}, r"'motor' must be a function of time"),
        ({"motor": 3.0}, r"'motor' must be a function of time"),
        ({"motor": lambda t: turning(t)[:2]}, r"'motor' must return \(q, v, a\)"),
        ({"motor": wrong(v=np.zeros(2))}, r"velocity of 'motor'"),
        ({"motor": wrong(a=np.nan)}, r"acceleration of 'motor' at t = 0"),
        ({"motor": lambda t: (turning(t)[0] + 0.1, *turning(t)[1:])}, r"'motor' does not start where the joint is.*assemble"),
        ({"motor": lambda t: (turning(t)[0], 5.0, 0.3)}, r"acceleration of 'motor' is \[0.3\]"),
        ({"motor": lambda t: (0.2, *turning(t)[1:])}, r"velocity of 'motor' is \[5.0\]"),
        ([turning], r"by the names of the joints"),
    ],
)
def test_bad_motions_are_told(prescribed, said):
    mech = slider_crank()
    with pytest.raises((rg.ModelError, rg.StructureError), match=said):
        rg.simulate(mech, started(mech, "motor", turning), 0.5, prescribed=prescribed)


def test_a_motion_that_breaks_on_the_way_stops_the_run():
    mech = slider_crank()

    def breaks(t):
        return turning(t) if t < 0.2 else (np.nan, 0.0, 0.0)

    with pytest.raises(rg.SimulationError, match="prescribed") as found:
        rg.simulate(mech, started(mech, "motor", turning), 0.5, prescribed={"motor": breaks})
    assert "'motor'" in str(found.value) or "'motor'" in str(found.value.__cause__)


def test_motions_that_loops_do_not_allow_are_refused():
    mech = slider_crank()
    state = started(mech, "motor", turning)
    with pytest.raises(rg.StructureError, match=r"'motor'.*'slide'"):
        rg.forward_dynamics(mech, state, prescribed={"motor": 1.0, "slide": 1.0})
    with pytest.raises(rg.StructureError, match=r"'motor'.*'small end'"):
        rg.forward_dynamics(mech, state, prescribed={"motor": 1.0, "small end": 1.0})


def test_rotors_and_springs_of_prescribed_joints_are_part_of_what_it_takes():
    mech = rg.Mechanism()
    for name, above in (("upper", "world"), ("lower", "upper")):
        mech.add_body(name, rg.Inertia.box(2.0, (0.1, 0.1, 0.5), at=(0, 0, -0.25)))
        place = rg.Pose() if above == "world" else rg.Pose(translation=(0, 0, -0.5))
        mech.add_joint(name, rg.Revolute((0, 1, 0), armature=0.3, stiffness=7.0, rest=0.2), above, name, place)
    state = mech.state(q={"upper": 0.4, "lower": -0.3}, v={"upper": 1.0, "lower": 2.0})
    told = {"upper": 5.0}
    a = rg.forward_dynamics(mech, state, prescribed=told)
    needed = rg.inverse_dynamics(mech, state, a)
    assert a[0] == 5.0
    assert needed == pytest.approx([rg.prescribed_torques(mech, state, told)["upper"][0], 0.0], abs=1e-11)
