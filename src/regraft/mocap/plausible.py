"""Whether a body and its record can be what they are said to be: a wrong unit shows by its factor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, warn

Array = NDArray[np.float64]

_TALL = 1.7  # m
_BUILD = 22.0  # kg/m², mass over the square of the height: as people are built
_UNUSUAL, _IMPOSSIBLE = 2.0, 10.0  # times as tall, or as small, as a person of that height: told, and refused
_UNUSUAL_BUILD, _HEAVIEST, _LIGHTEST = 4.0, 30.0, 1.0 / 300.0  # times as heavy for the height: told, and refused
_UNITS = {
    "millimetres": 1000.0,
    "centimetres": 100.0,
    "inches": 1.0 / 0.0254,
    "decimetres": 10.0,
    "feet": 1.0 / 0.3048,
}  # a metre
_RATES = (10.0, 20000.0)  # frames a second: with fewer no step can be followed, and nobody records more
_USUAL_RATES = (25.0, 2000.0)
_SECONDS = "give times in seconds, or, for files that do not say it, rg.mocap.load(..., rate=...) in frames a second"
_SAME_PERSON = 1.1  # times as tall: two recordings of one person
_UPRIGHT = 0.4  # of a leg's length: how high hips are above the feet of somebody who stands, walks or squats, at least
_CARRIED = 2.0  # times its weight: what the ground has to carry at most, on the average


def check_height(tall: float, given: bool) -> list[str]:
    """Refuse heights that only a wrong unit can make, and tell unusual ones; `given` ones may be as small as they like."""
    factor = tall / _TALL
    if factor > _IMPOSSIBLE and given:
        raise ModelError(f"height={tall:g} is in metres; a person is some {_TALL} m tall. Give height={tall / 100.0:g}?")
    if not 1.0 / _IMPOSSIBLE < factor < _IMPOSSIBLE and not given:
        likely = [f"{1.0 / count:.4g} ({name})" for name, count in _UNITS.items() if _usual(factor / count, _UNUSUAL)]
        hint = f", such as {' or '.join(likely)}" if likely else ""
        raise ModelError(
            f"as recorded the body is {tall:.4g} m tall, which nobody is: the unit of length is wrong. Say how many metres it is "
            f"by rg.mocap.load(..., scale=...){hint}; or give height= in metres, if the body is to be scaled."
        )
    if _usual(factor, _UNUSUAL):
        return []
    return _told(
        f"the body is {tall:.3g} m tall, which is unusual for a person; scale= of rg.mocap.load sets the unit of length, and "
        "height= the height."
    )


def check_same_person(tall: float, static: float) -> None:
    """Refuse a static trial of somebody whose height, as recorded, is another one than in the motion."""
    if not _usual(static / tall, _SAME_PERSON):
        raise ModelError(
            f"static= is of somebody {static:.4g} m tall, and the motion of somebody {tall:.4g} m tall, as recorded: are they of "
            "one person, and in one unit (scale= of rg.mocap.load)?"
        )


def check_mass(mass: float, tall: float) -> list[str]:
    """Refuse masses that only a wrong unit can make, and tell unusual ones."""
    factor = mass / (_BUILD * tall**2)
    if not _LIGHTEST < factor < _HEAVIEST:
        raise ModelError(
            f"mass={mass:g} kg is {factor:.3g} times what a body of {tall:.3g} m weighs: masses are in kg"
            + (f". Give mass={mass / 1000.0:g}?" if _usual(factor / 1000.0, _UNUSUAL_BUILD) else ".")
        )
    if _usual(factor, _UNUSUAL_BUILD):
        return []
    return _told(f"a mass of {mass:g} kg is {factor:.2g} times what a body of {tall:.3g} m usually has.")


def check_upright(above: Array, leg: float) -> list[str]:
    """Tell where hips are hardly above the feet, (n,) metres, for how long the legs are."""
    share = float(np.median(above)) / leg
    if share > _UPRIGHT:
        return []
    return _told(
        f"the hips are {share:.2f} of a leg's length above the feet, mostly: is the right axis up? up= of rg.mocap.load "
        "says which one is."
    )


def check_rate(t: Array, what: str) -> list[str]:
    """Refuse times that cannot be seconds, and tell rates at which steps are hard to follow."""
    rate = refuse_rate(t, what)
    if _USUAL_RATES[0] <= rate <= _USUAL_RATES[1]:
        return []
    return _told(f"{what} has {rate:.4g} frames a second, which is unusual: if its times are in another unit, {_SECONDS}.")


def refuse_rate(t: Array, what: str) -> float:
    """The frames a second; refused where times cannot be seconds."""
    rate = 1.0 / float(np.median(np.diff(t)))
    if not _RATES[0] <= rate <= _RATES[1]:
        raise ModelError(
            f"{what} has {rate:.4g} frames a second, from {t[0]:g} to {t[-1]:g} s: no step can be followed with that. Are its "
            f"times in another unit? Then {_SECONDS}."
        )
    return rate


def check_carried(total: Array, weight: float) -> list[str]:
    """Tell where the ground would have to carry much more than the body weighs, on the average of all frames (n, 3)."""
    times = float(np.abs(total.mean(axis=0)).max()) / weight
    if times <= _CARRIED:
        return []
    return _told(
        f"on the average the ground would have to push with {times:.3g} times the weight: units of length or time are wrong "
        "(scale= and rate= of rg.mocap.load), or the record is too noisy for its cut-off."
    )


def _usual(factor: float, most: float) -> bool:
    return 1.0 / most <= factor <= most


def _told(note: str) -> list[str]:
    warn(note)
    return [note]
