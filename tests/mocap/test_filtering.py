"""Positions are smooth, velocities and accelerations are their exact derivatives, and nothing is mended in silence."""

import time

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

import regraft as rg
from regraft.mocap.filtering import smooth, smooth_points
from regraft.mocap.recording import Plate
from regraft.mocap.resampling import resample
from regraft.mocap.smoothers import cross_validated, traced

RATE = 100.0


def chain(*kinds):
    mech, last = rg.Mechanism(), "world"
    for k, kind in enumerate(kinds):
        mech.add_body(f"body{k}", rg.Inertia.sphere(1.0, 0.1))
        mech.add_joint(f"joint{k}", kind, last, f"body{k}", parent_pose=rg.Pose(translation=(0.1, 0.0, 0.2)))
        last = f"body{k}"
    return mech


def quaternions(rotations):
    return rotations.as_quat(scalar_first=True)


def tumbling(t, seed=0):
    """Rotations with known angular velocity and acceleration in the body's axes: a product of turns about fixed axes."""
    rng = np.random.default_rng(seed)
    turn, omega, alpha = Rotation.identity(len(t)), np.zeros((len(t), 3)), np.zeros((len(t), 3))
    for _ in range(3):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        size, w, phase = rng.uniform(0.5, 1.0), rng.uniform(2.0, 5.0), rng.uniform(0.0, 6.0)
        angle, rate, bend = (size * f for f in (np.sin(w * t + phase), w * np.cos(w * t + phase), -w * w * np.sin(w * t + phase)))
        last = Rotation.from_rotvec(np.outer(angle, axis))
        back = last.inv()
        spin = np.outer(rate, axis)
        omega, alpha = back.apply(omega), back.apply(alpha)
        alpha = alpha + np.outer(bend, axis) + np.cross(omega, spin)
        omega = omega + spin
        turn = turn * last
    return turn, omega, alpha


def floating(t, seed=0):
    """(q, v, a) of a free joint and a spherical one."""
    place = np.stack([np.sin(2 * t), np.cos(3 * t), 0.2 * t**2], axis=1)
    rate = np.stack([2 * np.cos(2 * t), -3 * np.sin(3 * t), 0.4 * t], axis=1)
    bend = np.stack([-4 * np.sin(2 * t), -9 * np.cos(3 * t), 0.4 + 0 * t], axis=1)
    turn, omega, alpha = tumbling(t, seed)
    ball, omega2, alpha2 = tumbling(t, seed + 1)
    along = turn.inv().apply(rate)
    q = np.concatenate([place, quaternions(turn), quaternions(ball)], axis=1)
    v = np.concatenate([along, omega, omega2], axis=1)
    a = np.concatenate([turn.inv().apply(bend) - np.cross(omega, along), alpha, alpha2], axis=1)
    return q, v, a


def same_rotations(q1, q2):
    return np.minimum(np.abs(q1 - q2).max(axis=1), np.abs(q1 + q2).max(axis=1)).max()


BALL = chain(rg.Free(), rg.Spherical())


def test_velocities_and_accelerations_of_turning_joints_are_the_true_ones_to_the_very_ends():
    t = np.arange(0.0, 4.0, 1 / RATE)
    q, v, a = floating(t)
    found = smooth(BALL, t, q, cutoff=None)
    assert same_rotations(found.q[:, 3:7], q[:, 3:7]) < 1e-12
    assert np.abs(found.v - v).max() < 1e-6
    assert np.abs(found.a - a).max() < 1e-3
    assert np.abs((found.a - a)[10:-10]).max() < 5e-5


def test_a_sign_of_a_quaternion_makes_no_difference():
    t = np.arange(0.0, 2.0, 1 / RATE)
    q, _, _ = floating(t)
    signs = np.where(np.random.default_rng(3).random(len(t)) < 0.5, -1.0, 1.0)[:, None]
    other = np.concatenate([q[:, :3], signs * q[:, 3:7], q[:, 7:]], axis=1)
    for method in ("butterworth", "gcv", "none"):
        assert np.abs(smooth(BALL, t, q, method=method).a - smooth(BALL, t, other, method=method).a).max() < 1e-9


