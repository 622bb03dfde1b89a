"""Contacts between what bodies have: which parts may touch, and what happens where they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.pose import finite, finite_number
from ..errors import ModelError, listed
from .parts import check_name

ImpactLaw = Literal["poisson", "stronge", "newton"]
LAWS: tuple[str, ...] = get_args(ImpactLaw)
"""The laws of impacts, in the order of `kernels.contacts.tables`."""


@dataclass(frozen=True, slots=True, init=False)
class Contact:
    """Two parts that may touch, for `simulate`: while they do, they stick to or slide on each other, by Coulomb's friction.

    Parts are frames (a point), shapes, bodies (all of their shapes that are there to be touched), or the world.

    Parameters
    ----------
    a, b : str
        The names of two parts. ``"ground"``, where the mechanism has nothing of that name, is the level plane z = 0 of the world.
    friction : float or (float, float), optional
        Coulomb's coefficient, or the static and the kinetic one.
    restitution : float, optional
        From 0, where what hits does not bounce, to 1, where no energy is lost.
    law : {"poisson", "stronge", "newton"}, optional
        What restitution is the ratio of: impulses of restitution and compression, the square root of the energies, or velocities.
    name : str, optional
        By which its results are found; by default `a`.
    velocity : (3,) array_like, optional
        Of b's surface relative to b, in b's axes: that of a belt. A surface runs along itself: what of the velocity is across it
        counts nothing.

    Attributes
    ----------
    friction : tuple of float
        The static and the kinetic coefficient.

    Raises
    ------
    ModelError
        If a number is not one that it can be, a law is unknown, or a name is none.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Contact("heel", friction=(0.8, 0.6)).b
    'ground'
    """

    a: str
    b: str
    friction: tuple[float, float]
    restitution: float
    law: ImpactLaw
    name: str | None
    velocity: tuple[float, float, float]

    def __init__(
        self,
        a: str,
        b: str = "ground",
        *,
        friction: float | tuple[float, float] = 0.0,
        restitution: float = 0.0,
        law: ImpactLaw = "poisson",
        name: str | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        for side, given in (("a", a), ("b", b)):
            if not isinstance(given, str) or not given:
                raise ModelError(f"contact: {side} must be the name of a frame, a shape or a body, not {given!r}.")
        if name is not None:
            check_name(name, "a contact")
        called = f"contact {name if name is not None else a!r}"
        if a == b:
            raise ModelError(f"{called}: a and b are both {a!r}, and nothing touches itself; name parts of two bodies.")
        if law not in LAWS:
            raise ModelError(f"{called}: law must be one of {listed(LAWS)}, not {law!r}.")
        bounce = finite_number(f"{called}: restitution", restitution)
        if not 0.0 <= bounce <= 1.0:
            raise ModelError(f"{called}: restitution must be from 0 (no bounce) to 1 (no loss), not {bounce}.")
        x, y, z = finite(f"{called}: velocity", velocity, (3,)).tolist()
        values = (a, b, _coefficients(called, friction), bounce, law, name, (x, y, z))
        for field, value in zip(("a", "b", "friction", "restitution", "law", "name", "velocity"), values, strict=True):
            object.__setattr__(self, field, value)


def _coefficients(called: str, given: float | tuple[float, float]) -> tuple[float, float]:
    """The static and the kinetic coefficient of friction."""
    both = np.ndim(given) > 0 if not isinstance(given, str) else False
    static, kinetic = (
        finite(f"{called}: friction", given, (2,)).tolist() if both else [finite_number(f"{called}: friction", given)] * 2
    )
    if min(static, kinetic) < 0.0:
        raise ModelError(f"{called}: friction must not be negative, not {min(static, kinetic):g}.")
    if kinetic > static:
        raise ModelError(
            f"{called}: friction is (static, kinetic), and the kinetic coefficient {kinetic:g} is larger than the static one "
            f"{static:g}; exchange them."
        )
    return static, kinetic
