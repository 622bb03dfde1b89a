"""Bad input of every kind: each error is a RegraftError that names the thing and gives a hint."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regraft as rg
from random_mechanisms import IN_OTHER_LIBRARIES, random_inertia, random_joint, random_pose, random_rotation, random_state

NAN, INF = math.nan, math.inf
Y = (0, 1, 0)
BOX = rg.Inertia.box(1.0, (1.0, 2.0, 3.0), at=(0.2, 0.1, 0.4))


def arm():
    """Two bodies: "upper" on the ball joint "shoulder", "lower" on the hinge "elbow"."""
    mech = rg.Mechanism()
    mech.add_body("upper", BOX)
    mech.add_body("lower", BOX)
    mech.add_joint("shoulder", rg.Spherical(), "world", "upper")
    mech.add_joint("elbow", rg.Revolute(Y), "upper", "lower", rg.Pose(translation=(1, 0, 0)))
    return mech


def refused(call, pattern, error=rg.ModelError):
    """The call raises our error with this message, without a warning on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(error, match=pattern):
            call()


def cases(table):
    return pytest.mark.parametrize(("call", "pattern"), table.values(), ids=table)


# --- numbers that are none -------------------------------------------------------------------------------------------

NOT_FINITE = {
    "mass": (rg.Inertia, "mass must be finite"),
    "com": (lambda x: rg.Inertia(1.0, com=(0, x, 0)), "com.*not finite"),
    "tensor": (lambda x: rg.Inertia(1.0, tensor=np.diag([1, x, 1])), "tensor.*not finite"),
    "box": (lambda x: rg.Inertia.box(1.0, (1, x, 1)), "box.*not finite"),
    "sphere": (lambda x: rg.Inertia.sphere(1.0, x), "sphere.*not finite"),
    "rod": (lambda x: rg.Inertia.rod(1.0, (0, 0, 0), (x, 0, 0)), "rod.*not finite"),
    "translation": (lambda x: rg.Pose(translation=(x, 0, 0)), "translation.*not finite"),
    "rotation": (lambda x: rg.Pose(rotation=np.diag([1, x, 1])), "rotation.*not finite"),
    "angle of a pose": (lambda x: rg.Pose.about((0, 0, 1), x), "angle.*not finite"),
    "axis of a pose": (lambda x: rg.Pose.about((0, 0, x), 1.0), "axis.*not finite"),
    "quaternion": (lambda x: rg.Pose.from_quaternion((x, 0, 0, 0)), "quaternion.*not finite"),
    "gravity": (lambda x: rg.Mechanism(gravity=(0, 0, x)), "gravity.*not finite"),
    "axis": (lambda x: rg.Revolute((0, x, 0)), "Revolute: axis.*not finite"),
    "normal": (lambda x: rg.Planar((0, x, 0)), "Planar: normal.*not finite"),
    "second axis": (lambda x: rg.Universal((1, 0, 0), (0, x, 0)), "Universal: axis2.*not finite"),
    "pitch": (lambda x: rg.Helical((0, 0, 1), x), "Helical: pitch.*finite"),
    "damping": (lambda x: rg.Revolute(Y, damping=x), "Revolute: damping.*finite"),
    "stiffness of limits": (lambda x: rg.Limits(0, 1, stiffness=x), "limits.*stiffness.*finite"),
    "dissipation of limits": (lambda x: rg.Limits(0, 1, dissipation=x), "limits.*dissipation.*finite"),
    "position by name": (lambda x: arm().state(q={"elbow": x}), "'elbow'.*not finite"),
    "position": (lambda x: arm().state(q=[1, 0, 0, 0, x]), "q has.*not finite"),
    "quaternion of a state": (lambda x: arm().state(q={"shoulder": [x, 0, 0, 0]}), "'shoulder'.*not finite"),
    "velocity by name": (lambda x: arm().state(v={"elbow": x}), "'elbow'.*not finite"),
    "velocity": (lambda x: arm().state(v=[0, 0, 0, x]), "v has.*not finite"),
    "position of a joint": (lambda x: rg.Revolute(Y).pose([x]), "Revolute.*not finite"),
    "torque": (lambda x: rg.forward_dynamics(arm(), arm().state(), [0, 0, 0, x]), "tau.*not finite"),
    "torque array": (lambda x: rg.forward_dynamics(arm(), arm().state(), np.array([0, x, 0, 0])), "tau.*not finite"),
    "torque of derivatives": (lambda x: rg.derivatives(arm(), arm().state(), np.array([0, x, 0, 0])), "tau.*not finite"),
    "torque of reactions": (lambda x: rg.joint_reactions(arm(), arm().state(), np.array([0, x, 0, 0])), "tau.*not finite"),
    "acceleration": (lambda x: rg.inverse_dynamics(arm(), arm().state(), [0, 0, 0, x]), "a has.*not finite"),
    "acceleration array": (lambda x: rg.inverse_dynamics(arm(), arm().state(), np.array([0, 0, 0, x])), "a has.*not finite"),
    "wrench": (
        lambda x: rg.forward_dynamics(arm(), arm().state(), wrenches={"lower": [0, 0, 0, 0, x, 0]}),
        "'lower'.*not finite",
    ),
    "step": (lambda x: rg.integrate(arm(), arm().state().q, [0, 0, 0, x]), "step.*not finite"),
    "start of a step": (lambda x: rg.integrate(arm(), [1, 0, 0, 0, x], np.zeros(4)), "q has.*not finite"),
    "end of a difference": (lambda x: rg.difference(arm(), [1, 0, 0, 0, x], arm().state().q), "q1.*not finite"),
    "position to normalise": (lambda x: rg.normalise(arm(), [1, 0, 0, 0, x]), "q has.*not finite"),
    "stiffness of a spring": (
        lambda x: arm().add_spring("tendon", "upper", (0, 0, 0), "lower", (0, 0, 0), stiffness=x),
        "'tendon': stiffness.*not finite",
    ),
    "damping of a spring": (
        lambda x: arm().add_spring("tendon", "upper", (0, 0, 0), "lower", (0, 0, 0), stiffness=1.0, damping=x),
        "'tendon': damping.*not finite",
    ),
    "length of a spring": (
        lambda x: arm().add_spring("tendon", "upper", (0, 0, 0), "lower", (0, 0, 0), stiffness=1.0, rest_length=x),
        "'tendon': rest_length.*not finite",
    ),
    "end of a spring": (
        lambda x: arm().add_spring("tendon", "upper", (0, 0, x), "lower", (0, 0, 0), stiffness=1.0),
        "'tendon': point_a.*not finite",
    ),
    "position in a batch": (
        lambda x: rg.forward_dynamics_batch(arm(), [[1, 0, 0, 0, 0], [1, 0, 0, 0, x]], np.zeros((2, 4))),
        r"q\[1\].*not finite",
    ),
    "velocity in a batch": (
        lambda x: rg.forward_dynamics_batch(arm(), [[1, 0, 0, 0, 0]] * 2, [[0, 0, 0, 0], [0, 0, x, 0]]),
        r"v\[1\].*not finite",
    ),
    "torque in a batch": (
        lambda x: rg.forward_dynamics_batch(arm(), [[1, 0, 0, 0, 0]] * 2, np.zeros((2, 4)), [[0, 0, 0, 0], [x, 0, 0, 0]]),
        r"tau\[1\].*not finite",
    ),
}


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@cases(NOT_FINITE)
def test_numbers_must_be_finite(call, pattern, bad):
    refused(lambda: call(bad), pattern)