@pytest.mark.parametrize("method", ["butterworth", "gcv", "none"])
def test_the_axes_of_bodies_make_no_difference(method):
    """Other axes of the parent leave v and a, other axes of the child turn them."""
    t = np.arange(0.0, 2.0, 1 / RATE)
    turn, _, _ = tumbling(t)
    turn = turn * Rotation.from_rotvec(0.01 * np.random.default_rng(1).normal(size=(len(t), 3)))
    mech = chain(rg.Spherical())
    before, after = Rotation.from_rotvec((0.3, -1.0, 2.0)), Rotation.from_rotvec((1.0, 0.5, -0.7))
    plain = smooth(mech, t, quaternions(turn), method=method)
    other = smooth(mech, t, quaternions(before * turn * after), method=method)
    assert same_rotations(quaternions(before * Rotation.from_quat(plain.q, scalar_first=True) * after), other.q) < 1e-9
    assert np.abs(after.inv().apply(plain.v) - other.v).max() < 1e-7
    assert np.abs(after.inv().apply(plain.a) - other.a).max() < 1e-5


@pytest.mark.parametrize("method", ["butterworth", "gcv", "none"])
def test_velocities_are_derivatives_of_the_positions_that_are_returned(method):
    """Integrated over each frame by what the mechanism itself calls q ⊕ d, they lead from each position to the next."""
    t = np.arange(0.0, 2.0, 1 / RATE)
    q = floating(t)[0]
    rng = np.random.default_rng(2)
    q[:, :3] += 0.002 * rng.normal(size=(len(t), 3))
    q[:, 3:7] = quaternions(
        Rotation.from_quat(q[:, 3:7], scalar_first=True) * Rotation.from_rotvec(0.01 * rng.normal(size=(len(t), 3)))
    )
    found = smooth(BALL, t, q, method=method)
    again = smooth(BALL, t, found.q, cutoff=None)
    inside = slice(20, -20)
    assert np.abs(again.v - found.v)[inside].max() < 3e-5 * np.abs(found.v).max()
    assert np.abs(again.a - found.a)[inside].max() < 3e-5 * np.abs(found.a).max()
    for k in range(30, 40):
        step = rg.difference(BALL, found.q[k + 1], found.q[k]) - rg.difference(BALL, found.q[k - 1], found.q[k])
        assert np.abs(step / (t[k + 1] - t[k - 1]) - found.v[k]).max() < 0.2 * np.abs(found.v).max()
    rates = make_interp_spline(t, found.v, k=5)(t, 1)
    assert np.abs(rates - found.a)[inside].max() < (1e-3 if method != "none" else 0.3) * np.abs(found.a).max()


def test_splines_are_exact_for_polynomials():
    t = np.linspace(0.0, 1.0, 30)
    x = np.stack([1.0 + t - t**2 + 0.5 * t**5, t**4, 3 * t**3], axis=1)
    found = smooth_points(t, x, cutoff=None)
    assert np.abs(found.q - x).max() < 1e-12
    assert np.abs(found.v[:, 1] - 4 * t**3).max() < 1e-9
    assert np.abs(found.a[:, 0] - (-2 + 10 * t**3)).max() < 1e-7


def test_a_ball_that_turns_about_one_axis_does_as_a_hinge_does():
    t = np.arange(0.0, 3.0, 1 / RATE)
    angle = 0.5 * np.sin(6.0 * t) + 0.005 * np.random.default_rng(4).normal(size=len(t))
    hinge = smooth(chain(rg.Revolute((0, 1, 0))), t, angle[:, None])
    ball = smooth(chain(rg.Spherical()), t, quaternions(Rotation.from_rotvec(np.outer(angle, (0, 1, 0)))))
    assert np.abs(ball.v[:, 1] - hinge.v[:, 0]).max() < 0.01 * np.abs(hinge.v).max()
    assert np.abs(ball.a[:, 1] - hinge.a[:, 0]).max() < 0.03 * np.abs(hinge.a).max()
    assert np.abs(ball.v[:, [0, 2]]).max() < 1e-12


