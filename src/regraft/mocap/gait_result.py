"""`Gait`: ground reactions and joint moments of a recorded motion, by name over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, listed
from ..extras import require
from ..kernels import tables
from .body_motion import Motion
from .gait_events import PHASES, GaitEvent, cadence_of, events_of, phases_of
from .heading import about, base_places, heading
from .plates import LOADED
from .support import Stance, Support
from .support_dynamics import Roots

if TYPE_CHECKING:
    from .support_tables import Results

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gait:
    """What carries a moving body in each frame, and what its joints do.

    Attributes
    ----------
    motion : Motion
        The motion as it was analysed.
    t : (n,) array
        When each frame was taken.
    phase : (n,) array of str
        Who carries the body: "none", "left", "right" or "both" feet, and further supports behind a +, as in "left+cane".
    root : (n,) array of str
        The body that was the root in each frame.
    reaction : mapping of str to (n, 3) array
        The force of the ground on each foot, or on another support, in N, in world axes.
    pressure : mapping of str to (n, 3) array
        Its centre of pressure; NaN where a foot carries nothing.
    free_moment : mapping of str to (n,) array
        The moment about the vertical there, in N m.
    moment : mapping of str to (n, k) array
        What muscles must do at each joint, in N m (N where a joint slides), along its own coordinates.
    power : mapping of str to (n,) array
        Of each joint's moment, in W.
    wrench : mapping of str to (n, 6) array
        The (moment, force) that each joint puts on its child, about its frame there, in world axes.
    residual : (n, 6) array
        The (moment, force) at the base that nothing explains, about the base: in flight, where plates were given, and moments
        that feet cannot give whose pressure stays inside their soles.
    stances : tuple of Stance
        Each time that a foot stands.
    events : tuple of GaitEvent
        When feet land and leave; ends of the record are none.
    speed : float
        How fast the body goes relative to the ground, in m/s.
    cadence : float
        Steps per minute; NaN where there are fewer than two strikes.
    mass : float
        Of the whole body.
    belt : (3,) array
        The velocity of the ground.
    measured : tuple of str
        The feet whose reactions come from plates.
    pieces : tuple of (int, int)
        From and up to which frames the motion was recorded without a gap; in between everything is NaN and no foot is the root.
    notes : tuple of str
        What was assumed, repaired or left out, in words.
    """

    motion: Motion
    t: Array
    phase: NDArray[Any]
    root: NDArray[Any]
    reaction: Mapping[str, Array]
    pressure: Mapping[str, Array]
    free_moment: Mapping[str, Array]
    moment: Mapping[str, Array]
    power: Mapping[str, Array]
    wrench: Mapping[str, Array]
    residual: Array
    stances: tuple[Stance, ...]
    events: tuple[GaitEvent, ...]
    speed: float
    cadence: float
    mass: float
    belt: Array
    measured: tuple[str, ...]
    pieces: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, motion: Motion, record: Record, roots: Roots, out: Results, support: Support, found: Found
    ) -> Gait:  # fmt: skip
        """The results of kernels by name; frames that were left out are NaN."""
        whole, valid = record.whole, record.valid
        n, pieces = len(whole.t), record.among_valid()

        def spread(x: Array) -> Array:
            if valid.all():
                return x
            wide = np.full((n, *x.shape[1:]), np.nan)
            wide[valid] = x
            return wide

        sides = roots.names
        wrenches = {side: out.reactions[:, 6 * s : 6 * s + 6] for s, side in enumerate(sides)}
        levels = {side: levels_of(side, support.stances, len(motion.t)) for side in sides}
        pressed = {side: pressure_of(wrenches[side], levels[side], found.least) for side in sides}
        moment, power, transmitted = _by_joint(motion, roots, out)
        phases = phases_of(found.stands, sides)
        names = np.array([roots.structure.body_names[roots.structure.walk[k, tables.BODY]] for k in roots.rows])
        phase, root = np.full(n, "none", dtype=phases.dtype), np.full(n, "", dtype=names.dtype)
        phase[valid], root[valid] = phases, names[found.root]
        events = events_of(found.stands, motion.t, sides, pieces)
        _, speed = heading(motion, roots, support.belt)
        return cls(
            motion=whole,
            t=whole.t,
            phase=phase,
            root=root,
            reaction={side: spread(wrenches[side][:, 3:]) for side in sides},
            pressure={side: spread(pressed[side][0]) for side in sides},
            free_moment={side: spread(pressed[side][1]) for side in sides},
            moment=_Joints({name: spread(x) for name, x in moment.items()}, motion.joints),
            power=_Joints({name: spread(x) for name, x in power.items()}, motion.joints, add=True),
            wrench={name: spread(x) for name, x in transmitted.items()},
            residual=spread(_residual(motion, roots, out)),
            stances=tuple(_spread_stance(stance, np.flatnonzero(valid)) for stance in support.stances),
            events=events,
            speed=speed,
            cadence=cadence_of(events, [(float(motion.t[a]), float(motion.t[b - 1])) for a, b in pieces]),
            mass=found.mass,
            belt=support.belt,
            measured=found.measured,
            pieces=record.pieces,
            notes=(*whole.notes, *found.notes),
        )

    # --- in other forms ----------------------------------------------------------------------------------------------------

    def moments(self, axes: str = "joint", *, per_kg: bool = False) -> dict[str, Array]:
        """The moment of every joint.

        Parameters
        ----------
        axes : {"joint", "world", "segment"}, optional
            Along each joint's own coordinates (n, k); or as a vector (n, 3) on the child, in world axes or in those of the child.
        per_kg : bool, optional
            Divided by the body's mass.

        Returns
        -------
        dict of str to array
        """
        scale = 1.0 / self.mass if per_kg else 1.0
        if axes == "joint":
            return {name: scale * x for name, x in self.moment.items()}
        vectors = {name: scale * x[:, :3] for name, x in self.wrench.items()}
        return self._in_axes(vectors, axes)

    def forces(self, axes: str = "world", *, per_kg: bool = False) -> dict[str, Array]:
        """The force (n, 3) that every joint puts on its child, in "world" or "segment" axes.

        Parameters
        ----------
        axes : {"world", "segment"}, optional
            In which axes.
        per_kg : bool, optional
            Divided by the body's mass.

        Returns
        -------
        dict of str to array
        """
        scale = 1.0 / self.mass if per_kg else 1.0
        return self._in_axes({name: scale * x[:, 3:] for name, x in self.wrench.items()}, axes)

    def _in_axes(self, vectors: dict[str, Array], axes: str) -> dict[str, Array]:
        if axes == "world":
            return vectors
        if axes != "segment":
            raise ModelError(f"axes are 'joint', 'world' or 'segment', not {axes!r}.")
        structure, found = self.motion.mech.structure, {name: np.empty_like(x) for name, x in vectors.items()}
        children = {name: structure.row(self.motion.mech.joints[name].child) for name in vectors}
        rest = np.zeros(structure.nv)
        for i, q in enumerate(self.motion.q):
            poses = structure.motion(np.concatenate((q, rest)))[:, :9].reshape(-1, 3, 3)
            for name, k in children.items():
                found[name][i] = vectors[name][i] @ poses[k]
        return found

    def to_pandas(self) -> Any:
        """A table of all of it over time.

        Returns
        -------
        pandas.DataFrame
            With a column for each number, such as "left_reaction_z" and "right_knee_moment"; the index is time.
        """
        pandas = require("pandas", "Gait.to_pandas()")
        return pandas.DataFrame(self.columns(), index=pandas.Index(self.t, name="t"))

    def columns(self) -> dict[str, NDArray[Any]]:
        """All numbers over time as columns by name.

        Returns
        -------
        dict of str to (n,) array
            Such as "phase", "left_reaction_z" and "right_knee_moment".
        """
        found: dict[str, NDArray[Any]] = {"phase": self.phase}
        for side in self.reaction:
            for c, axis in enumerate("xyz"):
                found[f"{side}_reaction_{axis}"] = self.reaction[side][:, c]
            for c, axis in enumerate("xyz"):
                found[f"{side}_pressure_{axis}"] = self.pressure[side][:, c]
            found[f"{side}_free_moment"] = self.free_moment[side]
        for name in self.moment:
            own = self.moment[name]
            for c in range(own.shape[1]):
                found[f"{name}_moment" + (f"_{c + 1}" if own.shape[1] > 1 else "")] = own[:, c]
            found[f"{name}_power"] = self.power[name]
        for c, label in enumerate(("moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z")):
            found[f"residual_{label}"] = self.residual[:, c]
        return found

    def report(self, folder: str | Path, against: Gait | None = None) -> Path:
        """Write tables, pictures and one HTML page into a folder.

        Parameters
        ----------
        folder : str or Path
            Made if it is not there.
        against : Gait, optional
            The same motion with force plates, to be shown beside it.

        Returns
        -------
        Path
            The page.
        """
        require("matplotlib", "Gait.report()")
        from ..show.gait_report import write_report  # what draws lies above, and needs more packages

        return write_report(self, folder, against)

    def to_html(
        self,
        path: str | Path,
        *,
        title: str = "",
        slower: float = 1.0,
        azimuth: float = 35.0,
        elevation: float = 15.0,
        follow: bool = True,
        autoplay: bool = False,
        loop: bool = False,
        theme: str = "auto",
    ) -> Path:
        """Write one HTML file that plays the motion with its ground reactions, from disk, without a server or a network.

        What carries the body is the root, in green. Strikes and toe-offs are marks and captions; the vertical forces are below.

        Parameters
        ----------
        path : str or Path
            The page, an .html file.
        title, slower, azimuth, elevation, follow, autoplay, loop, theme
            As for `Trajectory.to_html`.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import regraft as rg, tempfile, pathlib
        >>> gait = rg.mocap.analyse(rg.mocap.normal_walk().motion)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     gait.to_html(pathlib.Path(folder, "walk.html"), slower=2).name
        'walk.html'
        """
        from ..show.gait_film import write_gait  # what shows lies above

        given = {"title": title, "slower": slower, "azimuth": azimuth, "elevation": elevation, "follow": follow}
        return write_gait(self, path, **given, autoplay=autoplay, loop=loop, theme=theme)

    def __repr__(self) -> str:
        phases = dict.fromkeys((*PHASES, *np.unique(self.phase).tolist()))
        share = {phase: float(((self.phase == phase) & (self.root != "")).mean()) for phase in phases}
        share["not recorded"] = float((self.root == "").mean())
        shown = ", ".join(f"{phase} {100 * part:.0f} %" for phase, part in share.items() if part > 0.0)
        return f"Gait({len(self.t)} frames, {self.t[-1] - self.t[0]:.2f} s, {self.speed:.2f} m/s; {shown})"


class Record(NamedTuple):
    """A motion, and which of its frames can be analysed."""

    whole: Motion
    valid: NDArray[np.bool_]
    """(n,): frames in which all of it is known."""
    pieces: tuple[tuple[int, int], ...]
    """From and up to which frames these follow each other without a gap."""

    def among_valid(self) -> list[tuple[int, int]]:
        """The pieces by the numbers of the valid frames alone."""
        ends = np.cumsum([0, *(b - a for a, b in self.pieces)]).tolist()
        return list(pairwise(ends))


class Found(NamedTuple):
    """What an analysis has found beside what kernels give."""

    stands: NDArray[np.bool_]
    root: NDArray[np.int64]
    mass: float
    least: float
    """N: a smaller force has no centre of pressure."""
    measured: tuple[str, ...]
    notes: tuple[str, ...]


class _Joints(Mapping[str, Array]):
    """Numbers of joints by their names, and by those of anatomy: the columns of all joints that make one up, or their sum."""

    def __init__(self, own: dict[str, Array], anatomy: Mapping[str, Sequence[str]], *, add: bool = False) -> None:
        self._own, self._anatomy, self._add = own, anatomy, add

    def __getitem__(self, name: str) -> Array:
        if name in self._own:
            return self._own[name]
        parts = [self._own[joint] for joint in self._anatomy.get(name, ()) if joint in self._own]
        if not parts:
            raise KeyError(f"there is no joint {name!r}; the joints are: {listed((*self._own, *self._anatomy))}.")
        return np.sum(parts, axis=0) if self._add else np.concatenate(parts, axis=1)

    def __iter__(self) -> Any:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


def _spread_stance(stance: Stance, frames: NDArray[np.intp]) -> Stance:
    """A stance by the frames of the whole record."""
    return stance._replace(start=int(frames[stance.start]), stop=int(frames[stance.stop - 1]) + 1)


def levels_of(side: str, stances: Sequence[Stance], n: int) -> Array:
    """(n,): how high the ground is under a foot; between its stances as in the nearest one."""
    mine = [stance for stance in stances if stance.foot == side]
    if not mine:
        return np.full(n, min((stance.level for stance in stances), default=0.0))
    middles = [0.5 * (stance.start + stance.stop - 1) for stance in mine]
    nearest = np.abs(np.arange(n)[:, None] - np.array(middles)[None]).argmin(axis=1)
    found: Array = np.array([stance.level for stance in mine])[nearest]
    return found


def pressure_of(wrench: Array, level: Array, least: float = LOADED) -> tuple[Array, Array]:
    """The centre of pressure (n, 3) of wrenches about the world's origin at a height, and the moment about the vertical there.

    Forces that push up by no more than `least` newtons have none.
    """
    moment, force = wrench[:, :3], wrench[:, 3:]
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (level * force[:, 0] - moment[:, 1]) / force[:, 2]
        y = (level * force[:, 1] + moment[:, 0]) / force[:, 2]
    point = np.stack((x, y, level), axis=1)
    point[~(force[:, 2] > least)] = np.nan
    turning = moment[:, 2] - (point[:, 0] * force[:, 1] - point[:, 1] * force[:, 0])
    return point, np.where(np.isfinite(turning), turning, 0.0)


def _by_joint(motion: Motion, roots: Roots, out: Results) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Moments, powers and transmitted wrenches of all joints but those that hold the body to the world in the recording."""
    mech, walk, base = motion.mech, roots.structure.walk, set(roots.ways.base[0].tolist())
    moment, power, transmitted = {}, {}, {}
    for k, row in enumerate(walk):
        name = roots.structure.joint_names[row[tables.JOINT]]
        own = mech.v_slice(name)
        if set(range(own.start, own.stop)) & base or k == 0:
            continue
        transmitted[name] = out.transmitted[:, 6 * k : 6 * k + 6]
        if own.stop > own.start:
            moment[name] = out.tau[:, own]
            power[name] = np.einsum("ni,ni->n", out.tau[:, own], motion.v[:, own])
    return moment, power, transmitted


def _residual(motion: Motion, roots: Roots, out: Results) -> Array:
    """What the world would have to add, about the base."""
    left = out.total - out.reactions.reshape(len(out.total), -1, 6).sum(axis=1)
    return about(left, base_places(motion, roots))
