"""`analyse`: from a body in motion to ground reactions and joint moments, with what carries the body as the root (S1 7.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, warn
from .body_motion import Hold, Motion, checked_motion
from .filtering import GAP, smooth
from .gait_events import SIDES
from .gait_result import Found, Gait, Record, levels_of
from .gaps import pieces_of, whole_rows
from .heading import about, along, base_twists, heading
from .holds import checked_holds, with_holds
from .plates import PlatesGiven, least_load, wrenches_on_feet
from .plausible import check_carried, refuse_rate
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
    supports: Mapping[str, Hold | str | Sequence[str]] | None = None,
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
        The speed of a treadmill's belt in m/s: positive where it carries the feet that stand backwards, as the body looks, and 0
        for ground that does not move; by default it is found from the feet. ``Gait.belt`` is its velocity as a vector.
    friction : float, optional
        Of the ground.
    supports : mapping of str to Hold, str or sequence of str, optional
        What may carry the body beside its feet, by any name: points of it, as frames or bodies of the mechanism, as in
        ``{"left_hand": "left_hand", "cane": ("tip",)}``; or a `Hold`, which also says how high a rail or a table is. They are
        found like feet, become roots, and share loads.

    Returns
    -------
    Gait
        Phases, ground reactions, centres of pressure, joint moments, forces and powers by name over time.

    Raises
    ------
    ModelError
        If the body has no feet, times cannot be seconds, or plates do not fit the motion. Where no foot ever stands, and the body
        does not fly, it is a `RegraftWarning`.

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
    missing = [side for side in SIDES if side not in motion.feet]
    if missing:
        raise ModelError(
            f"the body has no {' and no '.join(missing)} foot: motion.feet has {', '.join(motion.feet) or 'none'}. Name the "
            "bones of feet with names={...} in rg.mocap.body, or give Motion(…, feet={'left': Foot(…), 'right': Foot(…)})."
        )
    checked = checked_motion(motion)
    refuse_rate(checked.t, "the motion")
    whole, notes = _filtered(checked, cutoff, plates)
    holds = checked_holds(whole.mech, supports)
    if holds and sharing == "smooth":
        raise ModelError("sharing='smooth' is for two feet alone; with supports= take sharing='effort'.")
    record, said = _record(whole)
    moving = whole if record.valid.all() else _taken(whole, record.valid)
    roots = roots_of(moving.mech, {**{side: moving.feet[side] for side in SIDES}, **holds})
    analysis = _Analysis(moving, record, roots, holds, friction)
    return analysis.result([*notes, *said], plates, sharing, belt)


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


def _record(whole: Motion) -> tuple[Record, list[str]]:
    """Which frames can be analysed, in which pieces, and what there is to say about it."""
    known = whole_rows(np.concatenate((whole.q, whole.v, whole.a), axis=1))
    pieces = pieces_of(whole.t, known, GAP)
    if not pieces:
        raise ModelError("there are no two frames on end in which all of the motion was recorded.")
    valid = np.zeros(len(whole.t), bool)
    for a, b in pieces:
        valid[a:b] = True
    notes = [] if valid.all() else [f"{int((~valid).sum())} frames in which something was not recorded are left out."]
    if len(pieces) > 1:
        told = ", ".join(f"{whole.t[a]:.2f} to {whole.t[b - 1]:.2f} s" for a, b in pieces)
        notes.append(f"the record has gaps: its {len(pieces)} pieces, {told}, are looked at each by itself.")
    return Record(whole, valid, pieces), notes


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


def _together(wrenches: Array) -> Array:
    """(n, 6): the sum of wrenches (n, 6 · supports)."""
    found: Array = wrenches.reshape(len(wrenches), -1, 6).sum(axis=1)
    return found


class _Analysis:
    """One motion on its way to a `Gait`."""

    def __init__(self, motion: Motion, record: Record, roots: Roots, holds: Mapping[str, Hold], friction: float) -> None:
        self.motion, self.record, self.roots, self.holds = motion, record, roots, holds
        self.pieces = record.among_valid()
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
        n, k = len(motion.t), len(roots.names)
        nobody = np.zeros(n, np.int64), np.zeros((n, k), np.int64), np.zeros((n, 6 * k)), np.zeros((n, len(roots.frames)))
        self.total = roots.solve(motion, *nobody, np.full((n, k, 3), np.nan), self.cost).total
        self.up = -mech.gravity / np.linalg.norm(mech.gravity)
        self.middles = np.stack([self.points[:, roots.owner == s].mean(axis=1) for s in range(k)], axis=1)

    def result(self, notes: list[str], plates: Any, sharing: str, belt: Any) -> Gait:
        roots = self.roots
        carried = self.total[:, 3:] @ self.up > _CARRIED * self.weight
        support = self._support(carried, belt)
        notes += check_carried(self.total[:, 3:], self.weight)
        if not support.stances and carried.any() and plates is None:
            warn(support.notes[-1])
        notes += support.notes
        measured: dict[str, Array] = {}
        stands, on_plate = support.stands.copy(), np.zeros(support.stands.shape, bool)
        if plates is not None:
            middles = {name: self.middles[:, s] for s, name in enumerate(roots.names)}
            bodies = {name: (self.holds.get(name) or self.motion.feet[name]).bodies for name in roots.names}
            least = least_load(self.weight)
            measured, said = wrenches_on_feet(plates, self.motion.t, middles, bodies, self.pieces, least)
            notes += said
            for s, name in enumerate(roots.names):
                if name in measured:
                    own = [stance for stance in support.stances if stance.foot == name]
                    stands[:, s], on_plate[:, s] = _on_plate(measured[name][:, 5] > least, own)
            beside = int((stands & ~on_plate).any(axis=1).sum())
            if beside:
                notes.append(
                    f"in {beside} frames a foot stands beside the plates; there it is the root, and gets what plates do not."
                )
        whole = self.record.whole
        plan = given, root, shares = self._plan(stands, measured, on_plate, self._spread(stands, whole.cutoff))
        paths = np.full((*stands.shape, 3), np.nan)
        if whole.raw is not None:  # otherwise accelerations were given, and are exact
            self._find_paths(paths, stands, plan, support)
        if sharing == "smooth" and not measured:
            self._smooth(plan, paths, stands, support, notes)
        yields = np.exp(-np.maximum(support.heights, 0.0) / PAD) + _LEAST_YIELD
        yields *= self._eased(stands)[:, roots.owner]
        out = roots.solve(self.motion, root, shares, given, yields, paths, self.cost)
        self._rooted_where_most_is_carried(out, plan, yields, paths)
        if roots.is_planar:
            notes.append(
                "the body moves in a plane: forces across it are not known, and centres of pressure are in the feet's middles."
            )
            self._into_plane(out, measured)
        on_path: Any = np.isfinite(paths).all(axis=2)
        notes += self._left_over(out, (root > 0) & ~shares.any(axis=1) & on_path.any(axis=1))
        found = Found(stands, root, self.mass, least_load(self.weight), tuple(measured), tuple(notes))
        return Gait.of(self.motion, self.record, roots, out, support, found)

    def _support(self, carried: Any, belt: Any) -> Support:
        """When each foot and each further support stands."""
        owner, names = self.roots.owner, self.roots.names
        every = Soles(self.motion.t, self.points, self.rates, owner, names, carried, self.pieces)
        own = owner < len(SIDES)
        feet = every._replace(points=self.points[:, own], rates=self.rates[:, own], owner=owner[own], feet=names[: len(SIDES)])
        found = find_support(feet, belt)
        return with_holds(every, found, self.holds) if self.holds else found

    def _find_paths(self, paths: Array, stands: Any, plan: tuple[Array, Any, Any], support: Support) -> None:
        """Fill in, (n, supports, 3), where the pressure of each foot has its centre, as far as the feet tell it by themselves."""
        given, root, shares = plan
        rest = self.total - _together(given)
        known = Standing(
            t=self.motion.t,
            points=self.points,
            heights=support.heights,
            owner=self.roots.owner,
            stands=stands,
            alone=(root[:, None] == (1, 2)) & ~shares.any(axis=1)[:, None],
            rest=np.stack([self._in_plane(rest, s) if self.roots.is_planar else rest for s in range(len(SIDES))], axis=1),
            levels=np.stack([levels_of(name, support.stances, len(stands)) for name in SIDES], axis=1),
            belt=support.belt,
            weight=self.weight,
        )
        for a, b in self.pieces:
            paths[a:b, : len(SIDES)] = pressure_paths(known.between(a, b), self.record.whole.cutoff)

    def _spread(self, stands: Any, cutoff: float | None) -> Any:
        """Where a foot may carry something: it stands, or it lands so soon that a filter shows the forces of that already."""
        if cutoff is None:
            return stands
        dt = float(np.median(np.diff(self.motion.t)))
        wide = stands.copy()
        for a, b in self.pieces:
            for k in range(1, min(round(_SMEARED / (cutoff * dt)), b - a - 1) + 1):
                wide[a : b - k] |= stands[a + k : b]
        return wide

    def _eased(self, stands: Any) -> Array:
        """(n, feet): how far each foot takes part while both stand: less when it has just landed, or is about to leave."""
        part, t = np.ones(stands.shape), self.motion.t
        for first, last in self.pieces:
            for a, b in stretches(stands[first:last, : len(SIDES)].all(axis=1), first):
                for s in range(len(SIDES)):
                    if a > first and not stands[a - 1, s]:
                        part[a:b, s] = np.minimum(part[a:b, s], (t[a:b] - t[a - 1]) / (_EASE * (t[b - 1] - t[a - 1])))
                    if b < last and not stands[b, s]:
                        part[a:b, s] = np.minimum(part[a:b, s], (t[b] - t[a:b]) / (_EASE * (t[b] - t[a])))
        return part**2

    def _plan(self, stands: Any, measured: dict[str, Array], on_plate: Any, near: Any) -> tuple[Array, Any, Any]:
        """What is known of each frame: wrenches of plates, which root, and who shares the load."""
        (n, k), names = stands.shape, self.roots.names
        given, root, shares = np.zeros((n, 6 * k)), np.zeros(n, np.int64), np.zeros((n, k), np.int64)
        for s, name in enumerate(names):
            if name in measured:
                given[:, 6 * s : 6 * s + 6] = measured[name]
        free, may = stands & ~on_plate, near & ~on_plate
        for s in reversed(range(k)):
            root[free[:, s]] = s + 1
        several = free.any(axis=1) & (may.sum(axis=1) > 1)
        shares[several] = may[several]
        return given, root, shares

    def _rooted_where_most_is_carried(self, out: Results, plan: tuple[Array, Any, Any], yields: Array, paths: Array) -> None:
        """Make what carries most the root of frames in which several share a load; these are solved again."""
        given, root, shares = plan
        vertical = np.where(shares == 1, out.reactions[:, 5::6], -np.inf)
        wanted = np.where(shares.any(axis=1), 1 + vertical.argmax(axis=1), root)
        again = wanted != root
        if again.any():
            root[again] = wanted[again]
            part, known = _taken(self.motion, again), (given[again], yields[again], paths[again])
            better = self.roots.solve(part, root[again], shares[again], *known, self.cost)
            for old, new in zip(out, better, strict=True):
                old[again] = new

    def _smooth(self, plan: tuple[Array, Any, Any], paths: Array, stands: Any, support: Support, notes: list[str]) -> None:
        """Let the hind foot have what smooth transition says, and the other one all of the rest."""
        given, root, shares = plan
        forward = heading(self.motion, self.roots, support.belt)[0]
        for a, b in self.pieces:
            own = slice(a, b)
            hind, said = hind_wrenches(self.motion.t[own], self.total[own], stands[own], self.middles[own], forward)
            notes += said
            for s in range(len(SIDES)):
                known = a + np.flatnonzero((hind[:, s] != 0.0).any(axis=1))
                given[known, 6 * s : 6 * s + 6] = hind[known - a, s]
                root[known], shares[known], paths[known] = 2 - s, 0, np.nan

    def _left_over(self, out: Results, alone: Any) -> list[str]:
        """What to say of the moments that feet on smooth paths of pressure do not give."""
        if not alone.any():
            return []
        left = np.linalg.norm((out.total - _together(out.reactions))[alone, :2], axis=1)
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
        feet = _together(out.reactions)
        out.total[:] = feet + along(self.twists, out.total - feet, np.zeros_like(self.middles[:, 0]))

    def _in_plane(self, wrench: Array, s: int) -> Array:
        """(n, 6): of wrenches on a foot, forces and moments about its middle, as far as the body's base can move along them."""
        middle = self.middles[:, s]
        return about(along(self.twists, about(wrench, middle), middle), -middle)

    @cached_property
    def twists(self) -> Array:
        """(n, 6, k): those along which the base can move."""
        return base_twists(self.motion, self.roots)
