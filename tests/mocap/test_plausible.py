"""What cannot be right, by its factor: units of length, mass and time, belts, and plates; and bodies that are light."""

from dataclasses import replace

import numpy as np
import pytest

import regraft as rg
from mocap.marker_figures import walker
from mocap.recorded_skeletons import skeleton
from mocap.test_analysis import plates_of
from mocap.test_support import soles
from regraft.mocap import Plate, analyse, body
from regraft.mocap.analysis import _Analysis
from regraft.mocap.plates import least_load
from regraft.mocap.plausible import check_carried
from regraft.mocap.resampling import resample
from regraft.mocap.support import find_support

STILL = skeleton(n=60)


def longer(rec, factor):
    bones = tuple(b._replace(offset=factor * b.offset, tips=tuple(factor * tip for tip in b.tips)) for b in rec.bones)
    return replace(rec, bones=bones, origins=factor * rec.origins)


@pytest.fixture(scope="module")
def walk():
    motion = rg.mocap.normal_walk(cycles=2).motion
    return motion, analyse(motion)


# --- units ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factor", "scale"), [(100.0, r"0\.01 \(centimetres\)"), (1000.0, r"0\.001 \(millimetres\)"), (0.01, "height=")]
)
def test_a_unit_of_length_that_cannot_be_is_refused_by_its_factor(factor, scale):
    with pytest.raises(rg.ModelError, match=rf"m tall, which nobody is.*scale=.*{scale}"):
        body(longer(STILL, factor), mass=75.0)
    assert body(longer(STILL, factor), mass=75.0, height=1.75).mech.nv > 0  # the way out


def test_markers_in_a_wrong_unit_are_refused():
    rec = walker(n=30)[0]
    tall = replace(rec, markers={label: 1000.0 * track for label, track in rec.markers.items()})
    with pytest.raises(rg.ModelError, match="m tall, which nobody is"):
        body(tall, mass=75.0)


def test_an_unusual_height_is_told():
    with pytest.warns(rg.RegraftWarning, match=r"5\.25 m tall, which is unusual"):
        found = body(longer(STILL, 3.0), mass=500.0)
    assert any("unusual" in note for note in found.notes)
    assert not any("unusual" in note for note in body(STILL, mass=75.0).notes)


def test_a_height_in_centimetres_is_refused():
    with pytest.raises(rg.ModelError, match=r"height=175 is in metres.*height=1\.75"):
        body(STILL, mass=75.0, height=175.0)


@pytest.mark.parametrize(("mass", "message"), [(75000.0, r"masses are in kg\. Give mass=75\?"), (0.075, "masses are in kg")])
def test_a_mass_in_another_unit_is_refused(mass, message):
    with pytest.raises(rg.ModelError, match=message):
        body(STILL, mass=mass)


def test_an_unusual_mass_is_told():
    with pytest.warns(rg.RegraftWarning, match="a mass of 3 kg is"):
        assert any("a mass of 3 kg" in note for note in body(STILL, mass=3.0).notes)


@pytest.mark.parametrize("rate", [1.0, 0.1, 1e5])
def test_times_that_cannot_be_seconds_are_refused(rate):
    with pytest.raises(rg.ModelError, match=r"frames a second.*rg\.mocap\.load\(\.\.\., rate="):
        body(replace(STILL, t=np.arange(len(STILL.t)) / rate), mass=75.0)


def test_a_motion_of_ones_own_with_such_times_is_refused(walk):
    with pytest.raises(rg.ModelError, match="1 frames a second"):
        analyse(replace(walk[0], t=100.0 * walk[0].t, cutoff=None, raw=None), cutoff=None)


def test_a_low_rate_is_told():
    with pytest.warns(rg.RegraftWarning, match="20 frames a second, which is unusual"):
        body(replace(STILL, t=np.arange(len(STILL.t)) / 20.0), mass=75.0)


def test_forces_far_beyond_the_weight_are_told():
    assert check_carried(np.array([[0.0, 0.0, 700.0]] * 3), 700.0) == []
    with pytest.warns(rg.RegraftWarning, match=r"3 times the weight.*scale="):
        assert len(check_carried(np.array([[0.0, 0.0, 2100.0]] * 3), 700.0)) == 1


