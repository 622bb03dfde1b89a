"""What a joint type must provide. One file per type holds a subclass of `JointType` and the kernels it names.

The joint's frame sits on both bodies. ``transform`` maps the child's joint frame into the parent's; ``columns`` are the screws
along which the child can move relative to the parent. Everything else (polarity, inertia, dynamics) is the same for all types.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.frozen import Frozen
from ..algebra.pose import Pose, finite
from ..errors import ModelError, StructureError, listed
from ..tolerances import AXIS_ROUNDING, NO_DIRECTION, REPRESENTABLE
from .limits import Limits
from .settings import BOUNDING, NONE, RESISTING, SETTINGS, bound, is_left_out, not_negative, plain, rest_position

PARAMETERS = 6
"""Numbers that describe a joint type to its kernels; unused ones are 0."""


Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointKernels:
    """Compiled functions on tuples, generic in the scalar; `par` are the parameters, `q` and `v` the joint's own numbers.

    transform(par, q) -> (R, p)           child's joint frame in the parent's joint frame
    columns(par, q, X) -> (screw, ...)    the nv screws, in world axes, of a joint whose child-side frame is X
    place(par, q, X) -> (R, p)            child's joint frame where the parent's is X; None: X after transform
    nearest(par, X) -> q                  the position whose (R, p) is nearest to X, for floats (S1 eq. 22)
    rates(par, q, v, X) -> (screw, ...)   how the columns change as the child sees them, linear in v; None where they do not
    integrate(q, d) -> q'                 q ⊕ d, along the tangent vector d; None: q + d
    rate(q, v) -> rate of q               of a joint that moves at the velocity v; None: v
    tangent(d, v) -> rate of d            such that q ⊕ d moves at the velocity v; None: v
    pull(d, f) -> torque                  along v, of a force f along d: the transpose of tangent, at any d; None: f
    difference(q1, q0) -> d               q1 ⊖ q0, such that q0 ⊕ d = q1; None: q1 − q0
    normalise(q) -> q                     the nearest valid position; None: q is always valid
    depart(q, u) -> q'                    as integrate, along coordinates u in which a step of an integrator is short; None: q ⊕ u
    reach(q1, q0) -> u                    such that depart(q0, u) = q1; None: q1 ⊖ q0
    carry(u, v) -> w                      the velocity v at depart(q, u), in the axes of a step that starts at q; None: v
    carry_back(u, w) -> v                 the other way round
    advance(u, v, a) -> rates of u and w  of a joint that moves at v and accelerates at a; None: tangent(u, v) and a
    limit(q) -> (value, (g0, g1, g2))     the limited measure and its rate per unit v; None: each coordinate is limited
    """

    transform: Callable[..., Any]
    columns: Callable[..., Any]
    nearest: Callable[..., Any]
    place: Callable[..., Any] | None = None
    rates: Callable[..., Any] | None = None
    integrate: Callable[..., Any] | None = None
    rate: Callable[..., Any] | None = None
    tangent: Callable[..., Any] | None = None
    pull: Callable[..., Any] | None = None
    difference: Callable[..., Any] | None = None
    normalise: Callable[..., Any] | None = None
    depart: Callable[..., Any] | None = None
    reach: Callable[..., Any] | None = None
    carry: Callable[..., Any] | None = None
    carry_back: Callable[..., Any] | None = None
    advance: Callable[..., Any] | None = None
    limit: Callable[..., Any] | None = None


class JointType(Frozen):
    """A kind of joint with its axes and settings; it knows nothing of the bodies it joins. Immutable.

    This is the base of `Revolute`, `Prismatic` and the others, which are the ones to use; `nq` and `nv` are how many numbers
    their positions and velocities have. How to add a type is on the page about joints.

    Parameters
    ----------
    damping : float or (nv,) array_like, optional
        Torque per velocity that slows the joint, one number for all of its velocities or one for each.
    actuated : bool, optional
        Whether the joint has a motor; `mobility` and `actuator_torques` ask for it.
    limits : Limits or (lower, upper), optional
        Soft bounds on its position; by default there are none.
    armature : float or (nv,) array_like, optional
        Inertia that the joint itself adds to each of its velocities, as a motor's rotor behind its gear does.
    stiffness : float or (nv,) array_like, optional
        Of a spring in the joint, for each of its velocities: torque per radian, or force per metre, from `rest`.
    rest : float or (nq,) array_like, optional
        The position at which that spring is at rest; by default q = 0 and no rotation.
    friction : float or (nv,) array_like, optional
        The torque, or force, of dry friction against each velocity: friction · v / √(v² + s²) with the slip speed s = 0.01.
    effort : float or (nv,) array_like, optional
        The largest torque, or force, that a motor has along each velocity: the bound of `actuator_torques`. By default none.
    speed : float or (nv,) array_like, optional
        The largest size of each velocity that the joint is made for; by default there is no bound.

    Raises
    ------
    ModelError
        If a number is negative, or limits or the position at rest do not fit the type.
    """

    nq: ClassVar[int]
    nv: ClassVar[int]
    kernels: ClassVar[JointKernels]
    forms: ClassVar[tuple[JointKernels, ...]] = ()
    """Faster kernels for special cases of the type, such as an axis along a coordinate axis."""
    limited: ClassVar[int]
    """How many measures `limits` can bound; 0 where the type has none."""
    quaternion: ClassVar[int | None] = None
    """Where in q its unit quaternion begins, if it has one."""
    turns: ClassVar[tuple[int, ...]] = ()
    """Which numbers of q are angles that a pose gives up to whole turns."""
    optional: ClassVar[frozenset[str]] = frozenset()
    """Which of the constructor's own arguments `arguments` may leave out."""
    tabled: ClassVar[bool] = False
    """Whether `PARAMETERS` numbers are not enough: then `table` has more, and its address is before those of `parameters`."""

    __slots__ = ("actuated", "armature", "damping", "effort", "friction", "limits", "rest", "speed", "stiffness")
    actuated: bool
    damping: Array
    limits: Limits | None
    armature: Array
    stiffness: Array
    rest: Array
    friction: Array
    effort: Array
    speed: Array

    def __init__(
        self,
        *,
        damping: ArrayLike = NONE,
        actuated: bool = True,
        limits: Any = None,
        armature: ArrayLike = NONE,
        stiffness: ArrayLike = NONE,
        rest: ArrayLike | None = None,
        friction: ArrayLike = NONE,
        effort: ArrayLike | None = None,
        speed: ArrayLike | None = None,
    ) -> None:
        name = type(self).__name__
        nv, neutral = self.nv, _AT_REST.get(type(self))
        if neutral is None:
            neutral = _AT_REST[type(self)] = self.neutral()
            neutral.flags.writeable = False
        put = object.__setattr__  # as `_set` does; the arrays of settings cannot be written to as they come
        put(self, "actuated", bool(actuated))
        put(self, "limits", Limits.of(name, limits, self.limited))
        for what, numbers in zip(RESISTING, (damping, armature, stiffness, friction), strict=True):
            put(self, what, not_negative(name, what, numbers, nv))
        put(self, "effort", bound(name, "effort", effort, nv))
        put(self, "speed", bound(name, "speed", speed, nv))
        if rest is None:
            put(self, "rest", neutral)
        else:
            self._set(rest=self.normalised(rest_position(name, rest, neutral)))

    def arguments(self) -> dict[str, Any]:
        """The constructor's own arguments: what tells this joint type from another of its class."""
        return {}

    def form(self) -> int:
        """Which kernels this joint runs on: 0 for those of the type, 1 for the first of its `forms`, and so on."""
        return 0

    def parameters(self) -> tuple[float, ...]:
        """At most `PARAMETERS` numbers for the kernels."""
        return ()

    def table(self) -> Array:
        """Where the type is `tabled`, all numbers that its kernels need: an array that the joint owns, its length first."""
        return _NO_TABLE

    def neutral(self) -> Array:
        """The position at which the two joint frames coincide; the same for all joints of a type.

        (A `Guided` joint has q = 0 there, and the frames are where its curves place them.)

        Returns
        -------
        (nq,) array

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Spherical().neutral()
        array([1., 0., 0., 0.])
        """
        return np.zeros(self.nq)

    def position(self, relative: Pose) -> Array:
        """The joint position that gives a relative pose.

        Parameters
        ----------
        relative : Pose
            The joint's frame on the child, in the joint's frame on the parent.

        Returns
        -------
        (nq,) array

        Raises
        ------
        StructureError
            If the joint cannot take that pose.

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Revolute(axis=(0, 0, 1)).position(rg.Pose.about((0, 0, 1), 0.5))
        array([0.5])
        """
        from .single import position  # it works on any type of the registry, and every type imports this file

        q, gap = position(self, relative)
        if not gap <= REPRESENTABLE:
            raise StructureError(
                f"{self!r} cannot take this relative pose: the nearest one that it has is off by {gap:.3g}. "
                "Use a joint with more freedom, such as Free(), or place the joint's frames so that the present pose is its zero."
            )
        return q

    def pose(self, q: ArrayLike) -> Pose:
        """The relative pose, child in parent, at a joint position.

        Parameters
        ----------
        q : (nq,) array_like
            The joint position.

        Returns
        -------
        Pose

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Prismatic(axis=(0, 0, 1)).pose([0.5])
        Pose(translation=(0.0, 0.0, 0.5))
        """
        from .single import relative_pose

        return relative_pose(self, finite(f"{type(self).__name__}: position", q, (self.nq,)))

    def velocity(self, q: ArrayLike, twist: ArrayLike) -> Array:
        """The joint velocity whose twist is nearest to a given one.

        Parameters
        ----------
        q : (nq,) array_like
            The joint position.
        twist : (6,) array_like
            Angular, then linear velocity of the child relative to the parent, in the child's frame.

        Returns
        -------
        (nv,) array

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Revolute(axis=(0, 0, 1)).velocity([0.0], (0, 0, 2, 5, 0, 0)).tolist()
        [2.0]
        """
        from .single import velocity

        at = finite(f"{type(self).__name__}: position", q, (self.nq,))
        return velocity(self, at, finite(f"{type(self).__name__}: twist", twist, (6,)))[0]

    def normalised(self, q: Array) -> Array:
        """The valid position nearest to q; NaN where there is none."""
        return q

    def reversed(self) -> JointType:
        """The joint as seen from its child: the type that the same hardware has with parent and child exchanged.

        Returns
        -------
        JointType

        Raises
        ------
        StructureError
            If its settings act along axes of its parent or its child, which are not axes of the reversed joint.

        Examples
        --------
        >>> import regraft as rg
        >>> rg.Revolute((0, 1, 0), limits=(0.0, 2.0)).reversed().limits.lower
        (-2.0,)
        """
        return self.with_settings(limits=self.limits and self.limits.negated(), rest=self.reverse(self.rest))

    def with_limits(self, limits: Limits | None) -> JointType:
        """The same joint type with other limits."""
        if limits == self.limits:
            return self
        return self.with_settings(limits=limits)

    def with_settings(self, **settings: Any) -> JointType:
        """The same joint type with other settings, as its constructor takes them."""
        now = {**self.arguments(), **{what: getattr(self, what) for what in SETTINGS}}
        for what in settings.keys() - now.keys() - self.optional:
            raise ModelError(f"{type(self).__name__}: there is no setting {what!r}; there are {listed(SETTINGS)}.")
        return type(self)(**{**now, **settings})

    def reverse(self, q: ArrayLike) -> Array:
        """The position of the reversed joint: ``reversed().pose(reverse(q))`` is the inverse of ``pose(q)``."""
        return -np.asarray(q, float)

    def reverse_velocity(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The velocity of the reversed joint at ``reverse(q)``: the parent's motion relative to the child."""
        from .single import screws, velocity

        at, rate = (finite(f"{type(self).__name__}: {what}", x, (size,)) for what, x, size in
                    (("position", q, self.nq), ("velocity", v, self.nv)))  # fmt: skip
        there, twist = self.pose(at), rate @ screws(self, at)
        turning = there.rotation @ twist[:3]
        moving = there.rotation @ twist[3:] + np.cross(there.translation, turning)  # of what is at the parent's origin
        back = type(self)(**self.arguments()).reversed()  # whose settings do not matter here
        return velocity(back, self.reverse(at), -np.concatenate([turning, moving]))[0]

    def settings(self) -> dict[str, Any]:
        """What every joint type has besides its axes, without what is at its default."""
        given = [(what, getattr(self, what)) for what in (*RESISTING, *BOUNDING) if not is_left_out(getattr(self, what))]
        found: dict[str, Any] = {what: x.tolist() for what, x in given if what in RESISTING and x.any()}
        if not self.actuated:
            found["actuated"] = False
        if self.limits is not None:
            found["limits"] = self.limits.to_list()
        if self.rest is not _AT_REST.get(type(self)) and not np.array_equal(self.rest, self.neutral()):
            found["rest"] = self.rest.tolist()
        return found | {what: plain(x) for what, x in given if what in BOUNDING and np.isfinite(x).any()}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, JointType)
        return self.arguments() == other.arguments() and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash((type(self), *self.parameters()))

    def __repr__(self) -> str:
        described = [f"{k}={_short(v)}" for k, v in self.arguments().items()]
        return f"{type(self).__name__}({', '.join([*described, *self.shown_settings()])})"

    def described(self) -> str:
        """The type with its axes, in a few words and without its settings, for tables."""
        own = [f"{value:g}" if isinstance(value, float) else _numbers(value) for value in self.arguments().values()]
        return " ".join([type(self).__name__, *own])

    def shown_settings(self) -> list[str]:
        """The settings as `repr` shows them."""
        return [f"{k}={_short(v)}" for k, v in self.settings().items()]


