"""Laws: functions and constants that are bound to joints by name, whatever the structure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import finite
from ..describe.mechanism import Mechanism
from ..errors import ModelError, listed, meant
from .callbacks import Callback, compiled_callback, is_compiled, python_callback
from .driver import NOWHERE

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

ABSENT = ("error", "nan", "skip")


class _All:
    def __repr__(self) -> str:
        return "ALL"


ALL: Final = _All()
"""In the place of names of joints, for `law`: all joints that have numbers in q and v, in the order in which they are there."""


class OwnFunction(ABC):
    """What is no function of the user, and is called by compiled code all the same."""

    @abstractmethod
    def callback(self, name: str) -> Callback:
        """A C function of the numbers of the law's joints; `name` is what messages call it."""


@dataclass(frozen=True, eq=False)
class Law:
    """A function, or constant torques, with the joints that it is for; made by `law`.

    Attributes
    ----------
    joints : tuple of str, or ALL
        The joints whose numbers it gets and fills, in this order.
    function : callable or (n,) array
        What was given.
    absent : {"error", "nan", "skip"}
        What it does while one of its joints is not there.
    raw : bool
        Whether it knows places instead of names, so that it must not meet a structure with other places than the first.
    """

    joints: tuple[str, ...] | _All
    function: Any
    absent: str = "error"
    raw: bool = False

    def __repr__(self) -> str:
        what = getattr(self.function, "__name__", None) or ("constant" if self.is_constant else repr(self.function))
        return f"law({self.joints!r}, {what})"

    @property
    def is_constant(self) -> bool:
        """Whether it is numbers instead of a function."""
        return not (callable(self.function) or isinstance(self.function, OwnFunction))

    def called(self, kind: str) -> str:
        """What an error message calls it."""
        if self.raw:
            return f"the function {kind!r}" if kind != "guard" else "the guard"
        what = {"torque": "law", "wrenches": "law of wrenches", "guard": "guard"}[kind]
        return f"the {what} of {'all joints' if self.joints is ALL else 'joints ' + listed(self.names)}"

    @property
    def names(self) -> tuple[str, ...]:
        """The joints, where they are named."""
        return self.joints if isinstance(self.joints, tuple) else ()


def law(joints: str | Iterable[str] | _All, function: Any, absent: str = "error") -> Law:
    """A law for named joints: it gets and fills the numbers of these joints alone, in this order, whatever the structure.

    Parameters
    ----------
    joints : str, several of them, or `ALL`
        Names of joints; those that close loops may be among them. Their angles are then within half a turn of zero, or within
        their limits, and the law is called through Python. `ALL` is every joint that has numbers in ``q`` and ``v``, in that
        order: for functions that can take any structure.
    function : function or numbers
        ``f(t, q, v, out)``, best compiled by Numba: the time, positions and velocities of the joints, which it may only read,
        and their torques, zero before, which it fills. Or constant torques. As the guard of an `Event`: ``f(t, q, v)``, which
        returns a number. As `wrenches` of `simulate`: ``out`` has a row for each body.
    absent : {"error", "nan", "skip"}
        What to do in a structure without one of the joints. "error" stops the run there with a `SimulationError`; "nan" gives
        the law NaN for the positions and velocities of a joint that is absent and drops its torques; "skip" lets the law rest
        until all of its joints are there.

    Returns
    -------
    Law
        For `torque`, `wrenches` and guards of `simulate`, alone or in a list of several, whose torques add up.

    Raises
    ------
    ModelError
        Where names are missing or there twice, or the function is none.

    Examples
    --------
    >>> import numba
    >>> import regraft as rg
    >>> @numba.njit
    ... def hold(t, q, v, out):
    ...     out[0] = -30.0 * q[0] - 2.0 * v[0]
    >>> mech = rg.Mechanism()
    >>> mech.add_body("thigh", rg.Inertia.cylinder(7.0, 0.08, (0, 0, 0), (0, 0, -0.4)))
    >>> mech.add_body("shank", rg.Inertia.cylinder(3.0, 0.05, (0, 0, 0), (0, 0, -0.4)))
    >>> mech.add_joint("hip", rg.Revolute((0, 1, 0)), "world", "thigh")
    >>> mech.add_joint("knee", rg.Revolute((0, 1, 0)), "thigh", "shank", parent_pose=rg.Pose(translation=(0, 0, -0.4)))
    >>> let_go = rg.at_time(0.1, lambda mech, state: rg.cut(mech, state, "hip"))
    >>> traj = rg.simulate(mech, mech.state(q={"knee": 0.5}), 1.0, torque=rg.law("knee", hold), events=let_go)
    >>> bool(abs(traj.joint("knee").q[-1]) < 0.1)
    True
    """
    names = _checked_names(joints)
    if absent not in ABSENT:
        raise ModelError(f"law: absent must be one of {listed(ABSENT)}, not {absent!r}.")
    if isinstance(function, Law):
        raise ModelError("law: the function is a law already; give the function itself.")
    if callable(function):
        return Law(names, function, absent)
    given = np.atleast_1d(np.asarray(function, object))
    return Law(names, finite("law: the torques", function if np.ndim(function) else [function], given.shape), absent)


