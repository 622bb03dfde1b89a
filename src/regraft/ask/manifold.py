"""Moving positions along velocities, and back onto what joints allow: q lives on a manifold, v in its tangent space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.pose import finite, representable
from ..describe.mechanism import Mechanism
from ..errors import ModelError
from ..kernels.configuration import integrate_position, normalise_position, position_difference
from ..structure.layout import Layout
from ..tolerances import ROUNDING

Array = NDArray[np.float64]


def integrate(mech: Mechanism, q: ArrayLike, step: ArrayLike) -> Array:
    """The position reached from q along a tangent vector, q ⊕ step.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (nq,) array_like
        The position to start from.
    step : (nv,) array_like
        The tangent vector, such as a velocity times a time.

    Returns
    -------
    (nq,) array

    Raises
    ------
    ModelError
        If q or step has another shape or a number that is not finite.

    Examples
    --------
    >>> import regraft as rg, numpy as np
    >>> mech = rg.Mechanism()
    >>> mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("ball", rg.Spherical(), "world", "top")
    >>> rg.integrate(mech, mech.state().q, [0, 0, np.pi]).round(12)
    array([0., 0., 0., 1.])
    """
    structure = mech.structure
    start, along = finite("q", q, (structure.nq,)), finite("step", step, (structure.nv,))
    out = np.empty(structure.nq)
    integrate_position(structure.walk, start, along, out)
    return representable("the positions", out)


def difference(
    mech: Mechanism,
    q1: ArrayLike | None = None,
    q0: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
) -> Array:
    """The shortest tangent vector from one position to another: end ⊖ start, so that start ⊕ (end ⊖ start) = end.

    Positional arguments come as in a subtraction: **the end first, then the start**. The keywords `start` and `end` say it by
    name.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q1 : (nq,) array_like
        The position to go to; the same as `end`.
    q0 : (nq,) array_like
        The position to start from; the same as `start`.
    start, end : (nq,) array_like
        The two positions by name, in place of `q1` and `q0`.

    Returns
    -------
    (nv,) array

    Raises
    ------
    ModelError
        If a position is missing or given twice, or has another shape or a number that is not finite.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("box", rg.Inertia.box(1.0, (1, 1, 1)))
    >>> mech.add_joint("slider", rg.Prismatic((0, 0, 1)), "world", "box")
    >>> rg.difference(mech, start=[1.0], end=[3.0]), rg.difference(mech, [3.0], [1.0])
    (array([2.]), array([2.]))
    """
    structure = mech.structure
    there, here = _one_position(structure.nq, end=end, q1=q1), _one_position(structure.nq, start=start, q0=q0)
    out = np.empty(structure.nv)
    position_difference(structure.walk, there, here, out)
    return representable("the differences", out)


def _one_position(nq: int, **given: ArrayLike | None) -> Array:
    """A position that has a name and a place among the arguments, by one of which it must be given."""
    found = [(name, q) for name, q in given.items() if q is not None]
    if len(found) != 1:
        raise ModelError(
            f"difference: the {next(iter(given))} is {'given twice' if found else 'missing'}; "
            "call difference(mech, start=…, end=…), or difference(mech, end, start)."
        )
    name, q = found[0]
    return finite(name, q, (nq,))


def normalise(mech: Mechanism, q: ArrayLike) -> Array:
    """The valid position nearest to q: quaternions get their unit length back.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    q : (nq,) array_like
        Positions, of whose quaternions the length is off.

    Returns
    -------
    (nq,) array

    Raises
    ------
    ModelError
        If q has another shape, a number that is not finite, or a quaternion of no length.

    Examples
    --------
    >>> import regraft as rg
    >>> mech = rg.Mechanism()
    >>> mech.add_body("top", rg.Inertia.sphere(1.0, 0.1))
    >>> mech.add_joint("ball", rg.Spherical(), "world", "top")
    >>> rg.normalise(mech, [2.0, 0, 0, 0])
    array([1., 0., 0., 0.])
    """
    structure = mech.structure
    out = finite("q", q, (structure.nq,))
    normalise_position(structure.walk, out)
    check_lengths(mech.layout, out)
    return out


def check_lengths(layout: Layout, q: Array) -> None:
    """Reject positions that could not be normalised: what is normalised already does not change when it is normalised again."""
    for j in layout.curved:
        name, kind, *_ = layout.joints[j]
        once = q[layout.q_slices[name]]
        if not (np.isfinite(once).all() and np.abs(kind.normalised(once) - once).max() <= ROUNDING):
            raise ModelError(
                f"q of joint {name!r} cannot be normalised: its quaternion is zero, or so small or large that its length cannot "
                "be represented; give one of length 1."
            )