@pytest.mark.parametrize("pair", [(NAN, 1.0), (0.0, NAN), (1.0, 0.0), (0.5, 0.5), (INF, INF), (-INF, -INF)])
def test_a_lower_limit_must_be_below_the_upper_one(pair):
    refused(lambda: rg.Limits(*pair), "lower bound.*below the upper bound")
    refused(lambda: rg.Revolute(Y, limits=pair), "lower bound.*below the upper bound")


# --- numbers of another kind or shape --------------------------------------------------------------------------------

VECTORS = {
    "com": (lambda x: rg.Inertia(1.0, com=x), "Inertia: com"),
    "rod": (lambda x: rg.Inertia.rod(1.0, x, (0, 0, 1)), r"Inertia\.rod: start"),
    "box": (lambda x: rg.Inertia.box(1.0, x), r"Inertia\.box: size"),
    "translation": (lambda x: rg.Pose(translation=x), "Pose: translation"),
    "axis of a pose": (lambda x: rg.Pose.about(x, 1.0), r"Pose\.about: axis"),
    "gravity": (lambda x: rg.Mechanism(gravity=x), "gravity"),
    "hinge": (rg.Revolute, "Revolute: axis"),
    "slider": (rg.Prismatic, "Prismatic: axis"),
    "shaft": (rg.Cylindrical, "Cylindrical: axis"),
    "plane": (rg.Planar, "Planar: normal"),
    "screw": (lambda x: rg.Helical(x, 0.1), "Helical: axis"),
    "first axis": (lambda x: rg.Universal(x, (0, 1, 0)), "Universal: axis1"),
    "second axis": (lambda x: rg.Universal((0, 1, 0), x), "Universal: axis2"),
    "spring": (lambda x: arm().add_spring("tendon", "upper", x, "lower", (0, 0, 0), stiffness=1.0), "'tendon': point_a"),
    "angular velocity": (lambda x: arm().state(v={"shoulder": x}), "v of joint 'shoulder'"),
}

NO_VECTORS = {
    "two numbers": (1.0, 2.0),
    "four numbers": (1.0, 2.0, 3.0, 4.0),
    "a number": 1.0,
    "a column": [[1.0], [2.0], [3.0]],
    "nothing": None,
    "text": "abc",
    "numbers as text": ["1", "2", "3"],
    "numbers as bytes": np.array([b"1", b"2", b"3"]),
    "complex": (1j, 2.0, 3.0),
    "complex array": np.array([1j, 2.0, 3.0]),
    "objects": np.array([object()] * 3),
    "ragged": [[1.0, 2.0], 3.0, 4.0],
    "a dict": {"x": 1.0},
}


@pytest.mark.parametrize("wrong", NO_VECTORS.values(), ids=NO_VECTORS)
@cases(VECTORS)
def test_a_vector_is_three_real_numbers(call, pattern, wrong):
    refused(lambda: call(wrong), pattern)


NUMBERS = {
    "mass": (rg.Inertia, "mass"),
    "mass of a box": (lambda x: rg.Inertia.box(x, (1, 1, 1)), "mass"),
    "radius": (lambda x: rg.Inertia.sphere(1.0, x), r"Inertia\.sphere: radius"),
    "angle of a pose": (lambda x: rg.Pose.about((0, 0, 1), x), r"Pose\.about.*angle"),
    "pitch": (lambda x: rg.Helical((0, 0, 1), x), "Helical: pitch"),
    "damping": (lambda x: rg.Revolute(Y, damping=x), "Revolute: damping"),
    "lower limit": (lambda x: rg.Limits(x, 5.0), "limits"),
    "stiffness of limits": (lambda x: rg.Limits(0.0, 1.0, stiffness=x), "limits"),
    "stiffness": (
        lambda x: arm().add_spring("tendon", "upper", (0, 0, 0), "lower", (0, 0, 0), stiffness=x),
        "'tendon': stiffness",
    ),
    "rest length": (
        lambda x: arm().add_spring("tendon", "upper", (0, 0, 0), "lower", (0, 0, 0), stiffness=1.0, rest_length=x),
        "'tendon': rest_length",
    ),
    "position": (lambda x: arm().state(q={"elbow": x}), "q of joint 'elbow'"),
}

NO_NUMBERS = {
    "two numbers": (1.0, 2.0),
    "text": "abc",
    "a number as text": "1.0",
    "complex": 1j,
    "complex array": np.array(1j),
    "an object": object(),
    "a dict": {},
}