# --- light bodies --------------------------------------------------------------------------------------------------------------


def test_people_have_a_centre_of_pressure_from_20_newtons_on_and_lighter_bodies_from_less():
    assert least_load(60.0 * 9.81) == 20.0
    assert least_load(120.0 * 9.81) == 20.0
    assert least_load(2.0 * 9.81) == pytest.approx(0.04 * 2.0 * 9.81)


def test_a_light_body_has_the_centres_of_pressure_of_a_heavy_one(walk):
    """The same motion with a hundredth of all masses: forces are a hundredth, and points stay."""
    gait = walk[1]
    with pytest.warns(rg.RegraftWarning, match=r"a mass of 0\.7 kg"):
        motion = rg.mocap.normal_walk(cycles=2, mass=0.7).motion
    found = analyse(motion)
    for side in ("left", "right"):
        loaded = gait.reaction[side][:, 2] > 60.0
        np.testing.assert_allclose(found.pressure[side][loaded], gait.pressure[side][loaded], atol=1e-3)
    plates = [p._replace(force=0.01 * p.force, moment=0.01 * p.moment) for p in plates_of(*walk)]
    measured = analyse(motion, plates=plates)
    assert measured.measured == ("left", "right")
    assert (measured.phase == analyse(walk[0], plates=plates_of(*walk)).phase).mean() > 0.95


# --- plates --------------------------------------------------------------------------------------------------------------------


def test_a_plate_that_is_given_twice_is_refused(walk):
    left, right = plates_of(*walk)
    with pytest.raises(rg.ModelError, match=r"'left' and 'left' have measured the same.*twice"):
        analyse(walk[0], plates=[left, right, left])
    with pytest.raises(rg.ModelError, match="'left' and 'copy' have measured the same"):
        analyse(walk[0], plates=[left, right, left._replace(name="copy")])
    with pytest.raises(rg.ModelError, match="'left' and 'left' have one name"):
        analyse(walk[0], plates=[left, right._replace(name="left")])


