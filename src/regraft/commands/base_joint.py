"""The new base joint of `regraft reroot`, from options of the command line."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any, NamedTuple

from ..joints import BY_NAME, JointType
from .terminal import bad_usage, problems_told

Vector = tuple[float, float, float]

_OPTION_OF = {"axis": "--axis", "axis1": "--axis", "normal": "--axis", "axis2": "--axis2", "pitch": "--pitch"}
"""Which option gives which argument of a joint type."""


class BaseJoint(NamedTuple):
    """The new base joint, in the words of `regraft.reroot`."""

    at: Vector | None
    joint: JointType | None
    name: str | None
    velocity: str
    align: str


def joint_type(name: str | None, options: dict[str, Any]) -> JointType | None:
    """The joint type that the options describe; None where they say nothing."""
    given = {option: value for option, value in options.items() if value is not None}
    if name is None:
        if given:
            raise bad_usage(next(iter(given)), "this describes the new base joint; give its type too, with --joint.")
        return None
    kind = {known.lower(): kind for known, kind in BY_NAME.items()}.get(name.lower())
    if kind is None:
        raise bad_usage("--joint", f"there is no joint type {name!r}; known are {', '.join(BY_NAME)}.")
    arguments = {argument: _OPTION_OF.get(argument, argument) for argument in _own_arguments(kind)}
    for argument, option in arguments.items():
        if option not in options:
            way_out = "there is no option; use regraft.reroot in Python."
            raise bad_usage("--joint", f"a {kind.__name__} joint needs {argument!r}, for which {way_out}")
        if option not in given:
            raise bad_usage("--joint", f"a {kind.__name__} joint needs {option} as well.")
    for option in given:
        if option not in arguments.values():
            raise bad_usage(option, f"a {kind.__name__} joint has nothing to do with it; leave it out.")
    with problems_told():
        return kind(**{argument: given[option] for argument, option in arguments.items()})


def _own_arguments(kind: type[JointType]) -> list[str]:
    """What the constructor wants besides the settings that all joint types have."""
    return [name for name, given in signature(kind).parameters.items() if given.kind is Parameter.POSITIONAL_OR_KEYWORD]
