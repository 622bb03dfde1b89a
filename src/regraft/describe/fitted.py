"""What is fitted to the bodies and joints of a mechanism: shapes, couplings, actuators and keyframes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from numpy.typing import ArrayLike

from ..algebra.pose import Pose, finite, finite_number
from ..errors import ModelError, StructureError, listed
from .graph import Graph, by_name, check_pose, known
from .parts import Actuator, Coupling, Keyframe, Shape
from .shapes import FORMS, Form, checked_color
from .state import State, build_state


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
        named = f"the shape {name!r}" if name is not None else f"a shape of {body!r}"
        self._check_changeable(named)
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
        self._shapes[name] = Shape(
            name, body, form, pose.orthonormal(), visual, collision, checked_color(f"shape {name!r}", color)
        )

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
        self._check_changeable(f"the coupling {name!r}")
        self._check_new_name(name, "coupling")
        if not isinstance(driver, str) and ratio != 1.0:
            raise ModelError(
                f"coupling {name!r}: several joints have their ratios beside their names; leave ratio={ratio!r} out."
            )
        given = {driver: ratio} if isinstance(driver, str) else by_name(f"coupling {name!r}: driver", "joints", driver)
        drivers = tuple((joint, finite_number(f"coupling {name!r}: ratio", r)) for joint, r in given.items())
        if not drivers:
            raise ModelError(f"coupling {name!r}: name a joint to follow.")
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
        return MappingProxyType({name: one for name, one in dict(self._actuators).items() if one.joint in self._joints})

    @property
    def former_actuators(self) -> Mapping[str, Actuator]:
        """Those of base joints that re-rooting has replaced: they are actuators again when the base is put back."""
        return MappingProxyType({name: one for name, one in dict(self._actuators).items() if one.joint not in self._joints})

    def add_actuator(self, name: str, joint: str, *, gear: float = 1.0, effort: float = math.inf) -> None:
        """Name a motor that drives a joint. It says who drives what by which gear, and changes no motion by itself.

        Parameters
        ----------
        name : str
            A name that no actuator has.
        joint : str
            The joint that it drives.
        gear : float, optional
            Torque of the joint per torque of the motor.
        effort : float, optional
            The largest torque of the motor, before the gear.

        Raises
        ------
        ModelError
            If the name is taken, there is no such joint, it cannot move, the gear is 0, or effort is negative.

        Examples
        --------
        >>> import regraft as rg
        >>> mech = rg.models.pendulum().mech.copy()
        >>> mech.add_actuator("motor", "hinge", gear=100.0, effort=0.3)
        >>> mech.actuators["motor"].gear
        100.0
        """
        self._check_changeable(f"the actuator {name!r}")
        self._check_new_name(name, "actuator")
        if not isinstance(joint, str) or joint not in self._former_bases:
            self._check_joint(joint)
        kind = (self._joints.get(joint) or self._former_bases[joint]).type
        if kind.nv == 0:
            raise ModelError(f"actuator {name!r}: joint {joint!r} is a {type(kind).__name__} and cannot move; drive another one.")
        ratio = finite_number(f"actuator {name!r}: gear", gear)
        most = effort if effort == math.inf else finite_number(f"actuator {name!r}: effort", effort)
        if ratio == 0.0 or most < 0.0:
            raise ModelError(f"actuator {name!r}: gear must not be 0, and effort not negative.")
        self._actuators[name] = Actuator(name, joint, ratio, float(most))

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
        self._check_changeable(f"the keyframe {name!r}")
        self._check_new_name(name, "keyframe")
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
            raise ModelError(f"there is no keyframe {name!r}. {known('keyframes', self._keyframes)}")
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
