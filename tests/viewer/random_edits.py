"""A hand that changes a mechanism at random while it moves, and looks after each change whether all is as it must be."""

from __future__ import annotations

import numpy as np

import regraft as rg
from regraft.ask.assembly import assembled
from regraft.viewer.session import Session, is_finite
from regraft.viewer.words import JOINT_CHOICES

FALLEN = 200.0
"""m: what is farther away than this is taken back to the beginning, as anybody would do."""


def random_edit(session, rng):
    """One of all changes that a page can make; returns its entry in the log, None for a motion."""
    mech = session.mech
    joints, bodies = list(mech.joints), list(mech.bodies)
    kind = rng.choice(["cut", "connect", "root", "catch", "gravity", "damping", "joint", "rest", "reset", "undo", "redo", "pull"],
                      p=[0.16, 0.18, 0.12, 0.08, 0.04, 0.04, 0.1, 0.03, 0.05, 0.12, 0.05, 0.03])  # fmt: skip
    if kind == "cut":
        return session.cut(str(rng.choice([*joints, "no such joint"])))
    if kind == "connect":
        a, b = (str(name) for name in rng.choice(["world", *bodies], 2))
        return session.connect(a, b, str(rng.choice(JOINT_CHOICES)))
    if kind == "root":
        return session.reroot(str(rng.choice(bodies)))
    if kind == "catch":
        return session.reroot(str(rng.choice(bodies)), str(rng.choice(JOINT_CHOICES)), impact=True)
    if kind == "gravity":
        return session.set_gravity(rng.uniform(-10, 10, 3))
    if kind == "damping":
        return session.set_damping(float(rng.uniform(0, 3)))
    if kind == "joint":
        name = str(rng.choice(list(mech.layout.names)))
        return session.set_joint(name, session.coordinates(name) + rng.uniform(-0.1, 0.1, mech.joints[name].type.nv))
    if kind == "pull":
        session.hold(str(rng.choice(bodies)), rng.uniform(-0.2, 0.2, 3), rng.uniform(-1, 3, 3))
        session.advance()
        session.let_go()
        return None
    return {"rest": session.stop, "reset": session.reset, "undo": session.undo, "redo": session.redo}[kind]()


def edit_and_look(session, rng):
    """A change, and what must hold after it; undone and done again, it is what it was."""
    before = session.moment
    entry = random_edit(session, rng)
    after = session.moment
    look(session)
    if entry is None:
        return
    if entry.failed:
        assert after is before
    elif entry.kind == "change" and rng.random() < 0.3:
        session.undo()
        if not entry.words.startswith("Put the joint"):  # one that goes on from another that was put just before
            assert session.moment.same_as(session.history.next_redo.before)
        session.redo()
        assert session.moment.same_as(after)


def look(session):
    """Numbers are finite and loops are closed."""
    assert is_finite(session.moment)
    assembled(session.mech, session.state)
    assert session.mech.bodies.keys() == session.first.mech.bodies.keys()


def move(session, rng):
    """A few steps; far away, or after a simulation that could not go on, back to the beginning."""
    for _ in range(rng.integers(1, 4)):
        if not session.advance():
            session.reset()
    centre = rg.center_of_mass(session.mech, session.state)
    if np.abs(centre).max() > FALLEN or rg.energy(session.mech, session.state).kinetic > 1e6:
        session.reset()


def edit_at_random(model, seed, count):
    """A session after so many changes."""
    rng, session = np.random.default_rng(seed), Session(*model.start)
    for _ in range(count):
        edit_and_look(session, rng)
        move(session, rng)
    return session
