"""Branches of periodic motions: maps in closed form as motions with events, walkers with published numbers, what is refused."""

import math
import pickle

import numpy as np
import pytest

import regraft as rg
from known_maps import as_motion, delayed_logistic, henon, sampled_pd

MASSES = np.array([1.0, 0.5, 0.25, 0.125]) * 1e-3
TO_ZERO = np.array([np.prod([b / (b - a) for b in MASSES if b != a]) for a in MASSES])
"""Weights that make of numbers at these foot masses the one at none: each is a series in the mass."""


def walker(mass, gait="long"):
    return lambda slope: rg.models.simplest_walker(slope, mass, gait)


def goswami(degrees):
    """The compass of Goswami, Thuilot and Espiau (INRIA RR-2996): hip 10 kg, legs 5 kg, a = b = 0.5 m."""
    return rg.models.compass_biped(hip_mass=10.0, leg_mass=5.0, slope=math.radians(degrees))


# --- closed forms, as motions ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def henon_branch():
    with pytest.warns(rg.RegraftWarning, match=r"26 points and is not complete: it has its most points, 26"):
        return rg.gait.continuation(
            as_motion(henon, [0.63, 0.19]), (-0.5, 1.0), start=0.9, name="a", most=26, largest_arc_step=0.3, state_size=3.0
        )


def test_a_branch_passes_its_fold_and_its_flip(henon_branch):
    assert [kind for kind, _ in henon_branch.points] == ["fold", "flip"]
    assert [a for _, a in henon_branch.points] == pytest.approx([-0.1225, 0.3675], abs=1e-8)
    assert henon_branch.period == pytest.approx(np.ones(len(henon_branch)), abs=1e-12)
    assert henon_branch.parameter[-1] == 1.0
    assert henon_branch.residual.max() < 1e-10
    a, x = henon_branch.parameter, henon_branch.v[:, 1]
    assert a * x**2 + 0.7 * x - 1.0 == pytest.approx(np.zeros(len(a)), abs=1e-9)
    fold, flip = henon_branch.points
    assert henon_branch.stable[fold.number + 1 : flip.number].all()
    assert not henon_branch.stable[: fold.number].any()
    assert not henon_branch.stable[flip.number + 1 :].any()
    assert flip.multipliers[0] == pytest.approx(-1.0, abs=1e-8)


def test_multipliers_are_those_of_the_map(henon_branch):
    for a, state, found in zip(henon_branch.parameter, henon_branch.states, henon_branch.multipliers, strict=True):
        half = -a * state.v[1]
        expected = sorted([half + math.sqrt(half**2 + 0.3), half - math.sqrt(half**2 + 0.3)], key=abs)[::-1]
        assert found[:2] == pytest.approx(expected, abs=1e-7)
        assert abs(found[2:]).max() < 1e-9


def test_a_branch_that_has_its_most_points_says_so(henon_branch):
    assert not henon_branch.complete
    assert len(henon_branch) == 26
    assert henon_branch.ends == ("it has its most points, 26", "the end of the range, 1, was reached")


def test_the_branch_of_twice_the_period_begins_at_the_flip(henon_branch):
    """Points of period 2 of Hénon's map: a² x² − 0.7 a x + 0.49 − a = 0."""
    double = henon_branch.switch(parameter=(0.0, 0.8))
    assert double.returns == 2
    assert double.complete
    assert double.parameter[0] == pytest.approx(0.3675, abs=1e-8)
    assert double.parameter[-1] == 0.8
    assert double.period == pytest.approx(np.full(len(double), 2.0), abs=1e-12)
    a, x = double.parameter[1:], double.v[1:, 1]
    assert a**2 * x**2 - 0.7 * a * x + 0.49 - a == pytest.approx(np.zeros(len(a)), abs=1e-9)
    assert double.stable[1:].all()
    again = henon_branch.switch(1, (0.0, 0.8))
    assert np.array_equal(again.v, double.v)


