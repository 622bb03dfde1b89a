"""Ready-made models against the numbers that their sources print."""

import math

import pytest

import regraft as rg
from regraft.models import anthropometry, simplest_walker

# Winter, Biomechanics and Motor Control of Human Movement, 4th edition: mass and length as fractions of the body's, then centre
# of mass from the proximal end and radius of gyration as fractions of the segment's length
WINTER = {
    "UPPER_ARM": (0.028, 0.186, 0.436, 0.322),
    "FOREARM": (0.016, 0.146, 0.430, 0.303),
    "HAND": (0.006, 0.108, 0.506, 0.297),
    "THIGH": (0.100, 0.245, 0.433, 0.323),
    "SHANK": (0.0465, 0.246, 0.433, 0.302),
    "FOOT": (0.0145, 0.152, 0.50, 0.475),
    "TRUNK": (0.497, 0.288, 0.50, 0.50),
}
HEIGHTS = {"shoulder": 0.818, "ear": 0.936, "hip": 0.530, "ankle": 0.039}


@pytest.mark.parametrize("name", WINTER)
def test_each_row_of_the_table_is_winters(name):
    assert tuple(getattr(anthropometry, name)) == WINTER[name]


def test_the_rest_of_the_table_is_winters():
    head = anthropometry.HEAD
    assert (head.mass, head.com, head.gyration) == (0.081, 1.0, 0.495)
    assert head.length == pytest.approx(HEIGHTS["ear"] - HEIGHTS["shoulder"], abs=1e-15)
    assert pytest.approx(1.0 - HEIGHTS["shoulder"], abs=1e-15) == anthropometry.HEAD_TOP
    assert (anthropometry.SHOULDERS, anthropometry.HIPS) == (0.259, 0.191)
    assert (HEIGHTS["hip"], HEIGHTS["ankle"]) == (anthropometry.HIP_HEIGHT, anthropometry.ANKLE_HEIGHT)


def test_the_parts_of_the_trunk_add_up_to_it_and_all_segments_to_the_body():
    pelvis, chest, girdle, trunk = (getattr(anthropometry, name) for name in ("PELVIS", "CHEST", "GIRDLE", "TRUNK"))
    assert pelvis.mass + chest.mass + 2 * girdle.mass == pytest.approx(0.139 + 0.142 + 0.216, abs=1e-15)  # the table's parts
    assert pelvis.mass == pytest.approx(0.139 + 0.142, abs=1e-15)
    assert pelvis.length + chest.length == pytest.approx(trunk.length, abs=1e-15)
    assert pelvis.length / chest.length == pytest.approx(3 / 5, abs=1e-15)
    assert girdle.length == 0.259 / 2
    limbs = sum(WINTER[name][0] for name in ("UPPER_ARM", "FOREARM", "HAND", "THIGH", "SHANK", "FOOT"))
    assert trunk.mass + anthropometry.HEAD.mass + 2 * limbs == pytest.approx(1.0, abs=1e-12)


def test_a_segment_is_as_long_wide_and_hard_to_turn_as_its_row_says():
    size = anthropometry.Size(70.0, 1.8)
    mass, length = 0.0465 * 70.0, 0.246 * 1.8
    shank = size.inertia(anthropometry.SHANK, along=(1.0, 0.0, 0.0), start=(0.0, 0.2, 0.0))
    assert shank.mass == pytest.approx(mass, rel=1e-14)
    assert size.length(anthropometry.SHANK) == pytest.approx(length, rel=1e-14)
    assert shank.com == pytest.approx([0.433 * length, 0.2, 0.0], abs=1e-14)
    radius = size.radius(anthropometry.SHANK)
    assert math.pi * radius**2 * length * 1060.0 == pytest.approx(mass, rel=1e-12)  # Winter: a body as a whole has 1.06 kg/l
    across = mass * (0.302 * length) ** 2
    assert [shank.tensor[i, i] for i in range(3)] == pytest.approx([0.5 * mass * radius**2, across, across], rel=1e-12)


# --- the simplest walker on other slopes ---------------------------------------------------------------------------------


def test_its_long_gait_loses_stability_at_the_published_slope():
    """At γ = 0.0150884379411 a multiplier of the long gait is −1; it is the foot's mass that leaves the sixth digit."""
    biped = simplest_walker(slope=0.0150884379411, foot_mass=1e-6)
    cycle = rg.gait.limit_cycle(*biped.start, biped.events, section=("left strike", "right strike"))
    assert min(abs(cycle.multipliers + 1.0)) < 1e-4


@pytest.mark.parametrize("slope", [0.001, 0.004])
def test_on_other_slopes_it_starts_near_its_gait_with_both_feet_on_the_ground(slope):
    """Small gaits scale as the cube root of the slope, with a correction that does as the slope itself (Garcia et al.)."""
    biped = simplest_walker(slope=slope)
    legs = biped.legs(*biped.start)
    assert legs.stance + legs.swing == pytest.approx(-2.0 * slope, abs=1e-12)
    assert legs.stance - legs.swing == pytest.approx(2.0 * 0.2003109005442 * math.cbrt(slope / 0.009), rel=0.01)
    cycle = rg.gait.limit_cycle(*biped.start, biped.events, section=("left strike", "right strike"))
    gait = biped.legs(cycle.mech, cycle.state)
    assert (gait.stance + slope, gait.stance_rate) == pytest.approx((legs.stance + slope, legs.stance_rate), rel=2e-4)
    assert (biped.slope, biped.length) == (slope, 1.0)
    assert sum(body.inertia.mass for body in biped.mech.bodies.values()) == pytest.approx(1.0 + 2e-6, rel=1e-12)


@pytest.mark.parametrize("slope", [1e-6, 0.001, 0.004, 0.009])
def test_its_short_gait_starts_near_what_is_found(slope):
    biped = simplest_walker(slope=slope, gait="short")
    legs = biped.legs(*biped.start)
    cycle = rg.gait.limit_cycle(*biped.start, biped.events)
    assert biped.legs(cycle.mech, cycle.state) == pytest.approx(legs, rel=1e-3, abs=1e-4)
    assert 3.0 < cycle.period < math.pi
    assert not cycle.stable


def test_other_gaits_are_refused():
    with pytest.raises(rg.ModelError, match="'long' or 'short'"):
        simplest_walker(gait="run")


def test_feet_without_mass_are_refused():
    with pytest.raises(rg.ModelError, match="foot_mass must be positive"):
        simplest_walker(foot_mass=0.0)