@pytest.mark.parametrize("wrong", NO_NUMBERS.values(), ids=NO_NUMBERS)
@cases(NUMBERS)
def test_a_number_is_one_real_number(call, pattern, wrong):
    refused(lambda: call(wrong), pattern)


@pytest.mark.parametrize("given", [arm().state(), rg.models.pendulum(), "arm.urdf", None], ids=lambda given: type(given).__name__)
def test_what_is_no_mechanism_is_told(given):
    """Such as a state that comes first, or a model that has a mechanism."""
    state, q = arm().state(), arm().state().q[None]
    expected = rf": give a mechanism, not {type(given).__name__}; of a Model that is model\.mech"
    refused(lambda: rg.simulate(given, state, 1.0), "simulate" + expected)
    refused(lambda: rg.simulate_batch(given, q, None, 1.0, step=0.1), "simulate_batch" + expected)
    refused(lambda: rg.step_derivatives(given, q, np.zeros((1, 4)), step=0.1), "step_derivatives" + expected)
    refused(lambda: rg.forward_dynamics_batch(given, q, np.zeros((1, 4))), "forward_dynamics_batch" + expected)
    refused(lambda: rg.inverse_dynamics_batch(given, q, np.zeros((1, 4))), "inverse_dynamics_batch" + expected)
    refused(lambda: rg.derivatives_batch(given, q, np.zeros((1, 4))), "derivatives_batch" + expected)
    refused(lambda: rg.mass_matrix_batch(given, q), "mass_matrix_batch" + expected)
    refused(lambda: rg.frame_positions_batch(given, q, "tip"), "frame_positions_batch" + expected)


def test_a_quaternion_of_zeros_is_off_by_its_length():
    refused(lambda: arm().state(q={"shoulder": (0, 0, 0, 0)}), "must have length 1, it is off by 1\\. Normalise it")
    rows = np.zeros((2, 5)), np.zeros((2, 4))
    refused(lambda: rg.forward_dynamics_batch(arm(), *rows), "state 0 of the batch: .* it is off by 1\\. Normalise it")


def test_what_is_masked_is_no_number():
    """A masked array has some number below its mask, which nobody has asked for."""
    mech, hidden = arm(), np.ma.masked_array(np.zeros(4), [0, 1, 0, 0])
    refused(lambda: mech.state(v=hidden), "v has masked numbers")
    refused(lambda: rg.inverse_dynamics(mech, mech.state(), hidden), "a has masked numbers")
    rows = mech.state().q[None], np.zeros((1, 4))
    refused(lambda: rg.forward_dynamics_batch(mech, rows[0], hidden[None]), "v has masked numbers")
    refused(lambda: rg.simulate_batch(mech, rows[0], hidden[None], 0.1, step=0.1), "v has masked numbers")
    shown = np.ma.masked_array(np.ones(4), False)
    assert mech.state(v=shown) == mech.state(v=np.ones(4))


ARRAYS = {
    "tensor": (lambda x: rg.Inertia(1.0, tensor=x), "tensor", np.eye(3)),
    "rotation": (lambda x: rg.Pose(rotation=x), "rotation", np.eye(3)),
    "quaternion": (rg.Pose.from_quaternion, "quaternion", np.array([1.0, 0, 0, 0])),
    "q": (lambda x: arm().state(q=x), "q must", np.array([1.0, 0, 0, 0, 0])),
    "v": (lambda x: arm().state(v=x), "v must", np.zeros(4)),
    "q of a joint": (lambda x: arm().state(q={"shoulder": x}), "'shoulder'", np.array([1.0, 0, 0, 0])),
    "tau": (lambda x: rg.forward_dynamics(arm(), arm().state(), x), "tau must", np.zeros(4)),
    "tau of derivatives": (lambda x: rg.derivatives(arm(), arm().state(), x), "tau must", np.zeros(4)),
    "tau of reactions": (lambda x: rg.joint_reactions(arm(), arm().state(), x), "tau must", np.zeros(4)),
    "a": (lambda x: rg.inverse_dynamics(arm(), arm().state(), x), "a must", np.zeros(4)),
    "wrench": (lambda x: rg.forward_dynamics(arm(), arm().state(), wrenches={"lower": x}), "'lower'", np.zeros(6)),
    "step": (lambda x: rg.integrate(arm(), arm().state().q, x), "step must", np.zeros(4)),
    "q1": (lambda x: rg.difference(arm(), x, arm().state().q), "q1 must", np.array([1.0, 0, 0, 0, 0])),
    "q0": (lambda x: rg.difference(arm(), arm().state().q, x), "q0 must", np.array([1.0, 0, 0, 0, 0])),
    "q to normalise": (lambda x: rg.normalise(arm(), x), "q must", np.array([1.0, 0, 0, 0, 0])),
    "batch q": (lambda x: rg.forward_dynamics_batch(arm(), x, np.zeros((2, 4))), "[qv] must", np.array([[1.0, 0, 0, 0, 0]] * 2)),
    "batch v": (lambda x: rg.forward_dynamics_batch(arm(), [[1, 0, 0, 0, 0]] * 2, x), "v must", np.zeros((2, 4))),
    "batch tau": (
        lambda x: rg.forward_dynamics_batch(arm(), [[1, 0, 0, 0, 0]] * 2, np.zeros((2, 4)), x),
        "tau must",
        np.zeros((2, 4)),
    ),
    "position of a joint type": (lambda x: rg.Spherical().pose(x), "Spherical", np.array([1.0, 0, 0, 0])),
    "twist": (lambda x: rg.Spherical().velocity([1, 0, 0, 0], x), "Spherical.*twist", np.zeros(6)),
}

