"""`check`: what is wrong or unusual with a mechanism."""

from __future__ import annotations

from ..describe.mechanism import Mechanism, a_mechanism
from ..describe.state import State
from ..errors import StructureError
from .inertias import check_inertias
from .limits import check_limits
from .motion import check_motion, unconnected
from .remark import Remark, error


def check(mech: Mechanism, state: State | None = None) -> list[Remark]:
    """Look for what is wrong or unusual with a mechanism, as it is often found in files.

    Errors are bodies without a way to the world, joints that move no inertia, loops that cannot be closed, and couplings that
    contradict limits. Warnings are inertias that are spread wider than the body or were filled in, centres of mass far from it,
    loops that are open at the start, limits that exclude the start or look like degrees, and lengths and masses that look like
    millimetres and grams.

    Parameters
    ----------
    mech : Mechanism
        The mechanism.
    state : State, optional
        Where it starts; by default the bind state.

    Returns
    -------
    list of Remark
        Errors first; empty where nothing was found.

    Raises
    ------
    ModelError
        If the state belongs to another mechanism.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.check(rg.models.human_figure().mech)
    []
    >>> mech = rg.Mechanism()
    >>> mech.add_body("hook", rg.Inertia(0.0))
    >>> mech.add_joint("swivel", rg.Revolute((0, 0, 1)), "world", "hook")
    >>> print(rg.check(mech)[0])
    error: inertia 'swivel': nothing that it carries has mass: give it some, or weld the joint
    """
    loose = unconnected(a_mechanism("check", mech))
    if loose:
        return [error("connection", loose, "no joint leads there from the world; add one, such as a Free joint")]
    start = mech.state() if state is None else state
    mech.check_state(start)
    try:
        mech.structure.work  # noqa: B018 (it is derived when it is asked for)
    except StructureError as problem:
        return [error("structure", (), str(problem).removesuffix("."))]
    found = [*check_motion(mech, start), *check_inertias(mech, start), *check_limits(mech, start)]
    return sorted(found, key=lambda remark: remark.level != "error")
