"""A page on which somebody works at random for long: nothing breaks, nothing leaks, and it goes on in real time."""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest
from random_edits import FALLEN, edit_and_look, edit_at_random
from visitor import Visitor, until

import regraft as rg
from regraft.viewer.session import FRAME

pytest.importorskip("viser")

UNEXPECTED = "An error in the viewer"


def resident():
    """Bytes of memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def work(viewer, rng, count, pause):
    """So many changes at random while the page runs; far away, or when it stopped, back to the beginning."""
    session = viewer.session
    for _ in range(count):
        with session.lock:
            edit_and_look(session, rng)
            centre = rg.center_of_mass(session.mech, session.state)
            if np.abs(centre).max() > FALLEN or rg.energy(session.mech, session.state).kinetic > 1e6:
                session.reset()
        session.running = True
        time.sleep(pause)


def worked(model, seed, first, count, pause):
    """Memory that was taken by changes after the first ones, and what the visitor was told."""
    rng = np.random.default_rng(seed)
    for other in (5, 6, 7) if count > 1000 else ():
        edit_at_random(model, other, 500)  # what kernels are compiled and loaded for rare cases by then is no leak
    with rg.view(model.start, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.element("Play")
        work(viewer, rng, first, pause)
        gc.collect()
        before, page = resident(), viewer.pages[0]
        frames = page.frames
        work(viewer, rng, count, pause)
        until(lambda: page.frames > frames)
        gc.collect()
        assert page.worker.alive
        assert not any(words.startswith(UNEXPECTED) for words in visitor.told)
        visitor.told.clear()
        return resident() - before


def test_random_changes_while_a_page_runs():
    worked(rg.models.high_bar(), 11, 5, 60, 0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "seed"), [("high_bar", 4), ("four_bars", 6)])
def test_two_thousand_random_changes_while_a_page_runs_leak_nothing(model, seed):
    assert worked(getattr(rg.models, model)(), seed, 300, 2000, 0.03) < 20e6


def test_the_figure_on_the_high_bar_runs_step_by_step_of_a_sixtieth_of_a_second():
    """What that costs is measured by `benchmarks/viewing.py`."""
    with rg.view(rg.models.high_bar().start, browser=False) as viewer, Visitor(viewer) as visitor:
        visitor.press("Play")
        page = viewer.session and until(lambda: viewer.pages)[0]
        until(lambda: page.frames > 90)
        visitor.press("Pause")
        until(lambda: not viewer.session.running)
        steps = viewer.session.t / FRAME
        assert steps == pytest.approx(round(steps), abs=1e-9)
        assert steps >= 90