SPOILED = {
    "one too few": lambda x: x[..., :-1],
    "one too many": lambda x: np.concatenate([x, x[..., :1]], axis=-1),
    "one more axis": lambda x: x[None],
    "empty": lambda x: x[:0],
    "as text": lambda x: x.astype(str),
    "complex": lambda x: x.astype(complex),
    "complex list": lambda x: x.astype(complex).tolist(),
    "objects": lambda x: np.full(x.shape, object()),
    "a dict of nothing known": lambda _: {"nothing": 0.0},
    "text": lambda _: "abc",
    "a number": lambda _: 3.0,
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
@pytest.mark.parametrize(("call", "pattern", "good"), ARRAYS.values(), ids=ARRAYS)
def test_arrays_have_their_shape_and_are_real(call, pattern, good, spoil):
    call(good)
    wrong = spoil(good)
    refused(lambda: call(wrong), f"{pattern}|there is no joint 'nothing'")


SAME_NUMBERS = {
    "a list": lambda x: x.tolist(),
    "a tuple": lambda x: tuple(x.tolist()),
    "32 bits": lambda x: x.astype(np.float32),
    "integers": lambda x: x.astype(int),
    "every other number": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed twice": lambda x: x[..., ::-1].copy()[..., ::-1],
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "big-endian": lambda x: x.astype(">f8"),
}


@pytest.mark.parametrize("change", SAME_NUMBERS.values(), ids=SAME_NUMBERS)
def test_real_numbers_in_any_guise_are_taken(change):
    mech = arm()
    q, v, tau = np.array([1.0, 0, 0, 0, 1.0]), np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 1, 1])
    state = mech.state(q, v)
    assert mech.state(change(q), change(v)) == state
    expected = rg.forward_dynamics(mech, state, tau)
    assert np.array_equal(rg.forward_dynamics(mech, state, change(tau)), expected)
    assert np.array_equal(rg.inverse_dynamics(mech, state, change(tau)), rg.inverse_dynamics(mech, state, tau))
    assert np.array_equal(rg.integrate(mech, change(q), change(v)), rg.integrate(mech, q, v))
    assert rg.Inertia(1.0, change(v[:3])) == rg.Inertia(1.0, v[:3])


# --- bodies and poses that cannot be ---------------------------------------------------------------------------------

