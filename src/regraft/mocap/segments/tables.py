"""Masses, centres of mass and radii of gyration of the segments of a body, as published.

de Leva, P. (1996). Adjustments to Zatsiorsky–Seluyanov's segment inertia parameters. Journal of Biomechanics 29(9), 1223–1230.
Winter, D. A. (2009). Biomechanics and Motor Control of Human Movement, 4th ed., table 4.1 (after Dempster 1955). Wiley.
Drillis, R. and Contini, R. (1966). Body Segment Parameters; body segments as shares of the height, in Winter, figure 4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...errors import ModelError

THIGH_AND_SHANK = 0.245 + 0.246
"""Of the height, between the joints (Drillis and Contini)."""
ANKLE = 0.039
"""Height of the ankle joint above the ground, of the height (Drillis and Contini)."""
FOOT_BREADTH = 0.055
"""Of the height (Drillis and Contini)."""


class Segment(NamedTuple):
    """A segment: its mass as a share of the body's, and where in it the mass is."""

    mass: float
    com: float
    """Share of the length, from the end nearer to the head or the trunk; of a foot from the heel."""
    sagittal: float
    """Radius of gyration about the axis from back to front through the centre of mass, as a share of the length."""
    transverse: float
    """The same about the axis from right to left."""
    longitudinal: float
    """The same about the segment's own axis."""
    length: float
    """As a share of the height."""


Table = Mapping[str, Segment]

_MALE_HEIGHT, _FEMALE_HEIGHT = 1.741, 1.735  # of de Leva's subjects, in metres

DE_LEVA_MALE: Table = {
    "head": Segment(0.0694, 0.5002, 0.303, 0.315, 0.261, 0.2429 / _MALE_HEIGHT),  # vertex to cervicale
    "upper_trunk": Segment(0.1596, 0.5066, 0.505, 0.320, 0.465, 0.2421 / _MALE_HEIGHT),  # cervicale to xiphion
    "middle_trunk": Segment(0.1633, 0.4502, 0.482, 0.383, 0.468, 0.2155 / _MALE_HEIGHT),  # xiphion to omphalion
    "lower_trunk": Segment(0.1117, 0.6115, 0.615, 0.551, 0.587, 0.1457 / _MALE_HEIGHT),  # omphalion to the middle of the hips
    "upper_arm": Segment(0.0271, 0.5772, 0.285, 0.269, 0.158, 0.2817 / _MALE_HEIGHT),
    "forearm": Segment(0.0162, 0.4574, 0.276, 0.265, 0.121, 0.2689 / _MALE_HEIGHT),
    "hand": Segment(0.0061, 0.7900, 0.628, 0.513, 0.401, 0.0862 / _MALE_HEIGHT),  # wrist to the third metacarpal
    "thigh": Segment(0.1416, 0.4095, 0.329, 0.329, 0.149, 0.4222 / _MALE_HEIGHT),
    "shank": Segment(0.0433, 0.4395, 0.251, 0.246, 0.102, 0.4340 / _MALE_HEIGHT),
    "foot": Segment(0.0137, 0.4415, 0.257, 0.245, 0.124, 0.2581 / _MALE_HEIGHT),  # heel to the tip of the longest toe
}

DE_LEVA_FEMALE: Table = {
    "head": Segment(0.0668, 0.4841, 0.271, 0.295, 0.261, 0.2437 / _FEMALE_HEIGHT),
    "upper_trunk": Segment(0.1545, 0.5050, 0.466, 0.314, 0.449, 0.2280 / _FEMALE_HEIGHT),
    "middle_trunk": Segment(0.1465, 0.4512, 0.433, 0.354, 0.415, 0.2053 / _FEMALE_HEIGHT),
    "lower_trunk": Segment(0.1247, 0.4920, 0.433, 0.402, 0.444, 0.1815 / _FEMALE_HEIGHT),
    "upper_arm": Segment(0.0255, 0.5754, 0.278, 0.260, 0.148, 0.2751 / _FEMALE_HEIGHT),
    "forearm": Segment(0.0138, 0.4559, 0.261, 0.257, 0.094, 0.2643 / _FEMALE_HEIGHT),
    "hand": Segment(0.0056, 0.7474, 0.531, 0.454, 0.335, 0.0780 / _FEMALE_HEIGHT),
    "thigh": Segment(0.1478, 0.3612, 0.369, 0.364, 0.162, 0.3685 / _FEMALE_HEIGHT),
    "shank": Segment(0.0481, 0.4352, 0.267, 0.263, 0.092, 0.4323 / _FEMALE_HEIGHT),
    "foot": Segment(0.0129, 0.4014, 0.299, 0.279, 0.139, 0.2283 / _FEMALE_HEIGHT),
}

