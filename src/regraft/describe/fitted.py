"""What is fitted to the bodies and joints of a mechanism: shapes, couplings, actuators and keyframes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.pose import Pose, finite, finite_number
from ..errors import ModelError, StructureError, listed
from ..tolerances import NO_SHARE
from .graph import Graph, by_name, check_pose, known
from .parts import UNBOUNDED, Actuator, Coupling, Keyframe, Shape
from .shapes import FORMS, Form, checked_color
from .state import State, build_state

Range = tuple[float | None, float | None]


class Fitted(Graph):
    """A graph whose bodies have shapes, and whose joints have couplings, actuators and named states."""

    # --- shapes ------------------------------------------------------------------------------------------------------

    @property
    def shapes(self) -> Mapping[str, Shape]:
        """The shapes by name."""
        return MappingProxyType(self._shapes)

    def add_shape(
        self,
        body: str,
        form: Form,
        name: str | None = None,
        pose: Pose = Pose(),  # noqa: B008 (a pose is immutable)
        *,
        visual: bool = True,
        collision: bool = True,
        color: ArrayLike | None = None,
    ) -> None:
        """Give a body, or the world, a shape: to be seen, to be touched, or both. It has no mass.

        Parameters
        ----------
        body : str
            The body that carries it, or ``"world"``.
        form : Box, Sphere, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Ground or Surface
            What it looks like.
        name : str, optional
            A name that no shape has; by default one is made from the body's.
        pose : Pose, optional
            Where the form's frame is on the body.
        visual, collision : bool, optional
            Whether it is there to be seen, and to be touched.
        color : (3,) or (4,) array_like, optional
            Red, green, blue and opacity, from 0 to 1.

        Raises
        ------
        ModelError
            If the name is taken, there is no such body, or the form is none.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.Mechanism()
        >>> mech.add_body("thigh", rg.Inertia(mass=7.0, com=(0, 0, -0.2)))
        >>> mech.add_shape("thigh", rg.Capsule(0.06, (0, 0, 0), (0, 0, -0.4)))
        >>> list(mech.shapes)
        ['thigh_shape']
        """
        if self._is_frozen:
            self._check_changeable(f"the shape {name!r}" if name is not None else f"a shape of {body!r}")
        if name is None:
            self._check_body(body, "body of a shape", "without a name")
            name = self._free_name(f"{body}_shape")
        self._check_new_name(name, "shape")
        self._check_body(body, "body of shape", name)
        if not isinstance(form, FORMS):
            raise ModelError(f"shape {name!r}: give a form, such as Box((0.1, 0.1, 0.1)), not {form!r}.")
        check_pose("shape", name, "pose", pose)
        for what, use in (("visual", visual), ("collision", collision)):
            if not isinstance(use, bool):
                raise ModelError(f"shape {name!r}: {what} must be True or False, not {use!r}.")
        seen = None if color is None else checked_color(f"shape {name!r}", color)
        self._shapes[name] = Shape(name, body, form, pose.orthonormal(), visual, collision, seen)

    def _free_name(self, base: str) -> str:
        """A name for a shape that none has."""
        if base not in self._shapes:
            return base
        free, taken = 2, 1
        while f"{base}_{free}" in self._shapes:
            free, taken = 2 * free, free
        while free - taken > 1:  # the first one that is free, where they were numbered one after the other
            middle = (free + taken) // 2
            free, taken = (free, middle) if f"{base}_{middle}" in self._shapes else (middle, taken)
        return f"{base}_{free}"

    # --- couplings ---------------------------------------------------------------------------------------------------

    @property
    def couplings(self) -> Mapping[str, Coupling]:
        """The couplings by name."""
        return MappingProxyType(self._couplings)

    def add_coupling(
        self, name: str, driver: str | Mapping[str, float], driven: str, *, ratio: float = 1.0, offset: float = 0.0
    ) -> None:
        """Let the position of one joint follow that of another: q of the driven one = ratio · q of the driver + offset.

        Mimic joints, gears and belts are couplings. A differential follows two joints: give them with their ratios,
        ``{"left": 0.5, "right": 0.5}``. Couplings are held exactly, as loops are.

        Parameters
        ----------
        name : str
            A name that no coupling has.
        driver : str, or mapping of str to float
            The joint that is followed, or several with the ratio of each.
        driven : str
            The joint that follows. All of them have one coordinate, as `Revolute` and `Prismatic` have.
        ratio : float, optional
            How far the driven joint goes for each unit of the driver.
        offset : float, optional
            Where the driven joint is when the driver is at 0.

        Raises
        ------
        ModelError
            If the name is taken, there is no such joint, one has more than one coordinate, or one is named twice.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.Mechanism()
        >>> for name in ("motor", "wheel"):
        ...     mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
        ...     mech.add_joint(f"{name}_axle", rg.Revolute((0, 0, 1)), "world", name)
        >>> mech.add_coupling("gear", "motor_axle", "wheel_axle", ratio=-3.0)
        >>> mech.couplings["gear"].drivers
        (('motor_axle', -3.0),)
        """
        self._check_new(name, "coupling")
        if not isinstance(driver, str) and ratio != 1.0:
            raise ModelError(
                f"coupling {name!r}: several joints have their ratios beside their names; leave ratio={ratio!r} out."
            )
        given = {driver: ratio} if isinstance(driver, str) else by_name(f"coupling {name!r}: driver", "joints", driver)
        drivers = tuple((joint, finite_number(f"coupling {name!r}: ratio", r)) for joint, r in given.items())
        if not drivers:
            raise ModelError(f"coupling {name!r}: name a joint to follow.")
        for joint, r in drivers:
            if abs(r) * NO_SHARE > 1.0:
                raise ModelError(
                    f"coupling {name!r}: the ratio {r:g} is larger than {1.0 / NO_SHARE:g}, so the motion of {joint!r} "
                    f"would be lost in rounding. Let {joint!r} follow {driven!r} instead, with the reciprocal ratio."
                )
        new = Coupling(name, drivers, driven, finite_number(f"coupling {name!r}: offset", offset))
        for joint in new.joints:
            self._check_joint(joint)
            kind = self._joints[joint].type
            if (kind.nq, kind.nv) != (1, 1):
                raise ModelError(
                    f"coupling {name!r}: joint {joint!r} is a {type(kind).__name__}; only joints with one coordinate are coupled."
                )
        if len(set(new.joints)) < len(new.joints):
            raise ModelError(f"coupling {name!r}: a joint cannot follow itself; {driven!r} is named twice.")
        self._couplings[name] = new
        self._changed()

    # --- actuators ---------------------------------------------------------------------------------------------------

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """The actuators by name, of the joints that there are now."""
        return MappingProxyType({name: one for name, one in dict(self._actuators).items() if one.is_within(self._joints)})

    @property
    def former_actuators(self) -> Mapping[str, Actuator]:
        """Those of base joints that re-rooting has replaced: they are actuators again when the base is put back."""
        return MappingProxyType({name: one for name, one in dict(self._actuators).items() if not one.is_within(self._joints)})

    def add_actuator(
        self,
        name: str,
        joint: str | Mapping[str, float],
        *,
        gear: float = 1.0,
        effort: float = math.inf,
        gain: ArrayLike = 1.0,
        bias: ArrayLike = (0.0, 0.0, 0.0),
        control_range: Range | None = None,
        force_range: Range | None = None,
    ) -> None:
        """Name a motor or servo that drives a joint. It changes no motion by itself: it acts where it is given a control.

        With the length l = gear · q of its joint, summed over several, the torque of the motor is
        f = (gain₀ + gain₁ l + gain₂ l̇) · control + bias₀ + bias₁ l + bias₂ l̇, and the joint gets gear · f. `control_torques`
        tells these torques, and `controls` lets a run have them.

        Parameters
        ----------
        name : str
            A name that no actuator has.
        joint : str, or mapping of str to float
            The joint that it drives; or several, as a differential or a tendon does, with a factor of the gear for each.
        gear : float, optional
            Torque of the joint per torque of the motor.
        effort : float, optional
            The largest torque of the motor, before the gear.
        gain : float or (3,) array_like, optional
            Torque per control; or constant, by length and by its rate. By default the control is the torque.
        bias : (3,) array_like, optional
            Torque without any control: constant, by length and by its rate. That of a position servo is (0, −gain, −damping).
        control_range, force_range : (lower, upper), optional
            What control and torque, before the gear, are kept within; None for a bound that there is not.

        Raises
        ------
        ModelError
            If the name is taken, there is no such joint, it cannot move, a gear is 0, effort is negative, or a range is empty;
            and for several joints if one has more than one coordinate.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.models.pendulum().mech.copy()
        >>> mech.add_actuator("motor", "hinge", gear=100.0, effort=0.3)
        >>> mech.actuators["motor"].gear
        100.0
        >>> mech.add_actuator("servo", "hinge", gain=50.0, bias=(0.0, -50.0, -5.0), control_range=(-1.0, 1.0))
        >>> rg.control_torques(mech, mech.state(), {"servo": 0.2})
        array([10.])
        """
        self._check_new(name, "actuator")
        about = f"actuator {name!r}"
        given = (
            {joint: 1.0}
            if not isinstance(joint, Mapping) and isinstance(joint, Hashable)
            else by_name(f"{about}: joint", "joints", joint)
        )
        factor = finite_number(f"{about}: gear", gear)
        driven = tuple((one, factor * finite_number(f"{about}: gear of {one!r}", ratio)) for one, ratio in given.items())
        for one, _ in driven:
            self._check_drivable(about, one, alone=len(driven) == 1)
        most = effort if effort == math.inf else finite_number(f"{about}: effort", effort)
        if not driven or not all(ratio for _, ratio in driven) or most < 0.0:
            raise ModelError(f"{about}: name a joint; gear must not be 0, and effort not negative.")
        lower, upper = checked_range(f"{about}: force_range", force_range)
        self._actuators[name] = Actuator(
            name,
            driven,
            _law(f"{about}: gain", gain),
            _law(f"{about}: bias", bias),
            checked_range(f"{about}: control_range", control_range),
            checked_range(f"{about}: force_range and effort", (max(lower, -most), min(upper, most))),
        )

    def _check_drivable(self, about: str, joint: str, *, alone: bool) -> None:
        """Refuse to drive a joint that is not there or cannot move, or together with others one with several coordinates."""
        if not isinstance(joint, str) or joint not in self._former_bases:
            self._check_joint(joint)
        kind = (self._joints.get(joint) or self._former_bases[joint]).type
        what = type(kind).__name__
        if kind.nv == 0:
            raise ModelError(f"{about}: joint {joint!r} is a {what} and cannot move; drive another one.")
        if not alone and (kind.nq, kind.nv) != (1, 1):
            raise ModelError(f"{about}: joint {joint!r} is a {what}; only joints with one coordinate are driven together.")

    # --- keyframes ---------------------------------------------------------------------------------------------------

    @property
    def keyframes(self) -> Mapping[str, Keyframe]:
        """The keyframes by name, as numbers by joint; `keyframe` makes states of them."""
        return MappingProxyType(self._keyframes)

    def add_keyframe(self, name: str, state: State) -> None:
        """Give a state a name, so that it is saved with the mechanism.

        Parameters
        ----------
        name : str
            A name that no keyframe has.
        state : State
            A state of this mechanism.

        Raises
        ------
        ModelError
            If the name is taken, or the state belongs to another structure.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.models.pendulum().mech.copy()
        >>> mech.add_keyframe("home", mech.state(q={"hinge": 0.5}))
        >>> list(mech.keyframes)
        ['home']
        """
        self._check_new(name, "keyframe")
        layout = self.structure.layout
        if not isinstance(state, State) or not layout.same_structure(state.layout):
            raise ModelError(f"keyframe {name!r}: give a state of this mechanism, made by mech.state(...).")
        q = tuple((joint, tuple(state.q[place].tolist())) for joint, place in layout.q_slices.items())
        v = tuple((joint, tuple(state.v[place].tolist())) for joint, place in layout.v_slices.items())
        self._keyframes[name] = Keyframe(name, q, v)

    def remember_keyframe(self, keyframe: Keyframe) -> None:
        """Take a keyframe as it is, whatever the structure is now; for files."""
        self._check_new_name(keyframe.name, "keyframe")
        if [joint for joint, _ in keyframe.q] != [joint for joint, _ in keyframe.v]:
            raise ModelError(f"keyframe {keyframe.name!r}: q and v must have numbers for the same joints.")
        for joint, values in (*keyframe.q, *keyframe.v):
            finite(f"keyframe {keyframe.name!r}: the numbers of {joint!r}", values, (len(values),))
        self._keyframes[keyframe.name] = keyframe

    def keyframe(self, name: str) -> State:
        """The state of a keyframe.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        State

        Raises
        ------
        ModelError
            If there is no such keyframe.
        StructureError
            If the joints of the tree, or their numbers of coordinates, are others than those that it was made with.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.models.pendulum().mech.copy()
        >>> mech.add_keyframe("home", mech.state(q={"hinge": 0.5}))
        >>> mech.keyframe("home").q
        array([0.5])
        """
        if not isinstance(name, str) or name not in self._keyframes:
            raise ModelError(f"there is no keyframe {name!r}. {known('keyframes', self._keyframes, name)}")
        key, layout = self._keyframes[name], self.structure.layout
        sizes = {joint: (kind.nq, kind.nv) for joint, kind, *_ in layout.joints}
        numbers = {joint: (len(q), len(v)) for (joint, q), (_, v) in zip(key.q, key.v, strict=True)}
        if numbers != sizes:
            other = [joint for joint in (*numbers, *sizes) if numbers.get(joint) != sizes.get(joint)]
            raise StructureError(
                f"the keyframe {name!r} was made for another structure: then and now the tree's joints differ in "
                f"{listed(dict.fromkeys(other))}. Make a new one with add_keyframe."
            )
        return build_state(layout, dict(key.q), dict(key.v))


def checked_range(what: str, given: Range | None) -> tuple[float, float]:
    """A lower and an upper bound; infinite where none is given."""
    if given is None:
        return UNBOUNDED
    try:
        lower, upper = (float(end if bound is None else bound) for bound, end in zip(given, UNBOUNDED, strict=True))
    except (TypeError, ValueError):
        raise ModelError(
            f"{what} must be (lower, upper), two numbers, or None for a bound that there is not; not {given!r}."
        ) from None
    if not lower <= upper or lower == math.inf or upper == -math.inf:
        raise ModelError(f"{what}: the lower bound must not be above the upper one, and there must be room; not {given!r}.")
    return lower, upper


def _law(what: str, given: ArrayLike) -> tuple[float, float, float]:
    """Three numbers: constant, by length and by its rate; one alone is constant."""
    if np.ndim(given) == 0:
        return finite_number(what, given), 0.0, 0.0
    constant, by_length, by_rate = finite(what, given, (3,)).tolist()
    return constant, by_length, by_rate