def test_a_torus_is_born_where_the_delayed_logistic_map_has_it():
    branch = rg.gait.continuation(as_motion(delayed_logistic, [0.4, 0.4]), (1.6, 2.2))
    assert branch.points == [("neimark-sacker", pytest.approx(2.0, abs=1e-8))]
    assert branch.points[0].angle == pytest.approx(math.pi / 3.0, abs=1e-7)
    with pytest.raises(rg.ModelError, match="which this branch has not"):
        branch.switch()
    for number in (0, 7):
        with pytest.raises(rg.ModelError, match="which this is not"):
            branch.switch(number)
    with pytest.raises(rg.ModelError, match="parameter"):
        branch.at("here")
    with pytest.raises(rg.ModelError, match="cannot be called 'kind'"):
        rg.gait.continuation(as_motion(delayed_logistic, [0.4, 0.4]), (1.6, 2.2), name="kind")


def test_the_logistic_map_doubles_its_period_again_and_again():
    """Flips at r = 3, 1 + √6 and 3.5440903595519; the state has one number, along which the branches of a flip part."""
    branch = rg.gait.continuation(as_motion(lambda x, r: r * x * (1.0 - x), [0.6]), (2.5, 3.4), largest_arc_step=0.3)
    flips = [branch.points[0].parameter]
    for end in (3.5, 3.55):
        branch = branch.switch(parameter=(2.9, end))
        flips.append(branch.points[0].parameter)
    assert branch.returns == 4
    assert flips == pytest.approx([3.0, 1.0 + math.sqrt(6.0), 3.5440903595519], abs=1e-8)


def test_three_steps_of_the_logistic_map_come_out_of_a_fold():
    """The window of period 3 begins at r = 1 + √8."""
    x = 0.149888
    branch = rg.gait.continuation(
        as_motion(lambda x, r: r * x * (1.0 - x), [x]), (3.835, 3.82), start=3.835, returns=3, arc_step=0.1, largest_arc_step=0.3
    )
    (fold,) = [point for point in branch.points if point.kind == "fold"]
    assert fold.parameter == pytest.approx(1.0 + math.sqrt(8.0), abs=1e-9)
    assert fold.multipliers[0] == pytest.approx(1.0, abs=1e-6)
    assert branch.period == pytest.approx(np.full(len(branch), 3.0), abs=1e-9)


def test_sampled_control_loses_its_rest():
    flip = rg.gait.continuation(as_motion(lambda x, k: sampled_pd(x, k, 0.5), [0.0, 0.0]), (1.0, 3.5))
    assert flip.points == [("flip", pytest.approx(3.0, abs=1e-8))]
    torus = rg.gait.continuation(as_motion(lambda x, d: sampled_pd(x, 0.7, d), [0.0, 0.0]), (0.4, -0.3))
    assert torus.points == [("neimark-sacker", pytest.approx(0.0, abs=1e-8))]
    assert torus.parameter[[0, -1]].tolist() == [0.4, -0.3]


def pulled(force):
    """A cart that a constant force pulls back to where it is thrown out again; only the force depends on the parameter."""
    mech = rg.Mechanism((0.0, 0.0, 0.0))
    mech.add_body("cart", rg.Inertia.sphere(1.0, 0.1))
    mech.add_joint("rail", rg.Prismatic((1, 0, 0)), "world", "cart")

    def throw(mech, state):
        return mech, mech.state(v=[1.0 + 0.5 * abs(state.v[0])])

    back = rg.when_joint("rail", 0.0, throw, direction=-1)
    return {"mech": mech, "state": mech.state(v=[1.8]), "events": back, "torque": np.array([-force])}


def test_the_parameter_may_be_that_of_a_torque():
    branch = rg.gait.continuation(pulled, (2.0, 5.0))
    assert branch.complete
    assert branch.period == pytest.approx(4.0 / branch.parameter, abs=1e-9)
    assert branch.multipliers[:, 0] == pytest.approx(np.full(len(branch), 0.5), abs=1e-9)
    (there,) = branch.at(3.3)
    assert there.period == pytest.approx(4.0 / 3.3, abs=1e-9)
    assert branch.at(7.0) == []


# --- walkers -------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_gait():
    return rg.gait.continuation(walker(1e-3), (0.008, 0.0165), start=0.0095, name="slope", arc_step=0.05, largest_arc_step=0.3)