IMPOSSIBLE = {
    "negative mass": (lambda: rg.Inertia(-1.0), "mass.*not negative"),
    "tensor without mass": (lambda: rg.Inertia(0.0, tensor=np.eye(3)), "without mass.*give it a mass"),
    "tensor that is not symmetric": (lambda: rg.Inertia(1.0, tensor=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), r"symmetric.*I\.T"),
    "negative moment": (lambda: rg.Inertia(1.0, tensor=np.diag([-0.1, 1, 1])), "negative principal moment"),
    "all moments negative": (lambda: rg.Inertia(1.0, tensor=-np.eye(3)), "negative principal moment"),
    "hidden negative moment": (lambda: rg.Inertia(1.0, tensor=[[1, 2, 0], [2, 1, 0], [0, 0, 3]]), "negative principal moment"),
    "triangle inequality": (lambda: rg.Inertia(1.0, tensor=np.diag([1, 1, 2.1])), "triangle.*about the centre of mass"),
    "negative size": (lambda: rg.Inertia.box(1.0, (1, -1, 1)), "size must not be negative"),
    "negative radius": (lambda: rg.Inertia.sphere(1.0, -0.1), "radius must not be negative"),
    "cylinder without length": (lambda: rg.Inertia.cylinder(1.0, 1.0, (1, 1, 1), (1, 1, 1)), "same point.*length"),
    "scaled rotation": (lambda: rg.Pose(rotation=2 * np.eye(3)), "unit length.*orthonormal"),
    "slightly scaled rotation": (lambda: rg.Pose(rotation=(1 + 1e-6) * np.eye(3)), "unit length.*orthonormal"),
    "sheared rotation": (lambda: rg.Pose(rotation=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "right angles.*orthonormal"),
    "reflection": (lambda: rg.Pose(rotation=np.diag([1, 1, -1])), "reflection.*flip"),
    "zero rotation": (lambda: rg.Pose(rotation=np.zeros((3, 3))), "orthonormal"),
    "quaternion that is too long": (lambda: rg.Pose.from_quaternion((1, 1, 0, 0)), "length 1.*normalise"),
    "quaternion of nothing": (lambda: rg.Pose.from_quaternion((0, 0, 0, 0)), "length 1.*normalise"),
    "pose about no axis": (lambda: rg.Pose.about((0, 0, 0), 1.0), "axis is zero.*direction"),
    "points with two coordinates": (lambda: rg.Pose().apply((1, 2)), "points.*3 coordinates"),
    "points of text": (lambda: rg.Pose().apply("abc"), "points"),
    "quaternion of a state": (lambda: arm().state(q={"shoulder": (2, 0, 0, 0)}), "'shoulder'.*length 1.*[Nn]ormalise"),
    "quaternion of no length": (lambda: arm().state(q={"shoulder": (0, 0, 0, 0)}), "'shoulder'.*length 1.*[Nn]ormalise"),
    "quaternion in an array": (lambda: arm().state(q=[1, 1e-2, 0, 0, 0]), "'shoulder'.*length 1.*[Nn]ormalise"),
}


@cases(IMPOSSIBLE)
def test_what_no_body_or_pose_can_be_is_refused(call, pattern):
    refused(call, pattern)


def test_rounding_of_a_quaternion_is_taken_out():
    found = arm().state(q={"shoulder": (1.0 + 1e-8, 0, 0, 0)}).q
    assert found[0] == 1.0


@given(st.integers(0, 2**32 - 1))
def test_rounding_of_a_rotation_or_tensor_is_forgiven(seed):
    rng = np.random.default_rng(seed)
    R = random_rotation(rng)
    assert rg.Pose(rotation=R @ R.T @ R).rotation.shape == (3, 3)
    moments = R @ np.diag([1.0, 2.0, 3.0]) @ R.T  # a flat plate: the triangle inequality is an equality
    assert rg.Inertia(1.0, tensor=moments).tensor == pytest.approx(moments)


# --- joints ----------------------------------------------------------------------------------------------------------

BAD_JOINTS = {
    "zero axis": (lambda: rg.Revolute((0, 0, 0)), "Revolute: axis is zero.*direction"),
    "zero axis of a slider": (lambda: rg.Prismatic((0, 0, 0)), "Prismatic: axis is zero.*direction"),
    "zero normal": (lambda: rg.Planar((0, 0, 0)), "Planar: normal is zero.*direction"),
    "zero axis of a screw": (lambda: rg.Helical((0, 0, 0), 1.0), "Helical: axis is zero.*direction"),
    "tiny axis": (lambda: rg.Cylindrical((0, 0, 1e-30)), "Cylindrical: axis is zero.*direction"),
    "parallel axes": (lambda: rg.Universal((1, 0, 0), (2, 0, 0)), "Universal.*parallel.*Revolute"),
    "opposite axes": (lambda: rg.Universal((1, 0, 0), (-1, 0, 0)), "Universal.*parallel.*Revolute"),
    "negative damping": (lambda: rg.Revolute(Y, damping=-0.1), "Revolute: damping.*not negative"),
    "one negative damping": (lambda: rg.Spherical(damping=(1, -1, 1)), "Spherical: damping.*not negative"),
    "damping of another size": (lambda: rg.Spherical(damping=(1, 1)), "Spherical: damping.*3 velocities"),
    "limits of a free body": (lambda: rg.Free(limits=(-1, 1)), "Free has no coordinate.*leave limits out"),
    "limits of a weld": (lambda: rg.Fixed(limits=(-1, 1)), "Fixed has no coordinate.*leave limits out"),
    "too few limits": (lambda: rg.Planar((0, 0, 1), limits=(-1, 1)), "Planar: limits need 3"),
    "too many limits": (lambda: rg.Revolute(Y, limits=([-1, -1], [1, 1])), "Revolute: limits need 1"),
    "limits of two sizes": (lambda: rg.Limits([0, 0], [1]), "2 lower bounds but 1 upper"),
    "one limit": (lambda: rg.Revolute(Y, limits=1.0), r"Revolute: limits must be a pair"),
    "three limits": (lambda: rg.Revolute(Y, limits=(1.0, 2.0, 3.0)), "Revolute: limits must be a pair"),
    "limits of text": (lambda: rg.Revolute(Y, limits=("low", "high")), "limits"),
    "a word for limits": (lambda: rg.Revolute(Y, limits="ab"), "limits"),
    "limits in a table": (lambda: rg.Limits([[0.0]], [[1.0]]), "limits"),
    "soft limits": (lambda: rg.Limits(0, 1, stiffness=0.0), "limits: stiffness must be positive"),
    "negative stiffness of limits": (lambda: rg.Limits(0, 1, stiffness=-1.0), "limits: stiffness must be positive"),
    "negative dissipation": (lambda: rg.Limits(0, 1, dissipation=-1.0), "limits.*dissipation not negative"),
}


@cases(BAD_JOINTS)
def test_what_no_joint_can_be_is_refused(call, pattern):
    refused(call, pattern)


# --- names -----------------------------------------------------------------------------------------------------------

spring = {"stiffness": 1.0}
NAMES = {
    "body twice": (lambda: arm().add_body("upper", BOX), "already a body 'upper'.*choose another"),
    "body called world": (lambda: arm().add_body("world", BOX), "already a body 'world'.*choose another"),
    "joint twice": (lambda: arm().add_joint("elbow", rg.Free(), "world", "lower"), "already a joint 'elbow'.*choose another"),
    "joint twice in a loop": (
        lambda: arm().add_joint("shoulder", rg.Revolute(Y), "world", "lower"),
        "already a joint 'shoulder'.*choose another",
    ),
    "empty body name": (lambda: arm().add_body("", BOX), "body's name.*not empty"),
    "empty joint name": (lambda: arm().add_joint("", rg.Free(), "world", "lower"), "joint's name.*not empty"),
    "empty frame name": (lambda: arm().add_frame("", "lower"), "frame's name.*not empty"),
    "empty spring name": (
        lambda: arm().add_spring("", "upper", (0, 0, 0), "lower", (0, 0, 0), **spring),
        "spring's name.*not empty",
    ),
    "body name that is no text": (lambda: arm().add_body(3, BOX), "body's name must be a text.*3"),
    "joint name that is no text": (lambda: arm().add_joint(None, rg.Free(), "world", "lower"), "joint's name must be a text"),
    "frame name that is no text": (lambda: arm().add_frame(["tip"], "lower"), "frame's name must be a text"),
    "unknown parent": (
        lambda: arm().add_joint("j", rg.Free(), "hand", "lower"),
        "parent of joint 'j'.*'hand'.*add_body",
    ),
    "unknown child": (lambda: arm().add_joint("j", rg.Free(), "lower", "hand"), "child of joint 'j'.*'hand'.*add_body.*'upper'"),
    "unknown body of a frame": (lambda: arm().add_frame("tip", "hand"), "frame 'tip'.*'hand'.*add_body"),
    "unknown end of a spring": (
        lambda: arm().add_spring("s", "hand", (0, 0, 0), "lower", (0, 0, 0), **spring),
        "body_a of spring 's'.*'hand'.*add_body",
    ),
    "unknown other end of a spring": (
        lambda: arm().add_spring("s", "lower", (0, 0, 0), "hand", (0, 0, 0), **spring),
        "body_b of spring 's'.*'hand'.*add_body",
    ),
    "parent that is no name": (lambda: arm().add_joint("j", rg.Free(), ["world"], "lower"), "parent of joint 'j'"),
    "body of a frame that is no name": (lambda: arm().add_frame("tip", {"lower"}), "frame 'tip'"),
    "joint to itself": (lambda: arm().add_joint("j", rg.Free(), "lower", "lower"), "'j'.*same body 'lower'.*another"),
    "joint of the world to itself": (lambda: arm().add_joint("j", rg.Free(), "world", "world"), "'j'.*same body 'world'"),
    "spring to itself": (
        lambda: arm().add_spring("s", "lower", (0, 0, 0), "lower", (1, 0, 0), **spring),
        "'s'.*both ends.*'lower'",
    ),
    "state of an unknown joint": (lambda: arm().state(q={"knee": 0.0}), "no joint 'knee'.*'shoulder', 'elbow'"),
    "velocity of an unknown joint": (lambda: arm().state(v={"knee": 0.0}), "no joint 'knee'.*'shoulder', 'elbow'"),
    "slot of an unknown joint": (lambda: arm().q_slice("knee"), "no joint 'knee'.*'shoulder', 'elbow'"),
    "velocity slot of an unknown joint": (lambda: arm().v_slice("knee"), "no joint 'knee'.*'shoulder', 'elbow'"),
    "slot of no name": (lambda: arm().q_slice(["elbow"]), "joint"),
    "position of an unknown joint": (lambda: arm().joint_position(arm().state(), "knee"), "no joint 'knee'.*'elbow'"),
    "rate of an unknown joint": (lambda: arm().joint_velocity(arm().state(), "knee"), "no joint 'knee'.*'elbow'"),
    "unknown frame": (lambda: rg.frame_position(arm(), arm().state(), "tip"), "no frame or body 'tip'.*add_frame"),
    "Jacobian of an unknown frame": (lambda: rg.jacobian(arm(), arm().state(), "tip"), "no frame or body 'tip'.*add_frame"),
    "wrench on an unknown body": (
        lambda: rg.forward_dynamics(arm(), arm().state(), wrenches={"hand": np.zeros(6)}),
        "no body 'hand'",
    ),
    "wrench on the world": (lambda: rg.forward_dynamics(arm(), arm().state(), wrenches={"world": np.zeros(6)}), "'world'"),
    "wrenches without names": (lambda: rg.forward_dynamics(arm(), arm().state(), wrenches=np.zeros((2, 6))), "wrenches"),
}


@cases(NAMES)
def test_names_are_known_new_and_not_empty_where_they_must_be(call, pattern):
    refused(call, pattern)


PARTS = {
    "inertia": (lambda: arm().add_body("hand", 1.0), r"'hand'.*Inertia\(mass=1\.0\)"),
    "joint type": (lambda: arm().add_joint("j", "hinge", "world", "lower"), r"'j'.*Revolute\(\(0, 0, 1\)\)"),
    "joint class": (lambda: arm().add_joint("j", rg.Free, "world", "lower"), "'j'.*give a joint type"),
    "parent pose": (lambda: arm().add_joint("j", rg.Free(), "world", "lower", (0, 0, 1)), r"'j': parent_pose.*Pose\("),
    "child pose": (lambda: arm().add_joint("j", rg.Free(), "world", "lower", rg.Pose(), np.eye(4)), r"'j': child_pose.*Pose\("),
    "frame pose": (lambda: arm().add_frame("tip", "lower", (0, 0, 1)), r"'tip': pose.*Pose\("),
}


@cases(PARTS)
def test_parts_are_of_the_right_kind(call, pattern):
    refused(call, pattern)


def test_negative_springs_are_refused():
    for setting in ("stiffness", "damping", "rest_length"):
        numbers = {"stiffness": 1.0} | {setting: -1.0}
        refused(
            lambda n=numbers: arm().add_spring("tendon", "upper", (0, 0, 0), "lower", (0, 0, 0), **n),
            f"'tendon'.*{setting}.*must not be negative",
        )


def test_a_refused_part_leaves_the_mechanism_as_it_was():
    mech = arm()
    for call in (
        lambda: mech.add_body("upper", BOX),
        lambda: mech.add_joint("j", rg.Free(), "world", "lower", (0, 0, 1)),
        lambda: mech.add_frame("tip", "hand"),
        lambda: mech.add_spring("s", "upper", (0, 0, 0), "lower", (0, 0, 0), stiffness=-1.0),
    ):
        with pytest.raises(rg.ModelError):
            call()
    assert mech == arm()


# --- structures that cannot be ---------------------------------------------------------------------------------------


def test_a_body_without_a_path_to_the_world_is_named_with_the_joint_to_add():
    mech = arm()
    mech.add_body("moon", BOX)
    state = mech.state()
    for ask in (rg.forward_dynamics, rg.energy, rg.body_poses, rg.mass_matrix, rg.derivatives):
        refused(lambda ask=ask: ask(mech, state), r"body 'moon' has no path to the world.*add_joint\(.*Free\(\).*moon")
    refused(lambda: rg.integrate(mech, state.q, state.v), "'moon'")
    mech.add_joint("moon_free", rg.Free(), "world", "moon")
    assert rg.forward_dynamics(mech, mech.state()).shape == (10,)


def test_bodies_that_hang_together_but_not_on_the_world_are_refused():
    mech = arm()
    for name in ("moon", "lander", "rover"):
        mech.add_body(name, BOX)
    mech.add_joint("landing", rg.Fixed(), "moon", "lander")
    refused(lambda: rg.forward_dynamics(mech, mech.state()), "'moon'.*2 others.*Free")


def test_two_masses_of_nothing_have_no_centre():
    mech = rg.Mechanism()
    mech.add_body("ghost", rg.Inertia(0.0))
    mech.add_joint("j", rg.Free(), "world", "ghost")
    refused(lambda: rg.center_of_mass(mech, mech.state()), "no mass.*give")


# --- joints that move no inertia -------------------------------------------------------------------------------------


def on(joint, inertia, *, then=None):
    """A body on the joint "first"; on it, if given, another joint type with its own body."""
    mech = rg.Mechanism()
    mech.add_body("a", inertia)
    mech.add_joint("first", joint, "world", "a")
    if then:
        mech.add_body("b", then[1])
        mech.add_joint("second", then[0], "a", "b")
    return mech


SKEW = (0.3, -0.2, 0.5)
THIN = rg.Inertia.rod(1.0, (0, 0, 0), SKEW)
SINGULAR = {
    "massless leaf": (on(rg.Revolute(Y), BOX, then=(rg.Revolute(Y), rg.Inertia(0.0))), "second"),
    "massless body": (on(rg.Revolute(Y), rg.Inertia(0.0)), "first"),
    "massless slider": (on(rg.Prismatic(Y), rg.Inertia(0.0)), "first"),
    "massless float": (on(rg.Free(), rg.Inertia(0.0)), "first"),
    "point on its axis": (on(rg.Revolute(Y), rg.Inertia.point(1.0, at=(0, 3, 0))), "first"),
    "point on a skew axis": (on(rg.Revolute(SKEW), rg.Inertia.point(1.0, at=SKEW)), "first"),
    "rod along its axis": (on(rg.Revolute(SKEW), THIN), "first"),
    "rod that spins in a shaft": (on(rg.Cylindrical(SKEW), THIN), "first"),
    "point on a ball joint": (on(rg.Spherical(), rg.Inertia.point(1.0, at=(0, 0, 1))), "first"),
    "skew point on a ball joint": (on(rg.Spherical(), rg.Inertia.point(1.0, at=SKEW)), "first"),
    "rod on a ball joint": (on(rg.Spherical(), rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 1))), "first"),
    "skew rod on a ball joint": (on(rg.Spherical(), THIN), "first"),
    "floating point": (on(rg.Free(), rg.Inertia.point(1.0, at=SKEW)), "first"),
    "floating rod": (on(rg.Free(), rg.Inertia.rod(1.0, (0, 0, 0), (0, 0, 1))), "first"),
    "skew floating rod": (on(rg.Free(), THIN), "first"),
    "far floating rod": (on(rg.Free(), rg.Inertia.rod(1.0, (2.0, 1.0, 1.0), (2.3, 1.4, 0.7))), "first"),
    "two hinges in line": (on(rg.Revolute(Y), rg.Inertia(0.0), then=(rg.Revolute(Y), BOX)), "first"),
    "two skew hinges in line": (on(rg.Revolute(SKEW), rg.Inertia(0.0), then=(rg.Revolute(SKEW), BOX)), "first"),
    "two floats": (on(rg.Free(), rg.Inertia(0.0), then=(rg.Free(), BOX)), "first"),
}