def test_angles_that_jump_by_whole_turns_are_continuous():
    t = np.arange(0.0, 2.0, 1 / RATE)
    angle = 5.0 * t
    found = smooth(chain(rg.Revolute((0, 1, 0))), t, np.angle(np.exp(1j * angle))[:, None])
    assert np.abs(found.q[:, 0] - angle).max() < 1e-9
    assert np.abs(found.v - 5.0).max() < 1e-7


def test_the_low_pass_lets_half_of_the_amplitude_at_the_cut_off_pass_without_delay():
    t = np.arange(0.0, 10.0, 1 / RATE)
    for frequency, gain in ((1.0, 1.0), (6.0, 0.5), (20.0, 0.0)):
        x = np.sin(2 * np.pi * frequency * t)
        found = smooth_points(t, x[:, None]).q[300:-300, 0]
        assert abs(found @ x[300:-300] / (x[300:-300] @ x[300:-300]) - gain) < 2e-3
        across = np.cos(2 * np.pi * frequency * t)[300:-300]
        assert abs(found @ across / (across @ across)) < 2e-3


def noisy(noise=0.002, seed=5):
    t = np.arange(0.0, 3.0, 1 / RATE)
    w = np.array([3.0, 6.0])
    x, v, a = np.sin(np.outer(t, w) + 0.4), w * np.cos(np.outer(t, w) + 0.4), -(w**2) * np.sin(np.outer(t, w) + 0.4)
    return t, x + noise * np.random.default_rng(seed).normal(size=x.shape), v, a


@pytest.mark.parametrize("method", ["butterworth", "gcv"])
def test_noise_is_taken_out_of_accelerations_and_ends_are_not_spoiled(method):
    """At the ends velocities are good to a few per cent; accelerations are drawn to 0 by the low-pass, but not blown up."""
    t, x, v, a = noisy()
    raw, found = smooth_points(t, x, cutoff=None), smooth_points(t, x, method=method)
    inside = slice(20, -20)
    assert np.sqrt(np.mean((found.a - a)[inside] ** 2)) < 0.05 * np.sqrt(np.mean((raw.a - a)[inside] ** 2))
    assert np.sqrt(np.mean((found.a - a)[inside] ** 2)) < 0.1 * np.abs(a).max()
    assert np.abs(found.v - v).max() < 0.15 * np.abs(v).max()
    assert np.abs(found.a - a).max() < 1.05 * np.abs(a).max()


def test_what_was_measured_at_the_ends_of_a_low_pass_is_told():
    t, x, _, _ = noisy()
    assert "within 0.083 s of an end accelerations are less certain" in smooth_points(t, x).notes[-1]


def test_cross_validation_finds_how_much_noise_there_is():
    for noise in (0.0005, 0.02):
        t, x, _, _ = noisy(noise)
        clean = noisy(0.0)[1]
        found = smooth_points(t, x, method="gcv")
        assert np.sqrt(np.mean((found.q - clean) ** 2)) < 0.45 * noise
        assert "cross-validation" in found.notes[0]


def test_the_trace_of_the_smoothing_matrix_is_as_dense_algebra_has_it():
    for n, strength in ((40, 3.0), (60, 500.0), (100, 1e5)):
        D = np.diff(np.eye(n), 3, axis=0)
        H = np.linalg.inv(np.eye(n) + strength * D.T @ D)
        assert abs(traced(n, strength) - np.trace(H)) < 0.03 * np.trace(H)
        x = np.random.default_rng(0).normal(size=(n, 1))
        y, (found,) = cross_validated(x, [[0]])
        assert np.abs(np.linalg.solve(np.eye(n) + found * D.T @ D, x) - y).max() < 1e-8


def test_short_gaps_are_filled_and_told_long_ones_are_left_out_and_told():
    t = np.arange(0.0, 4.0, 1 / RATE)
    q, v, _ = floating(t)
    holes = q.copy()
    holes[100:106, 7:] = np.nan
    holes[200:240, 3:7] = np.nan
    holes[:3] = np.nan
    found = smooth(BALL, t, holes, cutoff=None)
    left_out = np.zeros(len(t), dtype=bool)
    left_out[200:240] = left_out[:3] = True
    assert np.array_equal(~found.valid, left_out)
    for numbers in (found.q, found.v, found.a):
        assert np.array_equal(np.isnan(numbers).all(axis=1), left_out)
        assert np.array_equal(np.isnan(numbers).any(axis=1), left_out)
    assert np.abs(found.v - v)[~left_out].max() < 0.02
    text = " ".join(found.notes)
    assert "joint1 (6 frames)" in text
    assert "2 to 2.39 s (40 frames)" in text
    assert "0 to 0.02 s (3 frames)" in text