def test_the_simplest_walker_with_heavy_feet_is_that_of_bhounsule(long_gait):
    """Hip 1000 and feet 1, slope 0.009: angles and rates just after the strike, as published to fifteen digits."""
    (gait,) = long_gait.at(0.009)
    legs = rg.models.simplest_walker(0.009).legs(gait.mech, gait.state)
    found = legs.stance + 0.009, legs.stance_rate, legs.stance - legs.swing, legs.stance_rate - legs.swing_rate
    assert found == pytest.approx((0.200161072169750, -0.199906060087682, 0.400322144339512, -0.015805473227965), abs=1e-10)
    assert gait.period == pytest.approx(3.881940001276, abs=1e-9)


def test_a_branch_agrees_with_limit_cycles_of_its_own(long_gait):
    assert long_gait.parameter[[0, -1]].tolist() == [0.008, 0.0165]
    assert (np.diff(long_gait.parameter) > 0.0).all()
    slope = float(long_gait.parameter[-1])
    biped = rg.models.simplest_walker(slope, 1e-3)
    alone = rg.gait.limit_cycle(*biped.start, biped.events)
    assert long_gait.period[-1] == pytest.approx(alone.period, abs=1e-9)
    assert long_gait.multipliers[-1] == pytest.approx(alone.multipliers, abs=1e-7)
    assert long_gait.cycle(-1).jacobian == pytest.approx(alone.jacobian, abs=1e-7)
    assert long_gait.q[-1] == pytest.approx(alone.state.q, abs=1e-9)


def test_stability_is_lost_at_the_flip(long_gait):
    (flip,) = long_gait.points
    assert flip.kind == "flip"
    assert long_gait.stable[: flip.number].all()
    assert not long_gait.stable[flip.number + 1 :].any()
    assert min(abs(flip.multipliers + 1.0)) < 1e-8
    assert long_gait.states[flip.number] is flip.state
    assert long_gait.period[flip.number] == flip.period
    assert "flip at 0.01493508" in repr(long_gait)
    kind, parameter = pickle.loads(pickle.dumps(flip))
    assert (kind, parameter) == flip


def test_the_long_gait_flips_where_the_references_have_it():
    """The foot's mass goes to zero; to 1e-8."""
    flips = []
    for mass in MASSES:
        branch = rg.gait.continuation(walker(mass), (0.0148, 0.0152), arc_step=0.5, largest_arc_step=0.5)
        ((kind, slope),) = branch.points
        assert kind == "flip"
        flips.append(slope)
    assert TO_ZERO @ flips == pytest.approx(0.0150884379411, abs=1e-10)


@pytest.mark.parametrize(
    ("gait", "angle", "rate", "period", "multipliers"),
    [
        ("long", 0.2003109005442, -0.1998324730050, 3.88246375, [-0.19009984 + 0.55759878j, -0.19009984 - 0.55759878j]),
        ("short", 0.193937369810, -0.203866927442, 3.096105868078, [4.003864358930, 0.459589589798]),
    ],
)
def test_both_gaits_on_the_slope_of_the_references(gait, angle, rate, period, multipliers):
    rows = []
    for mass in MASSES:
        biped = rg.models.simplest_walker(0.009, mass, gait)
        cycle = rg.gait.limit_cycle(*biped.start, biped.events)
        legs = biped.legs(cycle.mech, cycle.state)
        rows.append([legs.stance + 0.009, legs.stance_rate, cycle.period, *cycle.multipliers[:2]])
    found = TO_ZERO @ np.array(rows)
    assert found[:2] == pytest.approx([angle, rate], abs=1e-9)
    assert found[2] == pytest.approx(period, abs=1e-8)
    assert sorted(found[3:], key=np.imag) == pytest.approx(sorted(multipliers, key=np.imag), abs=1e-7)


