"""Changes of structure that are made of ready ones: several in turn, and those that the structure chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError
from .events import PASS
from .ready_changes import Grip, Release, Strike

Change = Strike | Grip | Release


@dataclass(frozen=True)
class InTurn:
    """Ready-made changes at one instant, one after the other; made by `in_turn`.

    Attributes
    ----------
    changes : tuple of Strike, Grip or Release
        In their order.
    """

    changes: tuple[Change, ...]

    def __call__(self, mech: Mechanism, state: State) -> Any:
        """The mechanism after all of them and its state, or PASS where the first is passed over."""
        return _all_made(self.changes, mech, state)


@dataclass(frozen=True)
class ByStructure:
    """A ready-made change that the structure chooses; made by `by_structure`.

    Attributes
    ----------
    choose : callable
        ``choose(mech)`` returns what `strike`, `grip`, `release` or `in_turn` make, or PASS.
    """

    choose: Callable[[Mechanism], Any]

    def __call__(self, mech: Mechanism, state: State) -> Any:
        """The mechanism after the change and its state, or PASS."""
        return _all_made(parts_in(self, mech), mech, state)


COMPOSED = (Strike, Grip, Release, InTurn, ByStructure)
"""The actions that are data."""


def parts_in(action: Any, mech: Mechanism) -> tuple[Change, ...]:
    """The changes of which one of `COMPOSED` consists in a structure; none where it is passed over."""
    if isinstance(action, ByStructure):
        action, chosen_by = action.choose(mech), action.choose
        if action is PASS:
            return ()
        if not isinstance(action, (Strike, Grip, Release, InTurn)):
            raise ModelError(
                f"by_structure: {chosen_by!r} must return what strike, grip, release or in_turn make, or PASS, not {action!r}."
            )
    return action.changes if isinstance(action, InTurn) else (action,)


def _all_made(changes: tuple[Change, ...], mech: Mechanism, state: State) -> Any:
    if not changes:
        return PASS
    for change in changes:
        result = change(mech, state)
        if result is PASS:
            return PASS
        mech, state = result
    return mech, state


def in_turn(*changes: Change) -> InTurn:
    """The action of an event at which several changes of structure happen at once, one after the other.

    Parameters
    ----------
    *changes : Strike, Grip or Release
        What `strike`, `grip` and `release` make. If the first is a strike with a condition (`past`), all are passed over where
        that is; later ones have no condition.

    Returns
    -------
    InTurn
        An action, for `Event` and its like.

    Raises
    ------
    ModelError
        If there are none, or one is something else.

    Examples
    --------
    A knee that is straight is locked: a weld takes the place of the hinge.

    >>> import regraft as rg
    >>> locks = rg.in_turn(rg.grip("shank", "thigh", rg.Fixed(), "lock"), rg.release("knee"))
    >>> event = rg.when_joint("knee", 0.0, locks, direction=1)
    """
    if not changes or not all(isinstance(change, (Strike, Grip, Release)) for change in changes):
        raise ModelError(f"in_turn: give what strike, grip and release make, one or more, not {changes!r}.")
    if any(isinstance(change, Strike) and change.past is not None for change in changes[1:]):
        raise ModelError("in_turn: only the first change may be a strike with a condition, past.")
    return InTurn(changes)


def by_structure(choose: Callable[[Mechanism], Any]) -> ByStructure:
    """The action of an event at which the structure decides what changes.

    Maps of gaits ask once for each structure, and go without Python from then on.

    Parameters
    ----------
    choose : callable
        ``choose(mech)`` returns what `strike`, `grip`, `release` or `in_turn` make, or `PASS`, for an event that is to be passed
        over. It may look at which bodies, joints and frames there are, and at nothing that changes while these stay.

    Returns
    -------
    ByStructure
        An action, for `Event` and its like.

    Raises
    ------
    ModelError
        If it is no function; and when the event happens, if it returns something else.

    Examples
    --------
    Whichever hand holds on lets go:

    >>> import regraft as rg
    >>> def lets_go(mech):
    ...     return rg.release("left grip" if "left grip" in mech.joints else "right grip")
    >>> event = rg.when_joint("swing", 1.0, rg.by_structure(lets_go), direction=1)
    """
    if not callable(choose):
        raise ModelError(f"by_structure: give a function of the mechanism, not {choose!r}.")
    return ByStructure(choose)
