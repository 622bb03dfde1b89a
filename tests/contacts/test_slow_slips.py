"""Slow slips, whose directions turn fast: modes that are chosen hold, and results tell the forces that moved the mechanism."""

from collections import Counter
from itertools import pairwise

import numpy as np

import regraft as rg
from contacts.laws import check_laws
from contacts.random_scenes import random_scene
from regraft.kernels.contacts.memory import MOST_PATIENCE, PATIENCE
from regraft.simulate.contacts.contacting import Contacting


def numbers(text):
    return [float(number) for number in text.split()]


Q = numbers("""
    0.13341895521203137 -0.7877582127483538 -0.32615602541306676 0.7708222286100782 -0.4491483274230237
    -0.3842398686392709 -0.23761017487003497 2.6047177915703332 -0.24394089799073854 0.48645533414189535
    0.36196190515958465 -0.2878372330004409 -0.7412789720454713 -2.960943259643012
""")
V = numbers("""
    -0.0010276357700886533 0.0006840272505041054 -0.0007607335244686184 0.0013480272713699195 0.0014236564359047202
    -0.001401860161328162 -0.0016768940469753027 0.0003093748061562426 0.06273873813254914 -0.0667734109262901
    -0.023676499529285074 -0.0009036599528790228
""")
"""A state of that scene, in which three or four points slide by micrometres in a second."""


FAST_ENOUGH = 1e-6
"""m/s; slower slips have hardly a direction of their own."""


def slides_slowly(duration):
    """The scene, and how it goes on from there."""
    scene = random_scene(5363)
    return scene, rg.simulate(scene.mech, scene.mech.state(q=Q, v=V), duration, contacts=scene.contacts)


def test_what_is_chosen_to_stick_does_not_slip_at_once():
    """Friction leans from the slip by the same angle where modes are chosen and in the steps that follow."""
    scene, traj = slides_slowly(0.007)
    check_laws(traj, scene)
    slips = Counter((event.t, event.name) for event in traj.events if event.name.endswith("slips"))
    assert len(slips) > 10
    assert max(slips.values()) == 1


def by_turns(contacting, *_):
    """In place of `lose_patience`: in every second segment no slip is looked ahead at."""
    patience = contacting.tables.kept[:, PATIENCE]
    patience[:] = 1.0 if patience[0] == MOST_PATIENCE else MOST_PATIENCE


def leaning(traj, scene, rows):
    """The sine of the largest angle by which friction leans from a slip, at some samples."""
    contacts, most = traj.contacts(), 0.0
    for touch in scene.touches:
        found = contacts[touch.a]
        speed = np.linalg.norm(found.slip[rows], axis=1)
        slides = (found.mode[rows] == "sliding") & (speed > FAST_ENOUGH)
        friction, slip = found.friction[rows][slides], found.slip[rows][slides] / speed[slides, None]
        across = np.linalg.norm(np.cross(friction, slip), axis=1) / np.linalg.norm(friction, axis=1)
        most = max(most, across.max(initial=0.0))
    return most


def test_whether_slips_were_looked_ahead_at_is_told_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(Contacting, "lose_patience", by_turns)
    scene, traj = slides_slowly(0.0005)
    traj.save(tmp_path / "motion.npz")
    starts = np.cumsum([0, *(len(segment.t) for segment in traj.segments)])
    leaned = [slice(start + 1, end - 1) for start, end in pairwise(starts)]
    assert len(leaned) >= 4
    for told in (traj, rg.load(tmp_path / "motion.npz")):
        for number, rows in enumerate(leaned):
            angle = leaning(told, scene, rows)
            assert angle < 1e-12 if number % 2 else angle > 0.1, number