SOLVERS = {
    "forward_dynamics": rg.forward_dynamics,
    "derivatives": rg.derivatives,
    "joint_reactions": rg.joint_reactions,
    "with a wrench": lambda mech, state: rg.forward_dynamics(mech, state, wrenches={"a": np.arange(6.0)}),
    "forward_dynamics_batch": lambda mech, state: rg.forward_dynamics_batch(mech, state.q[None], state.v[None]),
}


@pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize(("mech", "joint"), SINGULAR.values(), ids=SINGULAR)
def test_a_joint_that_moves_no_inertia_is_named(mech, joint, solve):
    state = mech.state()
    assert np.linalg.matrix_rank(rg.mass_matrix(mech, state), tol=1e-12) < mech.nv
    refused(lambda: solve(mech, state), f"joint '{joint}' can move without moving any inertia.*give mass")


@given(st.integers(0, 2**32 - 1))
def test_a_rod_on_a_ball_joint_moves_no_inertia_about_itself_however_it_hangs(seed):
    rng = np.random.default_rng(seed)
    mech = on(rg.Spherical(), rg.Inertia.rod(rng.uniform(0.1, 10), (0, 0, 0), rng.standard_normal(3)))
    turn = rng.standard_normal(4)
    state = mech.state(q=turn / np.linalg.norm(turn), v=rng.standard_normal(3))
    refused(lambda: rg.forward_dynamics(mech, state), "'first'")


