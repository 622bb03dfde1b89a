"""`analyse`: from a body in motion to ground reactions and joint moments, with what carries the body as the root (S1 7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .body_motion import Motion, checked_motion
from .filtering import smooth
from .gait_result import Found, Gait, levels_of
from .gaps import whole_rows
from .heading import about, along, base_twists, heading
from .plates import LOADED, PlatesGiven, wrenches_on_feet
from .pressure_paths import PAD, Standing, pressure_paths
from .support import Soles, Stance, Support, find_support, stretches
from .support_dynamics import Roots, roots_of
from .support_tables import Cost, Results
from .transition import hind_wrenches

Array = NDArray[np.float64]

SHARINGS = ("effort", "smooth")
FRICTION = 0.8
"""Of shoes on the ground: forces of feet that share a load stay within this cone."""
_SMEARED = 0.2  # periods of the cut-off frequency by which a filter lets a foot seem to be loaded before it lands
_EASE = 0.5  # of the time that both feet stand: a foot that has just landed, or is about to leave, carries less
_TURNING = 1000.0  # see Cost: such a moment of 3 cm times the weight counts as much as the weight
_ASTRAY = 1000.0  # see Cost: as far as _TURNING
_CARRIED = 0.15  # of its weight: a body that needs less flies
_LEAST_YIELD = 0.01  # what a point carries that is far above
_TORQUE, _EFFORT, _SIDEWAYS = (
    0.1,
    0.1,
    0.3,
)  # m, see Cost: a torque of a tenth of weight times metre counts as a tenth of that weight


def analyse(
    motion: Motion,
    plates: PlatesGiven | None = None,
    *,
    cutoff: float | str | None = "motion",
    sharing: str = "effort",
    belt: float | str | None = None,
    friction: float = FRICTION,
) -> Gait:
    """Ground reactions and joint moments of a recorded motion.

    In every frame the foot that stands is the root of the body, and what the root needs from the world is the ground reaction: no
    force plates are needed. While both feet stand, they share the load. In flight nothing holds the body, and what it would still
    need is the residual, which tells how good recording and masses are. Unless accelerations were given, and are exact, a foot's
    centre of pressure follows a smooth path inside its sole; the moments that this leaves over are residuals, too.

    Parameters
    ----------
    motion : Motion
        A body in motion, of `rg.mocap.body` or `rg.mocap.motion`.
    plates : str, Path, Recording or Plates, optional
        Force plates: a table or C3D file, OpenSim's file of external loads, or what was read from them. Feet that stand on plates
        get what these measured; where all do, what is left over is the residual.
    cutoff : float or None, optional
        In Hz, of the low-pass filter; None for none. By default as the motion was filtered.
    sharing : {"effort", "smooth"}, optional
        How two feet that stand share the load without plates: with the least effort, within friction cones and with the centres
        of pressure inside the soles; or by curves of time (smooth transition, Ren et al. 2008).
    belt : float, "auto" or None, optional
        The speed of a treadmill's belt in m/s, 0 for ground that does not move; by default it is found from the feet.
    friction : float, optional
        Of the ground.

    Returns
    -------
    Gait
        Phases, ground reactions, centres of pressure, joint moments, forces and powers by name over time.

    Raises
    ------
    ModelError
        If the body has no feet, no foot ever stands, or plates do not fit the motion.

    Examples
    --------
    >>> import regraft as rg
    >>> walk = rg.mocap.body(rg.mocap.load("walk.bvh"), mass=70.0)  # doctest: +SKIP
    >>> gait = rg.mocap.analyse(walk)  # doctest: +SKIP
    >>> gait.moment["right_ankle"].max()  # doctest: +SKIP
    """
    if not isinstance(motion, Motion):
        raise ModelError(
            f"analyse takes a Motion, made by rg.mocap.body(...) or rg.mocap.motion(...), not {type(motion).__name__}."
        )
    if sharing not in SHARINGS:
        raise ModelError(f"sharing is one of {', '.join(SHARINGS)}, not {sharing!r}.")
    if not (isinstance(friction, int | float) and np.isfinite(friction) and friction > 0.0):
        raise ModelError(f"friction must be a positive number, not {friction!r}.")
    if not (cutoff is None or cutoff == "motion" or isinstance(cutoff, int | float)):
        raise ModelError(f"cutoff must be a number of Hz, or None for no filter, not {cutoff!r}.")
    missing = [side for side in ("left", "right") if side not in motion.feet]
    if missing:
        raise ModelError(
            f"the body has no {' and no '.join(missing)} foot: motion.feet has {', '.join(motion.feet) or 'none'}. Name the "
            "bones of feet with names={...} in rg.mocap.body, or give Motion(…, feet={'left': Foot(…), 'right': Foot(…)})."
        )
    whole, notes = _filtered(checked_motion(motion), cutoff, plates)
    valid = whole_rows(np.concatenate((whole.q, whole.v, whole.a), axis=1))
    if valid.sum() < 2:
        raise ModelError("there are no two frames in which all of the motion was recorded.")
    if not valid.all():
        notes.append(f"{int((~valid).sum())} frames in which something was not recorded are left out.")
    moving = whole if valid.all() else _taken(whole, valid)
    roots = roots_of(moving.mech, {side: moving.feet[side] for side in ("left", "right")})
    analysis = _Analysis(moving, roots, friction)
    return analysis.result(whole, valid, notes, plates, sharing, belt)


def _filtered(motion: Motion, cutoff: float | str | None, plates: Any) -> tuple[Motion, list[str]]:
    """The motion as it is to be analysed.

    Without plates everything follows from accelerations, so a motion whose filter lets them fall to zero at the ends, as
    OpenSim's does, is filtered anew with free ends.
    """
    wanted: Any = motion.cutoff if cutoff == "motion" else cutoff
    as_it_is = wanted == motion.cutoff and (plates is not None or motion.ends == "free")
    if as_it_is or (wanted is None and motion.raw is None):
        return motion, []
    source = motion.q if motion.raw is None else motion.raw
    found = smooth(motion.mech, motion.t, source, cutoff=wanted)
    said = [] if wanted != motion.cutoff else ["filtered anew with free ends, as without plates all follows from accelerations"]
    return replace(motion, q=found.q, v=found.v, a=found.a, raw=source, cutoff=wanted, ends="free"), [*said, *found.notes]


def _taken(motion: Motion, rows: NDArray[np.bool_]) -> Motion:
    return replace(motion, t=motion.t[rows], q=motion.q[rows], v=motion.v[rows], a=motion.a[rows])


def _on_plate(loaded: Any, stances: Sequence[Stance]) -> tuple[Any, Any]:
    """(n,) each: whether a foot stands, and whether it does so on a plate, which is whoever has loaded one in the same stance."""
    stands, on_plate = loaded.copy(), loaded.copy()
    for stance in stances:
        own = slice(stance.start, stance.stop)
        if loaded[own].any():
            on_plate[own] = True
        else:
            stands[own] = True
    return stands, on_plate


class _Analysis:
    """One motion on its way to a `Gait`."""

    def __init__(self, motion: Motion, roots: Roots, friction: float) -> None:
        self.motion, self.roots = motion, roots
        mech = motion.mech
        self.mass = sum(body.inertia.mass for body in mech.bodies.values())
        self.weight = self.mass * float(np.linalg.norm(mech.gravity))
        if not self.weight > 0.0:
            raise ModelError("a body without mass, or without gravity, has no weight that a foot could carry.")
        if mech.gravity[2] >= 0.0 or np.abs(mech.gravity[:2]).any():
            raise ModelError(
                f"gravity must point down along z, not along {mech.gravity.tolist()}: describe the body in a world with z up."
            )
        self.cost = Cost(friction, self.weight, _TORQUE * self.weight, _EFFORT, _TURNING, _ASTRAY, _SIDEWAYS)
        self.points, self.rates = roots.motions(motion)
        n = len(motion.t)
        nobody = np.zeros(n, np.int64), np.zeros((n, 2), np.int64), np.zeros((n, 12)), np.zeros((n, len(roots.frames)))
        self.total = roots.solve(motion, *nobody, np.full((n, 2, 3), np.nan), self.cost).total
        self.up = -mech.gravity / np.linalg.norm(mech.gravity)
        self.middles = np.stack([self.points[:, roots.owner == s].mean(axis=1) for s in range(2)], axis=1)

    def result(self, whole: Motion, valid: NDArray[np.bool_], notes: list[str], plates: Any, sharing: str, belt: Any) -> Gait:
        roots = self.roots
        carried = self.total[:, 3:] @ self.up > _CARRIED * self.weight
        support = find_support(Soles(self.motion.t, self.points, self.rates, roots.owner, roots.names, carried), belt)
        notes += support.notes
        measured: dict[str, Array] = {}
        stands, on_plate = support.stands.copy(), np.zeros(support.stands.shape, bool)
        if plates is not None:
            middles = {name: self.middles[:, s] for s, name in enumerate(roots.names)}
            bodies = {name: self.motion.feet[name].bodies for name in roots.names}
            measured, said = wrenches_on_feet(plates, self.motion.t, middles, bodies)
            notes += said
            for s, name in enumerate(roots.names):
                if name in measured:
                    own = [stance for stance in support.stances if stance.foot == name]
                    stands[:, s], on_plate[:, s] = _on_plate(measured[name][:, 5] > LOADED, own)
            beside = int((stands & ~on_plate).any(axis=1).sum())
            if beside:
                notes.append(
                    f"in {beside} frames a foot stands beside the plates; there it is the root, and gets what plates do not."
                )
        plan = given, root, shares = self._plan(stands, measured, on_plate, self._spread(stands, whole.cutoff))
        paths = np.full((len(stands), 2, 3), np.nan)
        if whole.raw is not None:  # otherwise accelerations were given, and are exact
            paths = self._paths(stands, plan, support, whole.cutoff)
        if sharing == "smooth" and not measured:
            self._smooth(plan, paths, stands, support, notes)
        yields = np.exp(-np.maximum(support.heights, 0.0) / PAD) + _LEAST_YIELD
        yields *= self._eased(stands)[:, roots.owner]
        out = roots.solve(self.motion, root, shares, given, yields, paths, self.cost)
        if roots.is_planar:
            notes.append(
                "the body moves in a plane: forces across it are not known, and centres of pressure are in the feet's middles."
            )
            self._into_plane(out, measured)
        notes += self._left_over(out, (root > 0) & ~shares.any(axis=1) & np.isfinite(paths).all(axis=2).any(axis=1))
        found = Found(stands, root, self.mass, tuple(measured), tuple(notes))
        return Gait.of(self.motion, whole, valid, roots, out, support, found)

    def _paths(self, stands: Any, plan: tuple[Array, Any, Any], support: Support, cutoff: float | None) -> Array:
        """(n, 2, 3): where the pressure of each foot has its centre, as far as that follows from the feet by themselves."""
        given, root, shares = plan
        rest = self.total - given[:, :6] - given[:, 6:]
        known = Standing(
            t=self.motion.t,
            points=self.points,
            heights=support.heights,
            owner=self.roots.owner,
            stands=stands,
            alone=(root[:, None] == (1, 2)) & ~shares.any(axis=1)[:, None],
            rest=np.stack([self._in_plane(rest, s) if self.roots.is_planar else rest for s in range(2)], axis=1),
            levels=np.stack([levels_of(name, support.stances, len(stands)) for name in self.roots.names], axis=1),
            belt=support.belt,
            weight=self.weight,
        )
        return pressure_paths(known, cutoff)

    def _spread(self, stands: Any, cutoff: float | None) -> Any:
        """Where a foot may carry something: it stands, or it lands so soon that a filter shows the forces of that already."""
        if cutoff is None:
            return stands
        dt = float(self.motion.t[-1] - self.motion.t[0]) / (len(self.motion.t) - 1)
        wide = stands.copy()
        for k in range(1, round(_SMEARED / (cutoff * dt)) + 1):
            wide[:-k] |= stands[k:]
        return wide

    def _eased(self, stands: Any) -> Array:
        """(n, feet): how far each foot takes part while both stand: less when it has just landed, or is about to leave."""
        part, t = np.ones(stands.shape), self.motion.t
        for a, b in stretches(stands.all(axis=1)):
            for s in range(2):
                if a > 0 and not stands[a - 1, s]:
                    part[a:b, s] = np.minimum(part[a:b, s], (t[a:b] - t[a - 1]) / (_EASE * (t[b - 1] - t[a - 1])))
                if b < len(t) and not stands[b, s]:
                    part[a:b, s] = np.minimum(part[a:b, s], (t[b] - t[a:b]) / (_EASE * (t[b] - t[a])))
        return part**2

    def _plan(self, stands: Any, measured: dict[str, Array], on_plate: Any, near: Any) -> tuple[Array, Any, Any]:
        """What is known of each frame: wrenches of plates, which root, and who shares the load."""
        n, names = len(stands), self.roots.names
        given, root, shares = np.zeros((n, 12)), np.zeros(n, np.int64), np.zeros((n, 2), np.int64)
        for s, name in enumerate(names):
            if name in measured:
                given[:, 6 * s : 6 * s + 6] = measured[name]
        free = stands & ~on_plate
        for s in (1, 0):
            root[free[:, s]] = s + 1
        shares[free.any(axis=1) & (near & ~on_plate).all(axis=1)] = 1
        return given, root, shares

    def _smooth(self, plan: tuple[Array, Any, Any], paths: Array, stands: Any, support: Support, notes: list[str]) -> None:
        """Let the hind foot have what smooth transition says, and the other one all of the rest."""
        given, root, shares = plan
        hind, said = hind_wrenches(
            self.motion.t, self.total, stands, self.middles, heading(self.motion, self.roots, support.belt)[0]
        )
        notes += said
        for s in range(2):
            known = (hind[:, s] != 0.0).any(axis=1)
            given[known, 6 * s : 6 * s + 6] = hind[known, s]
            root[known], shares[known], paths[known] = 2 - s, 0, np.nan

    def _left_over(self, out: Results, alone: Any) -> list[str]:
        """What to say of the moments that feet on smooth paths of pressure do not give."""
        if not alone.any():
            return []
        left = np.linalg.norm((out.total - out.reactions[:, :6] - out.reactions[:, 6:])[alone, :2], axis=1)
        return [
            "on one foot the centre of pressure is on a smooth path inside the sole, as accelerations tell moments badly: "
            f"{np.sqrt(np.mean(left**2)):.1f} N m (RMS) about level axes are left over, and at most {left.max():.1f} N m, at "
            f"{self.motion.t[alone][left.argmax()]:.2f} s (gait.residual)."
        ]

    def _into_plane(self, out: Results, measured: dict[str, Array]) -> None:
        """Take what the body's base cannot move along out of the reactions."""
        for s, name in enumerate(self.roots.names):
            if name not in measured:
                out.reactions[:, 6 * s : 6 * s + 6] = self._in_plane(out.reactions[:, 6 * s : 6 * s + 6], s)
        feet = out.reactions[:, :6] + out.reactions[:, 6:]
        out.total[:] = feet + along(self.twists, out.total - feet, np.zeros_like(self.middles[:, 0]))

    def _in_plane(self, wrench: Array, s: int) -> Array:
        """(n, 6): of wrenches on a foot, forces and moments about its middle, as far as the body's base can move along them."""
        middle = self.middles[:, s]
        return about(along(self.twists, about(wrench, middle), middle), -middle)

    @cached_property
    def twists(self) -> Array:
        """(n, 6, k): those along which the base can move."""
        return base_twists(self.motion, self.roots)
