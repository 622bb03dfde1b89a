"""Derivatives of the return map against ones that were found another way."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import regraft as rg
from regraft.gait.differences import jacobian_at_zero
from regraft.gait.match import apart, moved
from regraft.gait.returns import ReturnMap
from regraft.gait.sensitivity import is_exact, passage_derivative
from regraft.simulate.events import check_events
from regraft.simulate.settings import Options, method_of, settings_of
from walkers import COMPASS_SLOPE, compass_biped


def return_map(mech, events, wrenches=None):
    found, method = check_events(events, mech), method_of("dopri5")
    settings = settings_of(method, mech, Options(wrenches=wrenches, rtol=1e-12, atol=1e-13))
    return ReturnMap(mech, found, tuple(event.name for event in found), 1, None, method, settings, 20.0)


# --- the compass biped by hand: absolute angles of the stance and the swing leg, on Python's complex numbers ------------


def accelerations(x):
    a, b, u, w = x
    s, c = np.sin(a - b), np.cos(a - b)
    mass = np.array([[3.25, -0.5 * c], [-0.5 * c, 0.25]])
    return np.linalg.solve(mass, [0.5 * s * w * w + 9.81 * 3.5 * np.sin(a), -0.5 * s * u * u - 9.81 * 0.5 * np.sin(b)])


def flow(x):
    return np.concatenate((x[2:], accelerations(x)))


def height(x):
    foot = np.sin(x[0]) - np.sin(x[1]), np.cos(x[0]) - np.cos(x[1])
    return foot[1] - np.tan(COMPASS_SLOPE) * foot[0]


def moment(arm, velocity):
    return arm[1] * velocity[0] - arm[0] * velocity[1]


def momenta(stance, swing, u, w):
    """Angular momenta of all about the stance foot, and of the swing leg about the hip."""
    up, down = np.array([np.sin(stance), np.cos(stance)]), np.array([np.sin(swing), np.cos(swing)])
    hip_speed = u * np.array([np.cos(stance), -np.sin(stance)])
    mid_speed = hip_speed - 0.5 * w * np.array([np.cos(swing), -np.sin(swing)])
    swing_leg = moment(-0.5 * down, mid_speed)
    return np.array([0.25 * u + 2.0 * moment(up, hip_speed) + moment(up - 0.5 * down, mid_speed), swing_leg])


def strike(x):
    """Momentum is kept about the new foot, and of the old stance leg about the hip (S1 8.5)."""
    a, b, u, w = x
    up, down = np.array([np.sin(a), np.cos(a)]), np.array([np.sin(b), np.cos(b)])
    hip_speed = u * np.array([np.cos(a), -np.sin(a)])
    mid_speed = hip_speed - 0.5 * w * np.array([np.cos(b), -np.sin(b)])
    old_speed = 0.5 * hip_speed
    whole = moment(0.5 * down, mid_speed) + 2.0 * moment(down, hip_speed) + moment(down - 0.5 * up, old_speed)
    kept = np.array([whole, moment(-0.5 * up, old_speed)])
    columns = np.array([momenta(b, a, 1.0, 0.0), momenta(b, a, 0.0, 1.0)]).T
    return np.concatenate(([b, a], np.linalg.solve(columns, kept)))


def by_complex_step(function, x):
    return np.array([np.imag(function(x + 1e-30j * unit)) / 1e-30 for unit in np.eye(len(x))]).T


def variational(_, y):
    return np.concatenate((flow(y[:4]), (by_complex_step(flow, y[:4]) @ y[4:].reshape(4, 4)).ravel()))


TO_ABSOLUTE = np.array([[1.0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])


def strikes_as_data():
    """Those of `compass_biped`, of which the derivatives are known."""
    hinge = rg.Revolute((0, 1, 0))
    lands = [
        rg.strike(f"{side} foot", hinge, "stance", past=f"{other} foot", along=(-1, 0, 0), least=0.05)
        for side, other in (("left", "right"), ("right", "left"))
    ]
    return [rg.when_frame_below(one.foot, 0.0, one, slope=np.tan(COMPASS_SLOPE)) for one in lands]


@pytest.mark.parametrize("exact", [True, False])
def test_the_compass_bipeds_derivative_is_that_of_the_variational_equations(exact):
    mech, state, functions = compass_biped()
    cycle = rg.gait.limit_cycle(mech, state, strikes_as_data() if exact else functions, rtol=1e-12, atol=1e-13)
    assert cycle.exact == exact
    x = TO_ABSOLUTE @ np.concatenate((cycle.state.q, cycle.state.v))
    start = np.concatenate((x, np.eye(4).ravel()))
    y = solve_ivp(variational, (0, cycle.period), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    end, spread = y[:4], y[4:].reshape(4, 4)
    assert abs(height(end)) < 1e-10
    slope, rate = by_complex_step(lambda z: np.array([height(z)]), end)[0], flow(end)
    saltation = np.eye(4) - np.outer(rate, slope) / (slope @ rate)
    expected = by_complex_step(strike, end) @ saltation @ spread
    assert strike(end) == pytest.approx(x, abs=1e-10)
    found = TO_ABSOLUTE @ cycle.jacobian @ np.linalg.inv(TO_ABSOLUTE)
    assert np.abs(found - expected).max() < (1e-11 if exact else 1e-9)


# --- other ways within the library --------------------------------------------------------------------------------------


def tumbling():
    """A chain on a ball joint and a hinge, thrown so that its tip comes down through the ground; then it is turned and slowed."""
    mech = rg.Mechanism()
    mech.add_body("arm", rg.Inertia.box(2.0, (0.2, 0.3, 0.8), at=(0.05, 0.0, 0.3)))
    mech.add_body("hand", rg.Inertia.box(1.0, (0.1, 0.2, 0.4), at=(0.0, 0.1, 0.3)))
    mech.add_joint("ball", rg.Spherical(damping=0.05), "world", "arm", rg.Pose(translation=(0, 0, 1.0)))
    mech.add_joint("wrist", rg.Revolute((1, 0, 0), damping=0.02), "arm", "hand", rg.Pose(translation=(0, 0, 0.7)))
    mech.add_frame("tip", "hand", rg.Pose(translation=(0, 0, 0.6)))

    def turn(mech, state):
        q = rg.integrate(mech, state.q, 0.3 * np.sin(state.v))
        return mech, mech.state(q=q, v=state.v * (0.5 + 0.1 * np.cos(state.v[::-1])))

    lands = rg.when_frame_below("tip", 0.6, turn)
    state = mech.state(q={"ball": rg.Spherical().position(rg.Pose.about((1, 1, 0), 0.3))}, v=[0.5, 0.2, 0.9, -0.4])
    return mech, state, lands


def floating():
    """A free body on springs, without gravity, with a second body on a slider."""
    mech = rg.Mechanism((0, 0, 0))
    mech.add_body("box", rg.Inertia.box(2.0, (0.2, 0.3, 0.8)))
    mech.add_body("cart", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("base", rg.Free(), "world", "box")
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "box", "cart", rg.Pose(translation=(0, 0, 0.4)))
    mech.add_spring("up", "world", (0, 0, 2.0), "box", (0.1, 0.1, 0.4), stiffness=8.0, rest_length=1.5)
    mech.add_spring("along", "box", (-0.5, 0, 0.4), "cart", (0, 0, 0), stiffness=30.0, damping=0.3, rest_length=0.5)
    state = mech.state(v={"base": [0.1, 0.2, 0.1, 0.4, -0.3, 0.2], "rail": 0.6})
    return mech, state, rg.when_joint("rail", 0.0, direction=1)


@pytest.mark.parametrize("system", [tumbling, floating], ids=lambda system: system.__name__)
def test_the_variational_equations_agree_with_extrapolated_differences(system):
    mech, state, event = system()
    push = {list(mech.bodies)[-1]: (0.1, -0.2, 0.1, 0.3, 0.2, -0.1)}
    section = return_map(mech, event, push)
    found = section.passage(mech, state)
    assert is_exact(found) == (system is floating)  # nothing acts there
    exact = passage_derivative(section, found)
    assert np.abs(exact - passage_derivative(section, found, exact=False)).max() < 1e-9 * np.abs(exact).max()


def test_the_derivative_is_that_of_the_map_as_it_is_computed():
    """Differences of whole runs, with the steps that each of them chooses."""
    mech, state, event = tumbling()
    section = return_map(mech, event)
    base = section.passage(mech, state)

    def image(step):
        return apart(mech, section.image(section.passage(mech, moved(mech, state, step))), section.image(base))

    exact = passage_derivative(section, base)
    assert np.abs(exact - jacobian_at_zero(image, np.ones(2 * mech.nv))).max() < 1e-6 * np.abs(exact).max()


def test_a_guard_in_python_gives_the_same_derivative():
    mech, state, event = tumbling()
    section = return_map(mech, event)
    expected = passage_derivative(section, section.passage(mech, state))
    own = rg.Event("own", lambda mech, state: rg.frame_position(mech, state, "tip")[2] - 0.6, event.action)
    section = return_map(mech, own)
    found = section.passage(mech, state)
    assert not is_exact(found)
    assert np.abs(passage_derivative(section, found) - expected).max() < 1e-9 * np.abs(expected).max()


def test_an_event_at_a_time_behind_one_at_a_state():
    """A ball falls, bounces with the loss e, and is looked at a second after it was thrown: all in closed form."""
    g, e = 9.81, 0.8
    mech = rg.Mechanism()
    mech.add_body("ball", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("fall", rg.Prismatic((0, 0, 1)), "world", "ball")
    bounce = rg.when_joint("fall", 0.0, lambda mech, state: (mech, mech.state(q=[0.0], v=-e * state.v)), -1, name="bounce")
    events = check_events((bounce, rg.at_time(1.0, name="look")), mech)
    method = method_of("dopri5")
    settings = settings_of(method, mech, Options(rtol=1e-12, atol=1e-13))
    section = ReturnMap(mech, events, ("look",), 1, None, method, settings, 2.0)

    def closed(x):
        q, v = x
        hit = np.sqrt(v * v + 2 * g * q)
        left = 1.0 - (v + hit) / g
        return np.array([e * hit * left - 0.5 * g * left**2, e * hit - g * left])

    x = np.array([1.5, 0.4])
    for blind in (0.0, 0.01):
        found = section.passage(mech, mech.state(q=x[:1], v=x[1:]), blind)
        assert section.image(found)._x == pytest.approx(closed(x), abs=1e-11)
        assert np.abs(passage_derivative(section, found) - by_complex_step(closed, x)).max() < 1e-10


def test_differences_keep_inside_the_domain_of_a_function():
    found = jacobian_at_zero(lambda x: np.array([np.sin(x[0]) + x[1] ** 3, np.exp(x[0] - 2 * x[1])]), np.array([1.0, 1.0]))
    assert found == pytest.approx(np.array([[1.0, 0.0], [1.0, -2.0]]), abs=1e-12)