@pytest.mark.parametrize("kind", IN_OTHER_LIBRARIES, ids=lambda kind: kind.__name__)  # screws of guides differ with their q
def test_a_joint_that_repeats_the_one_below_it_moves_no_inertia(kind):
    """Two joints of one type, one after the other with nothing but a massless body between them, share their motion."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        joint = random_joint(rng, kind)
        mech = on(joint, rg.Inertia(0.0), then=(joint, random_inertia(rng)))
        state = random_state(rng, mech)
        if kind is rg.Fixed:  # two welds are a weld
            assert rg.forward_dynamics(mech, state).shape == (0,)
        else:
            refused(lambda m=mech, s=state: rg.forward_dynamics(m, s), "'first'")


def test_the_bad_state_of_a_batch_is_told_by_its_number():
    """Two hinges that are in line only where the joint between them is straight."""
    mech = rg.Mechanism()
    for name, inertia in (("a", rg.Inertia(0.0)), ("b", rg.Inertia(0.0)), ("c", BOX)):
        mech.add_body(name, inertia)
    mech.add_joint("x", rg.Revolute((1, 0, 0)), "world", "a")
    mech.add_joint("y", rg.Revolute((0, 1, 0)), "a", "b")
    mech.add_joint("x again", rg.Revolute((1, 0, 0)), "b", "c")
    q = np.tile([0.1, 0.7, 0.2], (11, 1))
    assert np.isfinite(rg.forward_dynamics_batch(mech, q, np.zeros((11, 3)))).all()
    q[9, 1] = 0.0
    refused(lambda: rg.forward_dynamics_batch(mech, q, np.zeros((11, 3))), "state 9 of the batch: joint 'x'")


def test_a_massless_body_between_two_axes_is_a_universal_joint():
    inertia = rg.Inertia.box(2.0, (0.3, 0.5, 0.7), at=(0.1, -0.4, 0.6))
    chain = on(rg.Revolute((1, 0, 0)), rg.Inertia(0.0), then=(rg.Revolute((0, 1, 0)), inertia))
    cardan = on(rg.Universal((1, 0, 0), (0, 1, 0)), inertia)
    for q, v, tau in np.random.default_rng(0).uniform(-1, 1, (10, 3, 2)):
        found = rg.forward_dynamics(chain, chain.state(q, v), tau)
        assert found == pytest.approx(rg.forward_dynamics(cardan, cardan.state(q, v), tau), rel=1e-12)


def test_three_massless_axes_are_a_ball_joint():
    """Rates of angles differ from angular velocity, so the body's acceleration is compared."""
    chain, ball = rg.Mechanism(), rg.Mechanism()
    for name in ("a", "b"):
        chain.add_body(name, rg.Inertia(0.0))
    for mech in (chain, ball):
        mech.add_body("body", BOX)
    upper = "world"
    for name, axis in {"a": (0, 0, 1), "b": (0, 1, 0), "body": (1, 0, 0)}.items():
        chain.add_joint(name, rg.Revolute(axis), upper, name)
        upper = name
    ball.add_joint("ball", rg.Spherical(), "world", "body")
    for q, v in np.random.default_rng(1).uniform(-1, 1, (10, 2, 3)):
        state = chain.state(q, v)
        pose, twist = rg.body_poses(chain, state)["body"], rg.body_twists(chain, state)["body"]
        other = ball.state({"ball": pose.quaternion}, {"ball": pose.rotation.T @ twist[:3]})
        found = rg.jacobian(chain, state, "body") @ rg.forward_dynamics(chain, state)
        found += rg.jacobian_rate(chain, state, "body") @ v
        expected = pose.rotation @ rg.forward_dynamics(ball, other)
        assert found[:3] == pytest.approx(expected, rel=1e-9)


