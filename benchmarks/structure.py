"""Changes of structure: re-rooting against one forward dynamics, and against building the model again."""

from __future__ import annotations

from collections.abc import Callable

import pinocchio as pin

import regraft as rg
from subjects import MujocoTwin, Subject
from timing import Comparison, best, compare

FOOT = "lleg_wrist2_joint"  # what the last body of the sample humanoid's left leg is called


def reroot_comparisons(s: Subject) -> list[Comparison]:
    """The humanoid re-rooted from pelvis to foot, state included, then with the tables of its new tree."""
    twin = MujocoTwin(s.mech)

    def pin_aba() -> object:
        return pin.aba(s.model, s.data, s.q, s.v, s.tau)

    def recompile() -> object:
        return twin.spec.recompile(twin.model, twin.data)

    def reroot() -> object:
        return rg.reroot(s.mech, s.state, FOOT)

    def grip() -> object:
        return rg.reroot(s.mech, s.state, FOOT, joint=rg.Spherical(), align="current", velocity="impact")

    return [
        compare("reroot with its state", s.name, reroot, "pin.aba", pin_aba, 8.0, 1, 50),
        compare("reroot, ready for dynamics", s.name, reroot_and_derive(s, FOOT), "pin.aba", pin_aba, None, 1, 50),
        compare("reroot with an impact", s.name, grip, "pin.aba", pin_aba, None, 1, 50),
        compare("reroot with its state", s.name, reroot, "mujoco spec.recompile", recompile, 0.05, calls=100),
    ]


def reroot_and_derive(s: Subject, top: str) -> Callable[[], object]:
    """A re-rooting and the tables that the first question to the new mechanism needs."""
    return lambda: rg.reroot(s.mech, s.state, top)[0].structure.work


def reroot_time(s: Subject) -> float:
    """Microseconds to re-root a chain end to end, tables included."""
    return best(reroot_and_derive(s, list(s.mech.bodies)[-1]))
