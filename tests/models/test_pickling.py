"""Ready-made models with their events: copied, pickled and sent to another process, they move alike to the last bit."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import regraft as rg

MODELS = {
    "pendulum": rg.models.pendulum,
    "four_bars": rg.models.four_bars,
    "squeezer": rg.models.squeezer,
    "four_bar": rg.models.four_bar,
    "bricard": rg.models.bricard,
    "compass_biped": rg.models.compass_biped,
    "simplest_walker": rg.models.simplest_walker,
    "round_footed_biped": rg.models.round_footed_biped,
    "kneed_walker": rg.models.kneed_walker,
    "rimless_wheel": rg.models.rimless_wheel,
    "spring_runner": rg.models.spring_runner,
    "human_figure": rg.models.human_figure,
    "spherical_figure": rg.models.spherical_figure,
    "high_bar": lambda: rg.models.high_bar(release=(0.02, 0.04)),
    "swing": lambda: rg.models.swing(tears=0.02),
    "skeleton_example": rg.models.skeleton_example,
    "character": rg.models.character,
}
SPANS = {
    "compass_biped": 1.0,
    "simplest_walker": 4.0,
    "round_footed_biped": 1.0,
    "kneed_walker": 0.6,
    "rimless_wheel": 1.2,
    "spring_runner": 0.3,
    "squeezer": 0.005,
    "character": 0.02,
}
"""How long each is to move, where a twentieth of a second would be too short for its events, or too long."""


def test_every_model_is_here():
    made = {name for name in rg.models.__all__ if not isinstance(getattr(rg.models, name), type)}
    assert made == set(MODELS)


def run(model, span):
    """All samples and events of a run."""
    mech, state = model.start if hasattr(model, "start") else (model.mech, model.state)
    options = {"wrenches": model.wrenches} if getattr(model, "wrenches", None) else {}
    traj = rg.simulate(mech, state, span, events=getattr(model, "events", ()), **options)
    return traj.t, [segment.x for segment in traj.segments], traj.events


def assert_alike(found, expected):
    assert np.array_equal(found[0], expected[0])
    assert all(np.array_equal(a, b) for a, b in zip(found[1], expected[1], strict=True))
    assert found[2] == expected[2]


@pytest.mark.parametrize("name", MODELS)
def test_copies_move_alike(name):
    model, span = MODELS[name](), SPANS.get(name, 0.05)
    expected = run(model, span)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.mech.to_dict() == model.mech.to_dict()
        assert_alike(run(again, span), expected)


@pytest.fixture(scope="module")
def another_process():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


@pytest.mark.parametrize("name", ["compass_biped", "high_bar", "swing"])
def test_in_another_process_they_move_alike(name, another_process):
    model, span = MODELS[name](), SPANS.get(name, 0.05)
    found = another_process.apply(run, (model, span))
    expected = run(model, span)
    assert len(expected[2]) > 0  # the structure does change
    assert_alike(found, expected)


def test_stop_stays_what_it_is():
    assert pickle.loads(pickle.dumps(rg.STOP)) is rg.STOP
    assert copy.deepcopy(rg.STOP) is rg.STOP
    event = pickle.loads(pickle.dumps(rg.at_time(0.1, rg.STOP)))
    assert rg.simulate(*rg.models.pendulum().start, 1.0, events=event).t[-1] == 0.1
