"""The report on a passive walk: one page with the pictures that were drawn, the steps and the parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...models import CompassBiped
from ...show import page
from ...show.page import Picture
from .walk import Walk

TITLE = "The passive walker"
LEAD = "Two straight legs, a hinge at the hip, a slope, and nothing that drives them but gravity."


PICTURES = (
    Picture(
        "",
        "walker.html",
        "A biped of two straight legs walks down a slope; beside it its heel strikes and its tree, below it its energies.",
        "At half speed. Green is the root, the foot that stands: at each heel strike it changes, and with it the way in which "
        "the tree is walked through the hip. Drag to turn it, click on a strike to see it.",
    ),
    Picture(
        "Down the slope",
        "strobe.png",
        "Strobe picture of the walk from the side.",
        "Poses at equal times, bold at the heel strikes. The leg that lands becomes the root of the kinematic tree, and the foot "
        "that stood is let go. Legs of equal length scuff where they pass each other; that is ignored (S1, assumption B2).",
    ),
    Picture(
        "The limit cycle",
        "phase.png",
        "Phase portrait of the left leg.",
        "As in S1, Fig. 10: the angle of the left leg from the vertical, and its rate. A heel strike changes rates, not angles. "
        "Thin, where they do not fall: walks of the same biped that started slower or faster, and come back to the cycle.",
    ),
    Picture(
        "",
        "convergence.png",
        "Distance from the limit cycle, step by step, on a logarithmic scale.",
        "How far the state after a strike is from that of the limit cycle; without one, from that of the step before.",
    ),
    Picture(
        "The energy",
        "energy.png",
        "Potential against kinetic energy in two steps.",
        "As in S1, Fig. 11: from A, just after a strike, the biped rises to B, comes back through A and falls to C, where the "
        "next strike takes it to A′. Along a slanting line the total energy stays the same.",
    ),
)


def write_report(path: Path, walk: Walk, steps: tuple[Sequence[str], Sequence[Sequence[str]]], findings: Sequence[str]) -> Path:
    """Everything on one page; the pictures are beside it, the steps are a table's headings and rows."""
    parts = [page.paragraph(" ".join((walk.outcome(), *findings)), "outcome")]
    parts += page.pictures(path.parent, PICTURES)
    parts += [
        page.heading("Step by step"),
        page.table(*steps),
        page.paragraph(
            "Foot: the one that lands at the step's end. Lost: energy that its strike took. Gained: potential energy that the "
            "slope gave during the step. Change: distance of the state after the strike from the one a step earlier, in rad and "
            "rad/s. All steps with all digits are in steps.csv."
        ),
        page.heading("Parameters"),
        page.table((), parameter_rows(walk.biped)),
        page.paragraph(
            "S1 is J. Stępień, A. Polański, K. Wojciechowski: A general on-the-fly algorithm for modifying the kinematic tree "
            "hierarchy (2012). Masses, lengths and the state before the first strike are those of its Table 1, with the legs "
            "turned so that both feet are on the slope."
        ),
    ]
    return page.write_page(path, TITLE, LEAD, *parts)


def parameter_rows(biped: CompassBiped) -> list[tuple[str, str]]:
    """What the walk was computed with."""
    mech, legs = biped.mech, biped.legs(biped.mech, biped.state)
    masses = [body.inertia.mass for body in mech.bodies.values()]
    leg = min(masses)
    return [
        ("slope", f"{biped.slope:g} rad ({math.degrees(biped.slope):.2f}°)"),
        ("length of the legs", f"{biped.length:g} m"),
        ("mass of the hip", f"{sum(masses) - 2 * leg:g} kg"),
        ("mass of a leg", f"{leg:g} kg"),
        ("gravity", f"{np.linalg.norm(mech.gravity):g} m/s²"),
        ("angles before the first strike, stance and swing", f"{legs.stance:.4f}, {legs.swing:.4f} rad"),
        ("rates before the first strike, stance and swing", f"{legs.stance_rate:.4f}, {legs.swing_rate:.4f} rad/s"),
        ("integrator", "dopri5, relative tolerance 1e-9"),
    ]