def test_a_gap_is_filled_up_to_the_stated_time_and_no_further():
    t = np.arange(0.0, 2.0, 1 / RATE)
    x = np.stack([np.sin(t), t, t], axis=1)
    for frames, filled in ((10, True), (11, False)):
        holes = x.copy()
        holes[50 : 50 + frames] = np.nan
        assert smooth_points(t, holes, gap=0.1).valid.all() == filled
    assert smooth_points(t, holes, gap=0.2).valid.all()


def test_a_pause_between_frames_divides_the_record():
    t = np.concatenate([np.arange(0.0, 1.0, 0.01), np.arange(2.0, 3.0, 0.01)])
    x = np.stack([np.sin(t), np.cos(t)], axis=1)
    found = smooth_points(t, x)
    assert found.valid.all()
    assert np.array_equal(found.q[:100], smooth_points(t[:100], x[:100]).q)


def test_uneven_times_are_resampled_and_told_and_rounded_ones_are_not():
    rng = np.random.default_rng(6)
    even = np.arange(0.0, 3.0, 1 / RATE)
    uneven = even + rng.uniform(-0.3, 0.3, len(even)) / RATE
    for t, word in ((uneven, "resampled"), (even + rng.uniform(-0.02, 0.02, len(even)) / RATE, "equally far apart")):
        found = smooth_points(t, np.sin(3 * t)[:, None], cutoff=10.0)
        assert any(word in note for note in found.notes)
        assert np.abs(found.v[20:-20, 0] - 3 * np.cos(3 * t[20:-20])).max() < 0.05
    direct = smooth_points(uneven, np.sin(3 * uneven)[:, None], cutoff=None)
    assert np.abs(direct.v[20:-20, 0] - 3 * np.cos(3 * uneven[20:-20])).max() < 1e-6


GOOD = np.arange(0.0, 1.0, 0.01)


@pytest.mark.parametrize(
    ("t", "settings", "words"),
    [
        (GOOD, {"cutoff": 50.0}, "not below the Nyquist frequency, 50 Hz"),
        (GOOD, {"cutoff": -1.0}, "positive number of Hz"),
        (GOOD, {"cutoff": float("nan")}, "positive number of Hz"),
        (GOOD, {"order": 3}, "must be even"),
        (GOOD, {"method": "kalman"}, "there is no method 'kalman'; choose one of butterworth, gcv, none"),
        (GOOD, {"gap": -1.0}, "not negative"),
        (GOOD[:5], {}, "5 frames are too few"),
        (GOOD[::-1], {}, "times must increase, but frame 1"),
        (np.zeros(100), {}, "times must increase"),
    ],
)
def test_what_cannot_be_filtered_is_refused_with_the_way_out(t, settings, words):
    with pytest.raises(rg.ModelError, match=words):
        smooth_points(t, np.zeros((len(t), 3)), **settings)


def test_joints_that_are_wrong_are_named():
    t = np.arange(0.0, 1.0, 0.01)
    q = floating(t)[0]
    never, long, seldom = q.copy(), q.copy(), q.copy()
    never[:, 7:] = np.nan
    long[50, 7:] *= 2.0
    seldom[::2] = np.nan
    with pytest.raises(rg.ModelError, match="'joint1' was recorded in no frame"):
        smooth(BALL, t, never)
    with pytest.raises(rg.ModelError, match="'joint1' has length 2 in frame 50"):
        smooth(BALL, t, long)
    with pytest.raises(rg.ModelError, match="in no 6 frames on end"):
        smooth(BALL, t, seldom, gap=0.0)
    with pytest.raises(rg.ModelError, match=r"positions \(n, 11\)"):
        smooth(BALL, t, q[:, :4])