_NO_TABLE: Array = np.empty(0)
_AT_REST: dict[type[JointType], Array] = {}  # the position at rest of joints that are given none, one for all of a type


def padded_parameters(joint: JointType) -> tuple[float, ...]:
    """The parameters with zeros up to the fixed number that a kernel's table has; the address of the joint's own table first."""
    given = (float(joint.table().ctypes.data), *joint.parameters()) if joint.tabled else joint.parameters()
    return (*given, *(0.0,) * (PARAMETERS - len(given)))


_ALONG = {axis: axis for sign in (1.0, -1.0) for axis in ((sign, 0.0, 0.0), (0.0, sign, 0.0), (0.0, 0.0, sign))}
"""The axes that most joints have, by what they are equal to."""


def unit(what: str, axis: ArrayLike) -> tuple[float, float, float]:
    """A unit vector from a user's axis.

    An axis that is a unit vector up to rounding is kept as it is, so that saving and loading change no digit.
    """
    if isinstance(axis, tuple) and axis in _ALONG:
        return _ALONG[axis]
    vector = finite(what, axis, (3,))
    with np.errstate(over="ignore"):
        length = float(np.linalg.norm(vector))
    if math.isinf(length):  # its square cannot be represented; it has a direction all the same
        vector = vector / np.abs(vector).max()
        length = float(np.linalg.norm(vector))
    if length < NO_DIRECTION:
        raise ModelError(f"{what} is zero: give a direction, such as (0, 0, 1).")
    if abs(length - 1.0) > AXIS_ROUNDING:
        vector = vector / length
    return (float(vector[0]), float(vector[1]), float(vector[2]))


def _numbers(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in values) + ")"


def _short(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        parts = [_short(part) for part in value]
        return parts[0] if len(parts) == 1 else "(" + ", ".join(parts) + ")"
    return f"{value:g}" if isinstance(value, float) else repr(value)
