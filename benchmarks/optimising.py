"""What exact derivatives of steps cost beside finite differences: two examples of the documentation, and larger mechanisms.

Part of ``make bench``; ``python benchmarks/optimising.py`` prints the figures of the pages on fitting and on the swing-up by
itself. Their code is taken from there.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import regraft as rg
from subjects import Subject, arm, humanoid
from timing import Comparison, compare

DOCS = Path(__file__).parent.parent / "docs"
STATES, SIZE, SMALL = 64, 1e-3, 1e-6
TURNS = 10


def page(name: str) -> dict[str, Any]:
    """What the code on a page defines."""
    found: dict[str, Any] = {"__name__": name}
    for code in re.findall(r"^```python\n(.*?)^```$", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(code, name, "exec"), found)
    return found


def swing_up() -> list[Comparison]:
    """A and B of all steps of a plan of the cart and its pole, and the whole of iterative LQR."""
    p = page("swing_up.md")
    x, u = p["x"], p["u"]

    def exact() -> object:
        return p["exact"](x, u)

    return [
        compare("A and B of a plan", "cart and pole", exact, "central differences, one simulate_batch",
                lambda: p["differences"](x, u), calls=5, turns=TURNS),
        compare("A and B of a plan", "cart and pole", exact, "central differences, simulate one by one",
                lambda: p["one_by_one"](x, u), calls=1, turns=TURNS),
        compare("iterative LQR", "cart and pole", lambda: p["improved"](p["exact"]), "by differences, one simulate_batch",
                lambda: p["improved"](p["differences"]), calls=1, turns=3),
    ]  # fmt: skip


def fitting() -> list[Comparison]:
    """Four masses and four dampings from a recording of 200 steps."""
    p = page("fitting.md")
    options = {"bounds": (1e-6, np.inf)}

    def fit(jac: Any) -> object:
        return p["least_squares"](p["residuals"], p["guess"], jac=jac, **options)

    return [
        compare("masses and damping fitted", "arm of four links", partial(fit, p["exact"]), f'jac="{how}"', partial(fit, how),
                calls=1, turns=3)
        for how in ("2-point", "3-point")
    ]  # fmt: skip


def larger(s: Subject) -> Comparison:
    """`step_derivatives` in some states against central differences of all of them in one batch."""
    rng, nv = np.random.default_rng(0), s.mech.nv
    v, tau = s.state.v + 0.1 * rng.standard_normal((STATES, nv)), np.repeat(s.tau[None], STATES, axis=0)
    q = np.repeat(s.state.q[None], STATES, axis=0)
    moved = np.array([rg.integrate(s.mech, s.state.q, change) for change in SMALL * np.concatenate((np.eye(nv), -np.eye(nv)))])
    faster = SMALL * np.concatenate((np.eye(nv), -np.eye(nv)))
    still = np.zeros((2 * nv, nv))
    rows_q = np.concatenate([np.repeat(moved[None], STATES, axis=0), *(np.repeat(q[:, None], 2 * nv, axis=1),) * 2], axis=1)
    rows_v = v[:, None] + np.concatenate((still, faster, still))
    rows_tau = tau[:, None] + np.concatenate((still, still, faster))
    flat = rows_q.reshape(-1, s.mech.nq), rows_v.reshape(-1, nv), rows_tau.reshape(-1, 1, nv)

    def differences() -> object:
        return rg.simulate_batch(s.mech, flat[0], flat[1], SIZE, step=SIZE, torque=flat[2], every="end")

    return compare(f"step_derivatives, {STATES} states", s.name, lambda: rg.step_derivatives(s.mech, q, v, tau, SIZE),
                   "its central differences, one simulate_batch", differences, calls=1, turns=TURNS)  # fmt: skip


def optimising_comparisons() -> list[Comparison]:
    """All of them."""
    return [*swing_up(), *fitting(), larger(arm()), larger(humanoid())]


if __name__ == "__main__":
    for one in optimising_comparisons():
        times = f"{one.ours / 1e3:9.2f} ms against {one.theirs / 1e3:9.2f} ms, ratio {one.ratio:.2g}"
        print(f"{one.subject:18} {one.what:28} {times}   ({one.reference})")