@pytest.mark.parametrize(("gait", "time"), [("long", 3.812092), ("short", math.pi)])
def test_both_gaits_come_out_of_the_slope_zero(gait, time):
    """There θ = (slope tanh²(τ/2))^⅓, and the time of a step is π or the root of tan(τ/2) = −3 tanh(τ/2)."""
    branch = rg.gait.continuation(
        walker(1e-6, gait), (1e-6, 0.009), state_size=1.0, arc_step=0.05, largest_arc_step=0.3, name="slope"
    )
    assert branch.complete
    assert branch.points == []
    assert branch.period[0] == pytest.approx(time, abs=1e-3)
    spread = 0.5 * abs(branch.q[0, 1])
    assert spread == pytest.approx(math.cbrt(1e-6 * math.tanh(0.5 * time) ** 2), rel=1e-3)
    biped = rg.models.simplest_walker(0.009, 1e-6, gait)
    alone = rg.gait.limit_cycle(*biped.start, biped.events)
    assert branch.period[-1] == pytest.approx(alone.period, abs=1e-8)
    assert (branch.stable == (gait == "long")).all()


@pytest.fixture(scope="module")
def compass():
    return rg.gait.continuation(goswami, (3.5, 5.2), name="slope", largest_arc_step=0.3)


def test_goswamis_compass_doubles_its_period_and_goes_on_unstable(compass):
    """RR-2996: period doubling near 4.4 degrees; the gait of one step is there beyond it."""
    assert compass.points == [("flip", pytest.approx(4.39089825, abs=1e-6))]
    assert compass.complete
    beyond = compass.parameter > compass.points[0].parameter + 1e-9
    assert beyond.sum() > 2
    assert not compass.stable[beyond].any()
    assert compass.residual.max() < 1e-10


def test_the_second_flip_of_the_compass(compass):
    """Near 4.9 degrees."""
    double = compass.switch(parameter=(4.3, 4.95))
    ((kind, slope),) = double.points
    assert (kind, slope) == ("flip", pytest.approx(4.91405676, abs=1e-6))
    stride = double.cycle(double.points[0].number - 1)
    steps = np.diff([0.0, *(event.t for event in stride.trajectory.events if "strike" in event.name)])
    assert len(steps) == 2
    assert abs(steps[1] - steps[0]) > 0.02  # it limps
    assert stride.stable


@pytest.mark.slow
def test_flips_of_the_compass_up_to_period_eight(compass):
    flips = [compass.points[0].parameter]
    branch = compass
    for _ in range(3):
        branch = branch.switch(parameter=(4.3, 5.06))
        flips.append(branch.points[0].parameter)
    assert branch.returns == 8
    assert flips == pytest.approx([4.39089825, 4.91405676, 5.01243776, 5.03347536], abs=1e-6)
    ratios = np.diff(flips)[:-1] / np.diff(flips)[1:]
    assert ratios[-1] == pytest.approx(4.669201609, rel=0.02)  # Feigenbaum


@pytest.mark.slow
def test_the_simplest_walker_has_periods_four_and_eight(long_gait):
    branch, flips = long_gait, [long_gait.points[0].parameter]
    for _ in range(3):
        branch = branch.switch(parameter=(0.014, 0.0188))
        flips.append(branch.points[0].parameter)
    assert branch.returns == 8
    ratios = np.diff(flips)[:-1] / np.diff(flips)[1:]
    assert ratios[-1] == pytest.approx(4.669201609, rel=0.03)
    attractor = branch.cycle(branch.points[0].number - 1)
    assert attractor.stable
    assert len([event for event in attractor.trajectory.events if "strike" in event.name]) >= 8


# --- tables, refusals ----------------------------------------------------------------------------------------------------------


def test_branches_are_tables(long_gait):
    table = long_gait.to_pandas()
    assert list(table.columns[:4]) == ["slope", "kind", "period", "stable"]
    assert table["slope"].to_numpy() == pytest.approx(long_gait.parameter, abs=0.0)
    assert table.loc[table["kind"] == "flip", "period"].tolist() == [long_gait.points[0].period]
    assert table["multiplier[0]"].to_numpy() == pytest.approx(long_gait.multipliers[:, 0], abs=0.0)
    data = long_gait.to_xarray()
    assert data["q"].shape == (len(long_gait), 2)
    assert np.array_equal(data["multipliers"].to_numpy(), long_gait.multipliers)
    assert data.coords["kind"].to_numpy()[long_gait.points[0].number] == "flip"
    assert np.array_equal(data.coords["slope"].to_numpy(), long_gait.parameter)
    assert data.attrs["returns"] == 1