def _checked_names(joints: Any) -> tuple[str, ...] | _All:
    if isinstance(joints, _All):
        return joints
    names: tuple[Any, ...]
    try:
        names = (joints,) if isinstance(joints, str) else tuple(joints)
    except TypeError:
        names = ()
    if not names or any(not isinstance(name, str) for name in names):
        raise ModelError(f"law: give the names of joints, such as ('hip', 'knee'), or ALL, not {joints!r}.")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ModelError(f"law: joints must be named once; {listed(twice)} is there several times.")
    return names


@dataclass(frozen=True)
class Home:
    """Where a run began: what functions that know places instead of names rely on, and the sizes of joints."""

    joints: tuple[tuple[str, int, int], ...]
    bodies: tuple[str, ...]
    sizes: dict[str, tuple[int, int]]
    """Numbers that each joint has had in q and v, wherever the run came."""

    @classmethod
    def of(cls, mech: Mechanism) -> Home:
        """For a run that begins with this mechanism."""
        return cls(_places(mech), tuple(mech.bodies), {})

    def check(self, law: Law, mech: Mechanism, kind: str) -> bool:
        """Whether a law is to be called in a structure; an error where it cannot be, with the way out."""
        for name, joint in mech.joints.items():
            self.sizes[name] = joint.type.nq, joint.type.nv
        if law.raw and (_places(mech) != self.joints or (kind == "wrenches" and tuple(mech.bodies) != self.bodies)):
            raise ModelError(_moved(law, kind, [name for name, *_ in self.joints], list(mech.layout.names)))
        lacking = [name for name in law.names if name not in mech.joints]
        if lacking and law.absent == "error":
            raise ModelError(
                f"{law.called(kind)}: there is no joint {lacking[0]!r} in this structure; the joints are: {listed(mech.joints)}. "
                f'Where it may be absent, say law(..., absent="skip") or absent="nan".{meant(lacking[0], mech.joints)}'
            )
        if law.absent == "nan" and any(name not in self.sizes for name in lacking):
            raise ModelError(
                f"{law.called(kind)}: joint {lacking[0]!r} has not been there yet, so nobody knows how many numbers it has; say "
                'absent="skip" instead of "nan".'
            )
        return not (lacking and law.absent == "skip")


def _places(mech: Mechanism) -> tuple[tuple[str, int, int], ...]:
    return tuple((name, kind.nq, kind.nv) for name, kind, *_ in mech.layout.joints)


def _moved(law: Law, kind: str, before: list[str], now: list[str]) -> str:
    what = "is an array" if law.is_constant else "is compiled"
    form = "torque={'hip': 1.0}" if law.is_constant else "law(('hip', 'knee'), f)"
    anyway = "" if law.is_constant else "; one that can take any structure as law(ALL, f)"
    return (
        f"{law.called(kind)} {what} and knows places instead of names, and the joints with places were {listed(before)} and are "
        f"{listed(now)} now. Give it by the names of its joints, as {form}{anyway}."
    )


