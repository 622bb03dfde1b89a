"""The scene of a page: a mechanism as nodes that a visitor can click and drag, and what is shown beside its bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.mechanism import Mechanism
from ..describe.parts import WORLD
from ..describe.state import State
from ..show.glyphs import together
from ..show.pieces import Piece
from ..show.room import Room
from ..show.solids import Solids, solids_of
from .overlays import OVERLAYS, Overlay, rgb
from .picking import Hit, first_hit
from .placed import Placed

Array = NDArray[np.float64]

FADED = 0.25
"""The opacity of bodies while the tree inside them is shown."""
_CHOSEN = (255, 196, 0)  # the colour of what is chosen
_CELLS = 10  # of the floor's grid along the room, about
_SUN = 3  # widths of the room: how far the floor is seen


class Stage:
    """The nodes of one visitor's scene.

    Parameters
    ----------
    scene : viser.SceneApi
        Of that visitor.
    clicked : callable
        Is given the kind, "body" or "joint", its name, and the event, for every click.
    dragged : callable
        Is given the name of a body and the event, for every step of a drag.
    room : Room, optional
        Around all that will be seen; by default around what is seen first.
    made : Solids, optional
        The surfaces of the mechanism that is shown first, where they are known.
    """

    def __init__(
        self,
        scene: Any,
        clicked: Callable[..., object],
        dragged: Callable[..., object] | None = None,
        room: Room | None = None,
        made: Solids | None = None,
    ) -> None:
        self.scene, self._clicked, self._dragged = scene, clicked, dragged
        self.shown = {"Bodies": True, "Ground": True} | {one.label: one.shown for one in OVERLAYS}
        self.overlays: tuple[Overlay, ...] = tuple(one(self) for one in OVERLAYS)
        self.placed: Placed | None = None
        self.solids: Solids | None = None
        self._made = made
        self._whole = room
        self._near: Room | None = None
        self._frames: dict[str, Any] = {}
        self._meshes: list[tuple[Piece, Any]] = []
        self._floor: Any = None
        self._chosen: tuple[str, str] | None = None

    @property
    def room(self) -> Room:
        """Around the mechanism as it was seen first: how large signs are."""
        assert self._near is not None
        return self._near

    # --- what is there -------------------------------------------------------------------------------------------------

    def put(self, mech: Mechanism, state: State) -> Placed:
        """Show a mechanism in a state; what has not changed since stays as it is."""
        before, placed = self.placed, Placed(mech, state)
        self.placed = placed
        if before is None or before.mech is not mech:
            if before is None or not _same_bodies(before.mech, mech):
                self._build_bodies(placed)
            if before is None or not _same_parts(before.mech, mech):
                self._build_overlays(placed)
        self._move(placed)
        return placed

    def _build_bodies(self, placed: Placed) -> None:
        for overlay in self.overlays:
            overlay.clear()
        for frame in self._frames.values():
            frame.remove()
        self._frames.clear()
        self._meshes.clear()
        made, self._made = self._made, None
        self.solids = solids_of(placed.mech, placed.state, self._whole) if made is None else made
        if self._near is None:
            self._near = self.solids.room if self._whole is None else solids_of(placed.mech, placed.state).room
        self._whole = self.solids.room if self._whole is None else self._whole
        for k, name in enumerate(placed.index):  # which a change of structure puts into another order
            self._frames[name] = self.scene.add_frame(f"/bodies/{k}", show_axes=False)
        by_body: dict[str, list[Piece]] = {name: [] for name in placed.index}
        for piece in self.solids.pieces:
            by_body[piece.body].append(piece)
        for name, pieces in by_body.items():
            for k, piece in enumerate(merged(pieces)):
                mesh = self.add_piece(f"piece {k}", piece, "body", name)
                if self._dragged is not None and name != WORLD:
                    for modifier in (None, "shift"):
                        mesh.on_drag("left", modifier=modifier)(_posting(self._dragged, name))
                self._meshes.append((piece, mesh))
        self._build_floor(self._whole)
        self._look()

    def _build_floor(self, room: Room) -> None:
        if self._floor is not None:
            self._floor.remove()
            self._floor = None
        if room.floor is None:
            return
        cell = _round(self.room.size / _CELLS)
        self._floor = self.scene.add_grid(
            "/floor",
            infinite_grid=True,
            cell_size=cell,
            section_size=5.0 * cell,
            cell_color=(206, 202, 194),
            section_color=(170, 166, 158),
            fade_distance=_SUN * 4.0 * room.size,
            fade_strength=1.5,
            shadow_opacity=0.2,
            wxyz=room.floor.quaternion,
            position=room.floor.translation,
            visible=self.shown["Ground"],
        )

    def _build_overlays(self, placed: Placed) -> None:
        for overlay in self.overlays:
            overlay.renew(placed, self.room, self.shown[overlay.label])
        self._mark()

    def path(self, body: str) -> str:
        """The node that goes with a body."""
        return str(self._frames[body].name)

    def add_piece(self, node: str, piece: Piece, kind: str, name: str) -> Any:
        """A piece on its body, which can be clicked as the body or joint that it shows."""
        path = f"{self.path(piece.body)}/{node}"
        opacity = None if piece.opacity >= 1.0 else max(piece.opacity, 0.05)
        mesh = self.scene.add_mesh_simple(path, piece.vertices, piece.faces, color=rgb(piece.colour), opacity=opacity)
        for modifier in (None, "shift") if kind else ():
            mesh.on_click(modifier=modifier)(_posting(self._clicked, kind, name))
        return mesh

    # --- where it is ---------------------------------------------------------------------------------------------------

    def _move(self, placed: Placed) -> None:
        for name, frame in self._frames.items():
            if name != WORLD:
                k = placed.index[name]
                frame.position = placed.rows[k, 9:]
                frame.wxyz = placed.quaternions[k]
        for overlay in self.overlays:
            if self.shown[overlay.label]:
                overlay.move(placed)

    def hit(self, origin: Any, direction: Any, without: str = "") -> Hit | None:
        """What a ray meets first."""
        if self.placed is None or self.solids is None:
            return None
        return first_hit(self.solids.pieces, self.placed.poses, origin, direction, without)

    # --- how it looks --------------------------------------------------------------------------------------------------

    def show(self, layer: str, visible: bool) -> None:
        """Show something, or hide it."""
        self.shown[layer] = visible
        for overlay in self.overlays:
            if overlay.label == layer:
                overlay.switch(visible, self.placed, self.room)
        self._look()

    def _look(self) -> None:
        """Bodies and ground as the switches say."""
        for piece, mesh in self._meshes:
            mesh.visible = self.shown["Ground" if piece.is_ground else "Bodies"]
            opacity = min(piece.opacity, FADED) if self.shown["Tree"] and not piece.is_ground else piece.opacity
            mesh.opacity = None if opacity >= 1.0 else opacity
        if self._floor is not None:
            self._floor.visible = self.shown["Ground"]

    def choose(self, kind: str = "", name: str = "") -> None:
        """Mark a body or a joint, and nothing else."""
        wanted = (kind, name) if kind else None
        if wanted != self._chosen:
            self._chosen = wanted
            self._mark()

    def _mark(self) -> None:
        kind, name = self._chosen or ("", "")
        for piece, mesh in self._meshes:
            wanted = _CHOSEN if kind == "body" and piece.body == name and not piece.is_ground else rgb(piece.colour)
            if tuple(mesh.color) != wanted:
                mesh.color = wanted
        for overlay in self.overlays:
            overlay.mark(name if kind == "joint" else "", _CHOSEN)


def merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces of one body with those of the same looks as one surface."""

    def looks(piece: Piece) -> tuple[str, float, bool]:
        return piece.colour, piece.opacity, piece.is_ground

    ordered = sorted(pieces, key=looks)
    return [_as_one(list(same)) for _, same in groupby(ordered, key=looks)]