def test_a_branch_ends_where_the_gait_does_and_says_why():
    """A ball that is thrown with less than nothing does not come back."""

    def thrown(push):
        model = pulled(2.0)
        if push < 0.3:
            raise rg.ModelError("the push is too small")
        return model | {
            "events": rg.when_joint("rail", 0.0, lambda m, s: (m, m.state(v=[push + 0.5 * abs(s.v[0])])), direction=-1)
        }

    with pytest.warns(rg.RegraftWarning, match=r"not complete: beyond 0.3.* the push is too small|has no derivative"):
        branch = rg.gait.continuation(thrown, (1.0, -1.0))
    assert not branch.complete
    assert 0.3 < branch.parameter[-1] < 0.5
    assert branch.v[:, 0] == pytest.approx(2.0 * branch.parameter, abs=1e-9)
    assert branch.ends[1].startswith("beyond 0.3")


def test_a_model_that_fails_ends_a_branch_which_is_kept():
    def fails(force):
        if force > 4.0:
            raise ValueError("no more than four newtons")
        return pulled(force)

    with pytest.warns(rg.RegraftWarning, match="not complete"):
        branch = rg.gait.continuation(fails, (2.0, 5.0))
    assert 3.5 < branch.parameter[-1] < 4.0
    assert branch.period == pytest.approx(4.0 / branch.parameter, abs=1e-9)
    with pytest.raises(ValueError, match="four newtons"):
        rg.gait.continuation(fails, (4.5, 2.0))


def test_legs_that_become_different_end_a_branch_of_single_steps():
    def uneven(extra):
        biped = goswami(4.0)
        inertia = {"left": rg.Inertia.point(5.0 + extra, at=(0, 0, -0.5)) + rg.Inertia.point(10.0)}
        mech, state = biped.start
        heavier = mech.replace(inertia=inertia)
        return heavier, heavier.state(q=state.q, v=state.v), biped.events

    with pytest.warns(rg.RegraftWarning, match="do not move alike"):
        branch = rg.gait.continuation(uneven, (0.0, 0.5), least_arc_step=1e-3)
    assert branch.parameter[-1] < 1e-3
    stride = rg.gait.continuation(uneven, (0.0, 0.5), returns=2, arc_step=0.3, largest_arc_step=0.5)
    assert stride.complete


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameter": (1.0, 1.0)}, "two different numbers"),
        ({"parameter": 2.0}, "two different numbers"),
        ({"parameter": (0.0, math.nan)}, "two different numbers"),
        ({"start": 9.0}, "within the range"),
        ({"arc_step": 0.0}, "in this order"),
        ({"arc_step": 0.2, "largest_arc_step": 0.1}, "in this order"),
        ({"most": 1}, "most must be"),
        ({"arc_step": "short"}, "arc_step must be real numbers, not 'short'"),
        ({"state_size": -1.0}, "state_size must be"),
        ({"state_size": "large"}, "state_size must be real numbers, not 'large'"),
        ({"name": 3}, "called by a text, not 3"),
        ({"model_of": None}, "model_of must be a function"),
    ],
    ids=str,
)
def test_what_makes_no_branch_is_refused(options, message):
    with pytest.raises(rg.ModelError, match=message):
        rg.gait.continuation(**({"model_of": pulled, "parameter": (2.0, 5.0)} | options))


@pytest.mark.parametrize("made", [None, 3.0, (1, 2, 3), {"mech": 1}, {"mech": 1, "state": 2, "foo": 3}], ids=str)
def test_what_is_no_model_is_refused(made):
    with pytest.raises(rg.ModelError, match=r"must return a model|a model that is a mapping has"):
        rg.gait.continuation(lambda p: made, (0.0, 1.0))  # noqa: ARG005


def test_another_structure_along_the_branch_is_refused():
    def changing(force):
        model = pulled(force)
        if force != 2.0:
            mech = model["mech"].copy()
            mech.add_body("more", rg.Inertia.sphere(1.0, 0.1))
            mech.add_joint("other", rg.Prismatic((1, 0, 0)), "cart", "more")
            model |= {"mech": mech, "state": mech.state(), "torque": np.zeros(2)}
        return model

    with pytest.raises(rg.SimulationError, match=r"no derivative by the parameter"):
        rg.gait.continuation(changing, (2.0, 5.0))