@dataclass(frozen=True)
class Numbers:
    """Where a law finds its numbers in q and v; NOWHERE for those of absent joints and of loop joints."""

    q: Integers
    v: Integers
    loops: bool
    """Whether a joint closes a loop."""


def numbers_of(law: Law, mech: Mechanism, home: Home) -> Numbers:
    """The places of a law's numbers in a structure."""
    layout = mech.layout
    if law.joints is ALL:
        return Numbers(np.arange(layout.nq), np.arange(layout.nv), loops=False)
    q, v, loops = [], [], False
    for name in law.names:
        if name in layout.q_slices:
            q.append(np.arange(layout.q_slices[name].start, layout.q_slices[name].stop))
            v.append(np.arange(layout.v_slices[name].start, layout.v_slices[name].stop))
        else:
            nq, nv = home.sizes[name]
            q.append(np.full(nq, NOWHERE))
            v.append(np.full(nv, NOWHERE))
            loops = loops or name in mech.joints
    return Numbers(np.concatenate(q).astype(np.int64), np.concatenate(v).astype(np.int64), loops)


def law_callback(law: Law, kind: str, size: int) -> Callback:
    """A law's function as a C function of its own numbers, which fills `size` of them."""
    function, name = law.function, law.called(kind)
    if isinstance(function, OwnFunction):
        return function.callback(name)
    if is_compiled(function):
        return compiled_callback(function, kind, name)

    def called(t: float, q: Array, v: Array) -> Any:
        q.flags.writeable = v.flags.writeable = False
        if kind == "guard":
            return number(function(t, q, v))
        out = np.zeros(size if kind == "torque" else (size // 6, 6))
        function(t, q, v, out)
        return out.ravel()

    return python_callback(called, size, name)


def law_of_guard(function: Any) -> Law | None:
    """A guard that is a law or compiled as a law; None for a Python function of mechanism and state."""
    if isinstance(function, Law):
        return function
    return Law(ALL, function, raw=True) if is_compiled(function) else None


def number(value: Any) -> float:
    """What a guard in Python returned."""
    found = float(value)
    if found != found:  # noqa: PLR0124 (NaN)
        raise ModelError("it returned NaN, and a guard must be a number wherever the motion comes.")
    return found


def laws_of(parts: Iterable[Any], mech: Mechanism) -> tuple[list[Law], list[Any]]:
    """What `torque` of a run may be, as laws and as Python functions ``f(t, mech, state)``."""
    laws, functions = [], []
    for part in parts:
        if isinstance(part, Law):
            laws.append(part)
        elif isinstance(part, Mapping):
            laws.extend(_constant(name, numbers, mech) for name, numbers in part.items())
        elif is_compiled(part):
            laws.append(Law(ALL, part, raw=True))
        elif callable(part):
            functions.append(part)
        elif isinstance(part, (list, tuple, np.ndarray)):
            laws.append(Law(ALL, finite("torque", part, (mech.nv,)), raw=True))
        else:
            raise ModelError(
                f"torque must be a function, a law, controls of actuators, numbers by joint name, an array of {mech.nv}, or a "
                f"list of these, not {part!r}."
            )
    return laws, functions


def _constant(name: str, numbers: Any, mech: Mechanism) -> Law:
    if name not in mech.joints:
        raise ModelError(
            f"torque: there is no joint {name!r}; the joints are: {listed(mech.joints)}. For one that comes later give "
            f'law({name!r}, numbers, absent="skip").{meant(name, mech.joints)}'
        )
    count = mech.joints[name].type.nv
    given: Any = [numbers] if count == 1 and np.ndim(numbers) == 0 else numbers
    return Law((name,), finite(f"torque of joint {name!r}", given, (count,)))