@pytest.mark.parametrize("what", ["force", "moment", "point"])
def test_nan_in_plates_is_not_taken_for_nothing(walk, what):
    motion, _ = walk
    left, right = plates_of(*walk)
    loaded = np.flatnonzero(left.force[:, 2] > 300.0)
    middle = int(loaded[len(loaded) // 2])

    def broken(count):
        values = getattr(left, what).copy()
        values[middle : middle + count] = np.nan
        return [left._replace(**{what: values}), right]

    with pytest.raises(rg.ModelError, match=rf"the plate 'left' has no {what} \(NaN\) from .* is not taken for 0\. Fill"):
        analyse(motion, plates=broken(15))
    filled, whole = analyse(motion, plates=broken(3)), analyse(motion, plates=[left, right])
    assert any(f"3 samples without {what}, filled by straight lines" in note for note in filled.notes)
    np.testing.assert_allclose(filled.reaction["left"], whole.reaction["left"], atol=20.0)
    later = replace(motion, t=motion.t[middle + 30 :], q=motion.q[middle + 30 :], v=motion.v[middle + 30 :],
                    a=motion.a[middle + 30 :], raw=None, cutoff=None)  # fmt: skip
    assert analyse(later, plates=broken(15)).measured  # what is missing before the motion begins does not matter


def test_a_small_force_without_a_point_acts_where_it_did_before():
    """Readers leave the centre of pressure out where it is uncertain; the world's origin is no such point."""
    t = np.arange(6) / 100.0
    force = np.outer([0.0, 5.0, 300.0, 300.0, 8.0, 0.0], (0.0, 0.0, 1.0))
    point = np.full((6, 3), np.nan)
    point[2:4] = (2.0, 1.0, 0.0)
    found = resample(Plate("far", t, force, point, np.zeros((6, 3))), t)
    np.testing.assert_allclose(found.point[1:5], np.tile((2.0, 1.0, 0.0), (4, 1)))
    np.testing.assert_allclose(found.moment, 0.0, atol=1e-12)


# --- belts ---------------------------------------------------------------------------------------------------------------------


def test_a_positive_belt_carries_feet_backwards():
    given, _ = soles(belt=1.2)
    found = find_support(given, belt=1.2)
    np.testing.assert_allclose(found.belt, [-1.2, 0.0, 0.0], atol=1e-12)
    assert not any("wrong sign" in note for note in found.notes)


def test_a_belt_of_the_wrong_sign_is_found_and_told():
    given, _ = soles(belt=1.2)
    found = find_support(given, belt=-1.2)
    np.testing.assert_allclose(found.belt, [-1.2, 0.0, 0.0], atol=1e-12)
    assert any("belt=-1.2 has the wrong sign" in note and "Taken as belt=1.2" in note for note in found.notes)


def test_who_walks_backwards_has_a_belt_that_moves_forwards():
    given, _ = soles(belt=1.2)
    turned = given._replace(points=given.points * (-1.0, -1.0, 1.0), rates=given.rates * (-1.0, -1.0, 1.0))
    np.testing.assert_allclose(find_support(turned, belt=1.2).belt, [1.2, 0.0, 0.0], atol=1e-12)
    back = given._replace(points=given.points[::-1], rates=-given.rates[::-1])  # the same film, backwards
    found = find_support(back, belt=-1.2)
    np.testing.assert_allclose(found.belt, [1.2, 0.0, 0.0], atol=1e-12)
    assert not any("wrong sign" in note for note in found.notes)


def test_a_belt_that_does_not_fit_the_feet_is_told():
    moving, standing = soles(belt=1.2)[0], soles()[0]
    assert any("is it in m/s?" in note for note in find_support(moving, belt=4.3).notes)  # km/h
    assert any("do not move" in note for note in find_support(standing, belt=1.2).notes)
    assert any("belt=0 says" in note for note in find_support(moving, belt=0.0).notes)


# --- the root ------------------------------------------------------------------------------------------------------------------


def test_of_two_feet_the_one_that_carries_more_is_the_root(walk, monkeypatch):
    motion, gait = walk
    both = np.flatnonzero(gait.phase == "both")
    more = np.where(gait.reaction["left"][:, 2] > gait.reaction["right"][:, 2], "left_foot", "right_foot")
    apart = both[np.abs(gait.reaction["left"] - gait.reaction["right"])[both, 2] > 0.05 * gait.mass * 9.81]
    assert (gait.root[apart] == more[apart]).all()
    assert set(gait.root[apart]) == {"left_foot", "right_foot"}
    monkeypatch.setattr(_Analysis, "_rooted_where_most_is_carried", lambda *_: None)
    other = analyse(motion)  # the left foot is the root whenever both stand
    assert set(other.root[both]) == {"left_foot"}
    for side in ("left", "right"):  # what soles cannot give is weighed from the root, so that it makes a small difference
        assert np.abs(other.reaction[side] - gait.reaction[side]).max() < 0.02 * gait.mass * 9.81


# --- other mistakes ------------------------------------------------------------------------------------------------------------


def test_a_wrong_axis_upwards_is_told(tmp_path):
    rg.mocap.normal_walk(cycles=2).recording.save(tmp_path / "walk.bvh", up="y")
    assert not any("up=" in note for note in body(rg.mocap.load(tmp_path / "walk.bvh"), mass=70.0).notes if "hips" in note)
    with pytest.warns(rg.RegraftWarning, match=r"the hips are -?0\.\d+ of a leg's length above the feet.*up="):
        body(rg.mocap.load(tmp_path / "walk.bvh", up="x"), mass=70.0)


def test_files_are_read_before_they_get_a_body():
    with pytest.raises(rg.ModelError, match=r"body takes a Recording, as rg\.mocap\.load.*'walk\.bvh'"):
        body("walk.bvh", mass=70.0)
    with pytest.raises(rg.ModelError, match=r"static= takes a Recording.*'still\.bvh'"):
        body(STILL, mass=70.0, static="still.bvh")


def test_a_body_that_needs_the_ground_and_does_not_touch_it_is_told(walk):
    with pytest.warns(rg.RegraftWarning, match="no foot ever stands.*belt="):
        assert set(analyse(walk[0], belt=9.0).phase) == {"none"}