def _as_one(pieces: list[Piece]) -> Piece:
    return pieces[0]._replace(surface=together(*(piece.surface for piece in pieces)))


def _same_bodies(one: Mechanism, other: Mechanism) -> bool:
    return one.bodies.keys() == other.bodies.keys() and _identical(one.shapes.values(), other.shapes.values())


def _same_parts(one: Mechanism, other: Mechanism) -> bool:
    """Whether overlays look the same."""
    if not np.array_equal(one.gravity, other.gravity) or one.loop_joints != other.loop_joints:
        return False
    parts = ((one.joints, other.joints), (one.springs, other.springs), (one.frames, other.frames))
    return all(_identical(first.values(), second.values()) for first, second in parts)


def _identical(one: Iterable[object], other: Iterable[object]) -> bool:
    first, second = list(one), list(other)
    return len(first) == len(second) and all(a is b or a == b for a, b in zip(first, second, strict=True))


def _posting(task: Callable[..., object], *given: Any) -> Callable[[Any], Any]:
    """A callback of the server, awaited so that events keep their order; it only passes them on."""

    async def passed(event: Any) -> None:
        task(*given, event)

    return passed


def _round(length: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, not above."""
    power = 10.0 ** np.floor(np.log10(length)) if length > 0.0 else 1.0
    return float(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= length or step == 1.0))


def camera_for(room: Room) -> tuple[Pose, Array]:
    """Where a visitor stands at first, as a pose whose translation that is, and what they look at."""
    up = room.up
    ahead = np.cross(up, (0.0, 1.0, 0.0)) if abs(up[1]) < 0.9 else np.cross(up, (1.0, 0.0, 0.0))
    ahead /= np.linalg.norm(ahead)
    aside = np.cross(up, ahead)
    away = 0.75 * ahead - 1.0 * aside + 0.35 * up
    return Pose(translation=room.middle + 1.15 * room.size * away / np.linalg.norm(away)), room.middle