def test_a_jump_of_a_rotation_is_told():
    t = np.arange(0.0, 1.0, 0.01)
    q = floating(t)[0]
    q[40:, 7:] = quaternions(Rotation.from_quat(q[40:, 7:], scalar_first=True) * Rotation.from_rotvec((0.0, 2.0, 0.0)))
    assert "joint1 turns by more than a right angle within one frame, 1 times, first at 0.39 s" in smooth(BALL, t, q).notes


def test_ten_thousand_frames_of_a_figure_take_well_under_a_second():
    figure = chain(rg.Free(), *[rg.Spherical() for _ in range(12)])
    t = np.arange(10_000) / 120.0
    q = np.concatenate([floating(t)[0][:, :7], *[quaternions(tumbling(t, k)[0]) for k in range(12)]], axis=1)
    smooth(figure, t[:100], q[:100])
    took = []
    for _ in range(3):
        start = time.process_time()
        smooth(figure, t, q)
        took.append(time.process_time() - start)
    assert min(took) < 0.8


# --- beside OpenSim ------------------------------------------------------------------------------------------------------


def table(path, skip, separator=None):
    return np.loadtxt(path, skiprows=skip, delimiter=separator)


def test_our_filter_and_derivatives_are_those_of_opensim(shared_data):
    """q, u and u̇ of OpenSim 4.6 from the same angles, at 6 Hz: they agree far within what would show in a joint torque."""
    folder = "mocap/gait10dof18musc/"
    given = table(shared_data(folder + "subject01_walk_IK.mot"), 11)
    theirs = table(shared_data(folder + "opensim46_kinematics_gait10dof18musc_lp6.csv"), 1, ",")[:, 1:]
    slides = (1, 2)
    q = given[:, 1:] * np.where(np.isin(np.arange(10), slides), 1.0, np.pi / 180.0)
    mech = chain(*[rg.Prismatic((1, 0, 0)) if k in slides else rg.Revolute((0, 1, 0)) for k in range(10)])
    found = smooth(mech, given[:, 0], q, ends="reflect")
    for ours, reference, bound in zip((found.q, found.v, found.a), np.split(theirs, 3, axis=1), (1e-5, 1e-4, 1e-2), strict=True):
        assert np.sqrt(np.mean((ours - reference) ** 2, axis=0)).max() < bound


# --- plates --------------------------------------------------------------------------------------------------------------


def plate():
    t = np.arange(0.0, 1.0, 0.001)
    load = np.clip(np.sin(2 * np.pi * t), 0.0, None) * 700.0
    force = np.stack([0.1 * load, 0.0 * load, load], axis=1)
    point = np.stack([0.1 + 0.2 * t, 0.05 + 0 * t, 0 * t], axis=1)
    point[load < 1.0] = np.nan
    return Plate("left", t, force, point, np.stack([0 * t, 0 * t, 0.01 * load], axis=1))


def test_a_resampled_plate_has_the_same_wrench_and_no_point_without_load():
    p = plate()
    at = np.arange(0.0, 0.99, 1 / 60)
    new = resample(p, at)
    bears = np.isfinite(new.point).all(axis=1)
    assert np.array_equal(bears, new.force[:, 2] >= 1.0)
    assert np.all(new.force[~bears] == 0.0)
    wrench = np.cross(np.nan_to_num(p.point), p.force) + p.moment
    for k in range(3):
        about = np.cross(new.point, new.force) + new.moment
        assert np.abs(about[bears, k] - np.interp(at, p.t, wrench[:, k])[bears]).max() < 1e-9
    assert np.abs(new.point[bears, 0] - (0.1 + 0.2 * at[bears])).max() < 1e-3
    soft = resample(p, at, cutoff=20.0)
    assert 0.0 < np.abs(soft.force - new.force).max() < 0.1 * 700.0


def test_a_plate_of_another_time_is_refused():
    with pytest.raises(rg.ModelError, match=r"'left' was measured from 0 to 0.999 s, the frames are from 0.5 to 2 s"):
        resample(plate(), np.linspace(0.5, 2.0, 50))
    with pytest.raises(rg.ModelError, match="nothing to resample"):
        resample(plate(), [])