def test_a_point_mass_on_a_string_is_the_simple_pendulum():
    mech = on(rg.Revolute(Y), rg.Inertia.point(3.0, at=(0, 0, -2.0)))
    for turn in (-1.0, 0.0, 0.4, 2.0):
        expected = -9.81 / 2.0 * math.sin(turn)
        assert rg.forward_dynamics(mech, mech.state({"first": turn}, {"first": 5.0})) == pytest.approx([expected], abs=1e-13)


def test_very_light_and_very_heavy_bodies_are_no_error():
    for mass in (1e-12, 1e12):
        mech = on(rg.Revolute(Y), rg.Inertia.point(mass, at=(0, 0, -1.0)))
        assert rg.forward_dynamics(mech, mech.state({"first": 0.3})) == pytest.approx([-9.81 * math.sin(0.3)])
    tiny_on_huge = on(rg.Revolute(Y), BOX, then=(rg.Revolute((1, 0, 0)), rg.Inertia.box(1e-9, (1e-3, 1e-3, 1e-3))))
    assert np.isfinite(rg.forward_dynamics(tiny_on_huge, tiny_on_huge.state())).all()


@pytest.mark.parametrize("kind", [rg.Revolute, rg.Spherical, rg.Free], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-8])
def test_a_light_body_that_carries_a_heavy_one_is_no_error(kind, mass):
    """Digits are lost with the ratio of the masses, not all of them: 1e-16 / 1e-8 leaves eight, less what the chain takes."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        mech = rg.Mechanism()
        mech.add_body("light", rg.Inertia.box(mass, (1, 1, 1)))
        mech.add_body("heavy", rg.Inertia.box(1.0, (0.1, 0.2, 0.3), at=(0.1, 0.2, 0.3)))
        mech.add_joint("base", rg.Free(), "world", "light")
        mech.add_joint("joint", random_joint(rng, kind), "light", "heavy", random_pose(rng))
        state, a = random_state(rng, mech), rng.standard_normal(mech.nv)
        tau = rg.inverse_dynamics(mech, state, a)
        assert np.abs(rg.forward_dynamics(mech, state, tau) - a).max() < 1e-12 / mass + 1e-9


def test_accelerations_that_overflow_are_told():
    mech = on(rg.Prismatic(Y), rg.Inertia.point(1e-200))
    refused(lambda: rg.forward_dynamics(mech, mech.state(), [1e200]), "too large.*units")


@pytest.mark.parametrize("shape", [(3, 8), (3, 1), (1, 3), (1, 1, 3), (1,) * 12, ()])
def test_torques_with_another_number_of_axes_are_refused(shape):
    mech, state = rg.models.four_bar().start
    rg.forward_dynamics(mech, state)
    for _ in range(3):
        with pytest.raises(rg.ModelError, match="tau"):
            rg.forward_dynamics(mech, state, np.ones(shape))


def test_a_matrix_is_a_batch_as_any_array():
    mech, state = rg.models.four_bar().start
    q, v = (np.tile(x, (3, 1)).view(np.matrix) for x in (state.q, state.v))
    found = rg.forward_dynamics_batch(mech, q, v)
    np.testing.assert_array_equal(found, rg.forward_dynamics_batch(mech, np.asarray(q), np.asarray(v)))
    for bad in ([0.0, np.nan, 0.0], [0.3, 0.1, 5.0]):
        with pytest.raises((rg.ModelError, rg.StructureError), match=r"state 0|q\[0\]"):
            rg.forward_dynamics_batch(mech, np.array([bad]).view(np.matrix), np.zeros((1, 3)))


def test_inverse_dynamics_of_what_is_welded_twice_is_empty():
    mech = rg.Mechanism()
    mech.add_body("block", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("weld", rg.Fixed(), "world", "block")
    mech.add_joint("second weld", rg.Fixed(), "world", "block")
    assert rg.inverse_dynamics(mech, mech.state(), []).shape == (0,)


@pytest.mark.parametrize("size", [1e-10, 1e150, 1e160, 1e300, 1.7e308])
def test_a_direction_may_be_of_any_length(size):
    """The square of the longest ones cannot be represented, so they must not become an axis of zeros."""
    for kind in (rg.Revolute, rg.Prismatic, rg.Cylindrical, rg.Planar, lambda axis: rg.Helical(axis, 0.1)):
        joint, plain = kind((size, -size, 0.0)), kind((1.0, -1.0, 0.0))
        ours, theirs = (np.array(one.normal if isinstance(one, rg.Planar) else one.axis) for one in (joint, plain))
        assert np.allclose(ours, theirs, atol=1e-15)


@pytest.mark.parametrize("problem", [RuntimeError, TypeError])
def test_a_tensor_whose_numbers_cannot_be_had_is_named(problem):
    """As PyTorch refuses tensors that want gradients, and those on a graphics card."""

    class Tensor:
        def __array__(self, dtype=None, copy=None):
            raise problem("use detach() first")

    mech, _ = rg.models.pendulum().start
    with pytest.raises(rg.ModelError, match=r"q must be real numbers: use detach\(\) first"):
        rg.forward_dynamics_batch(mech, Tensor(), np.zeros((1, 1)))
