"""The demonstration of contact: it writes what it says, and tells the truth."""

import csv
import math
from html import unescape

import numpy as np
import pytest

from demonstrations import check_files, check_motions, check_pictures, check_report, demonstrate, refusal
from regraft.demos.contact import pictures as contact_pictures
from regraft.demos.contact.blocks import BLOCK, LEAN, after_impact, dominoes, rocking_block
from regraft.demos.contact.coin import coin
from regraft.demos.contact.landing import landing
from regraft.demos.contact.motion import joule, move

STILL = ("dominoes.png", "dominoes_course.png", "block.png", "block_course.png")
MOTIONS = ("dominoes.html", "block.html")


@pytest.fixture(scope="module")
def performed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "contact"
    return folder, demonstrate("contact", folder, "--scene", "block", "--scene", "dominoes", "--dominoes", "3")


@pytest.fixture(scope="module")
def rocked():
    return move(rocking_block())


@pytest.fixture(scope="module")
def fallen():
    return move(dominoes(3))


@pytest.fixture(scope="module")
def landed():
    return move(landing())


def test_it_writes_what_it_says(performed):
    check_files(*performed, (*STILL, *MOTIONS, "dominoes_events.csv", "block_events.csv", "report.html"))


def test_every_picture_can_be_opened_and_is_small(performed):
    check_pictures(performed[0], STILL)
    check_motions(performed[0], MOTIONS)


def test_the_report_needs_nothing_but_itself(performed):
    folder, said = performed
    text = unescape(check_report(folder / "report.html", pictures=len(STILL), motions=2))
    for title in ("Dominoes", "A rocking block"):
        outcome = next(line for line in said.splitlines() if line.startswith(f"{title} came to rest"))
        assert outcome in text


def test_all_events_are_in_a_table(performed):
    with (performed[0] / "block_events.csv").open(encoding="utf-8") as file:
        events = list(csv.DictReader(file))
    assert events[-1]["event"] == "heel edge and toe edge come to rest"
    assert int(events[-1]["count"]) > 30


def test_motions_are_played_as_slowly_as_they_say(rocked, fallen, performed):
    said = unescape((performed[0] / "report.html").read_text(encoding="utf-8"))
    for moved in (rocked, fallen):
        factor = contact_pictures.slower(moved)
        assert factor * contact_pictures.shown_until(moved) >= contact_pictures.PLAYED or factor == contact_pictures.SLOWER[-1]
        assert (f"{moved.plan.title}, {factor:g} times slower" if factor > 1 else f"{moved.plan.title}, as fast") in said


def test_a_rocking_block_loses_as_much_as_housner_says(rocked):
    kept = after_impact(BLOCK)
    assert kept == pytest.approx(0.85, rel=1e-15)
    losses = [impact.energy for name in rocked.contacts for impact in rocked.contacts[name].impacts]
    first = sorted(losses, reverse=True)[:20]
    assert first[1:] == pytest.approx([first[0] * kept ** (2 * k) for k in range(1, 20)], rel=1e-7)
    start = 10.0 * 9.81 * 0.5 * (0.2 * math.sin(LEAN) + 0.6 * math.cos(LEAN) - 0.6)
    assert first[0] == pytest.approx(start * (1.0 - kept**2), rel=1e-8)


def test_a_rocking_block_stands_in_the_end(rocked):
    assert rocked.rests
    assert rocked.happened == len(rocked.struck) > 30
    assert rocked.rest == pytest.approx(rocked.traj.events[-1].t, abs=1e-3)
    assert rocked.traj.body("block 0").position[-1, 2] == pytest.approx(0.3, abs=1e-12)
    assert rocked.closed(rocked.traj.t[-1]) == 2
    assert rocked.closed(0.1) == 1


def test_energy_goes_where_friction_and_impacts_take_it(rocked, fallen):
    for moved in (rocked, fallen):
        start = moved.kinetic[0] + moved.potential[0]
        assert np.abs(moved.other).max() < 1e-8 * start
        for lost in (moved.friction, moved.impacts):
            assert np.diff(lost).min() > -1e-9 * start
    assert np.abs(rocked.friction).max() < 1e-12
    assert fallen.friction[-1] > 1e-4


def test_dominoes_fall_one_after_the_other(fallen):
    first = {event.name: event.t for event in reversed(fallen.traj.events)}
    assert first["0 on 1 touches"] < first["1 on 2 touches"]
    tilts = [np.degrees(np.arccos(fallen.traj.body(f"block {k}").rotation[-1, 2, 2])) for k in range(3)]
    assert tilts[2] == pytest.approx(90.0, abs=1e-6)  # the last one lies on its face
    assert all(70.0 < tilt < 90.0 for tilt in tilts[:2])
    assert fallen.rests


def test_the_ground_carries_what_rests(rocked, fallen, landed):
    for moved in (rocked, fallen, landed):
        normal, rubbing = moved.on_the_ground
        assert normal[-1] == pytest.approx(moved.weight, rel=1e-5)
        assert rubbing[-1] < 1e-4 * moved.weight


def test_a_figure_lands_and_comes_to_rest(landed):
    assert [event.name for event in landed.traj.events[:2]] == ["right hand lets go", "left hand lets go"]
    assert landed.rests
    gaps = np.array([point.gap for name in landed.contacts for point in landed.contacts[name].points])
    assert gaps.min() > -1e-7
    assert landed.closed(landed.traj.t[-1]) >= 3
    assert landed.other[-1] > 0.0  # what the limits of the joints took
    total = landed.kinetic + landed.potential
    assert np.diff(total).max() < 1e-6 * total[0]


def test_a_coin_rolls_before_it_slides():
    plan = coin()
    moved = move(type(plan)(**{field: getattr(plan, field) for field in plan.__dataclass_fields__} | {"duration": 0.4}))
    rim = moved.modes["rim"]
    assert rim[0] == "rolling"
    assert "sliding" in rim
    rolls = rim == "rolling"
    assert np.abs(moved.friction[rolls]).max() < 1e-12
    assert moved.other[-1] > 0.0  # rolling resistance
    slips = np.linalg.norm(moved.contacts["disk"].slip[rolls], axis=1)
    assert slips.max() < 1e-8


def test_the_table_fits_a_terminal(performed):
    rows = performed[1].splitlines()[:5]
    assert rows[1].startswith("scene")
    assert max(map(len, rows)) <= 80


def test_energies_have_units_that_suit_them():
    told = [joule(value) for value in (2496.3, 0.0104, -3.1e-13, 0.0, -4.4e-12)]
    assert told == ["2.5 kJ", "10.4 mJ", "0 J", "0 J", "-4.4 pJ"]


def test_what_is_no_scene_is_refused(tmp_path):
    told = refusal("contact", tmp_path, "--scene", "ball")
    assert "there is no scene 'ball'; there are: 'landing', 'dominoes', 'block', 'coin'" in told
    assert "a row has at least 2, not 1" in refusal("contact", tmp_path, "--dominoes", "1")