ANKLE_FROM_HEEL, BALL_FROM_HEEL = 0.25, 0.72
"""Of the length of a foot, where a recording does not tell: an assumption, to a tenth or so."""
_TO_BALL = (
    BALL_FROM_HEEL - ANKLE_FROM_HEEL
)  # Winter's foot is from the ankle to the ball, ours from the heel to the tip of the toes
_TO_KNUCKLE = 1.55  # Winter's hand is to the second knuckle of the middle finger, ours to the third metacarpal

_WINTER: Mapping[str, tuple[float, float, float]] = {  # mass, centre of mass, radius of gyration across the segment
    "upper_arm": (0.028, 0.436, 0.322),
    "forearm": (0.016, 0.430, 0.303),
    "hand": (0.006, 0.506 * _TO_KNUCKLE, 0.297 * _TO_KNUCKLE),
    "thigh": (0.100, 0.433, 0.323),
    "shank": (0.0465, 0.433, 0.302),
    "foot": (0.0145, ANKLE_FROM_HEEL + 0.500 * _TO_BALL, 0.475 * _TO_BALL),
}
_WINTER_MASSES = {"head": 0.081, "upper_trunk": 0.216, "middle_trunk": 0.139, "lower_trunk": 0.142}  # of which he has no radii

CERVICALE_OVER_SHOULDERS = 0.5 * (603.3 / 515.5 + 614.8 / 497.9)
"""Height of the cervicale over the middle of the hips, as a share of that of the middle of the shoulders (de Leva, mean)."""

TRUNK = ("lower_trunk", "middle_trunk", "upper_trunk")
"""From the hips up."""
TABLES = ("de Leva", "Winter")
SEXES = ("female", "male")


def _mean(a: Table, b: Table) -> Table:
    return {name: Segment(*(0.5 * (x + y) for x, y in zip(a[name], b[name], strict=True))) for name in a}


def _with_winter(base: Table) -> Table:
    """Winter's numbers, and de Leva's where he has none: radii about a segment's own axis, those of the trunk, and lengths.

    His trunk is cut in other places than de Leva's. So its parts are moved together to where he has the whole trunk's centre of
    mass, halfway between hips and shoulders.
    """
    own = {name: base[name]._replace(mass=m, com=c, sagittal=k, transverse=k) for name, (m, c, k) in _WINTER.items()}
    found = {name: own.get(name) or base[name]._replace(mass=_WINTER_MASSES[name]) for name in base}
    trunk = [found[name] for name in TRUNK]
    length, mass = sum(part.length for part in trunk), sum(part.mass for part in trunk)
    tops = [length - sum(part.length for part in trunk[: k + 1]) for k in range(len(trunk))]
    com = sum(part.mass * (top + part.com * part.length) for part, top in zip(trunk, tops, strict=True)) / mass
    lower = length * (1.0 - 0.5 / CERVICALE_OVER_SHOULDERS) - com
    return found | {name: found[name]._replace(com=found[name].com + lower / found[name].length) for name in TRUNK}


def whole(table: Table) -> float:
    """The sum of all shares of the mass, with two arms and two legs: 1 but for the digits of the table."""
    return sum(s.mass * (1.0 if name == "head" or name.endswith("trunk") else 2.0) for name, s in table.items())


def segments(table: str = "de Leva", sex: str | None = None) -> Table:
    """The segments of a body; shares of the mass add up to 1.

    Parameters
    ----------
    table : {"de Leva", "Winter"}, optional
        Whose numbers.
    sex : {"female", "male"}, optional
        By default the mean of both. Winter does not tell them apart.

    Returns
    -------
    mapping of str to Segment

    Raises
    ------
    ModelError
        If there is no such table or sex in it.
    """
    if sex is not None and sex not in SEXES:
        raise ModelError(f"sex must be 'female', 'male' or None for the mean of both tables, not {sex!r}.")
    if table not in TABLES:
        raise ModelError(f"there is no table {table!r} of segments; choose one of {', '.join(TABLES)}.")
    found = {"female": DE_LEVA_FEMALE, "male": DE_LEVA_MALE}[sex] if sex else _mean(DE_LEVA_FEMALE, DE_LEVA_MALE)
    if table == "Winter":
        found = _with_winter(found)
    total = whole(found)
    return {name: segment._replace(mass=segment.mass / total) for name, segment in found.items()}
