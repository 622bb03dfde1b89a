"""What is shown beside bodies, each with a switch: joints, the tree, names, frames, springs, masses, gravity, forces."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..ask.balance import center_of_mass
from ..describe.parts import WORLD, Joint
from ..joints import screws
from ..show.colours import GREY, INK
from ..show.glyphs import (
    FORCE,
    LOOP_JOINT,
    MASS,
    REACTION,
    REVERSED_JOINT,
    ROOT,
    SPRING,
    TREE_JOINT,
    coil,
    frame_pieces,
    glyph_size,
    gravity_arrow,
    joint_surfaces,
    mass_ball,
    placed_between,
    springs_shown,
)
from ..show.pieces import Piece
from ..show.room import Room
from ..show.seen_places import diagonals, usual_size
from ..show.triangles import ball
from ..tolerances import DRAWN_STRETCHED
from .picking import first_hit
from .placed import Placed
from .tree import Tree, tree_of

Array = NDArray[np.float64]

_FREE = 6  # degrees of freedom of a joint without axes
_LONGEST, _BESIDE = 2.0, 1.2  # times the usual length, or what a body hides of it
_ON_BODY, _LEAST = 0.35, 0.25  # of a usual body, and of the usual size: smaller signs could not be clicked
_LOWER = 3.0  # usual lengths: how much lower than in pages that play, and how far it reaches below the highest point there
_SMALLER = 0.8  # than in pictures, which are not turned about


def sign_size(room: Room) -> float:
    """Half of the length of a joint's axis in a room, m."""
    return _SMALLER * glyph_size(room)


def rgb(colour: str) -> tuple[int, int, int]:
    """``"#RRGGBB"`` as three numbers up to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


class Overlay:
    """A layer of the scene with a switch."""

    label: ClassVar[str]
    shown: ClassVar[bool] = False

    def __init__(self, stage: Any) -> None:
        self.stage, self.nodes = stage, list[Any]()
        self.built = False
        """Whether its nodes are those of the mechanism that is shown; they are made when they are first seen."""

    def clear(self) -> None:
        """Take all nodes away."""
        for node in self.nodes:
            node.remove()
        self.nodes.clear()
        self.built = False

    def renew(self, placed: Placed, room: Room, shown: bool) -> None:
        """Show another mechanism."""
        self.clear()
        if shown:
            self.build(placed, room)
            self.built = True

    def size(self, room: Room) -> float:
        """Half of the length of a joint's axis, m: less than `sign_size` where bodies are many and short, as in a long chain."""
        solids = self.stage.solids
        usual = None if solids is None else usual_size(diagonals(solids.pieces))
        most = sign_size(room)
        return most if usual is None else min(most, max(_LEAST * most, _ON_BODY * usual))

    def switch(self, visible: bool, placed: Placed | None, room: Room) -> None:
        """Switch it on or off."""
        if visible and placed is not None:
            if not self.built:
                self.renew(placed, room, True)
            self.move(placed)
        self.show(visible)

    def build(self, placed: Placed, room: Room) -> None:
        """Make the nodes for a mechanism."""
        raise NotImplementedError

    def move(self, placed: Placed) -> None:
        """Put nodes to where they are; those that are fixed to bodies go with them."""

    def show(self, visible: bool) -> None:
        """Show its nodes, or hide them."""
        for node in self.nodes:
            node.visible = visible

    def mark(self, joint: str, colour: tuple[int, int, int]) -> None:
        """Give the joint that is chosen another colour."""


class Joints(Overlay):
    """Joints with their axes: of the tree, walked forwards or backwards, and of loops; and where roots hang on the world."""

    label, shown = "Joints", True

    def __init__(self, stage: Any) -> None:
        super().__init__(stage)
        self.pieces: list[Piece] = []
        self._count = 0
        self._made: dict[str, tuple[Joint, str, list[Piece], list[Any]]] = {}

    def clear(self) -> None:
        """Take all nodes away."""
        super().clear()
        self.pieces.clear()
        self._made.clear()

    def renew(self, placed: Placed, room: Room, shown: bool) -> None:
        """Joints that have stayed as they were keep their nodes."""
        if shown and self.built:
            self.build(placed, room)
        else:
            super().renew(placed, room, shown)

    def build(self, placed: Placed, room: Room) -> None:
        """A node for each axis, which can be clicked."""
        tree = tree_of(placed.mech)
        colours = dict.fromkeys(tree.loops, LOOP_JOINT) | dict.fromkeys(tree.backward, REVERSED_JOINT)
        colours |= dict.fromkeys(tree.roots.values(), ROOT)
        before, self._made = self._made, {}
        for name, joint in placed.mech.joints.items():
            looks = (joint, colours.get(name, TREE_JOINT))
            kept = before.get(name)
            if kept is not None and kept[:2] == looks:
                self._made[name] = before.pop(name)
        for _, _, _, nodes in before.values():
            for node in nodes:
                node.remove()
        size = self.size(room)
        for name, joint in placed.mech.joints.items():
            if name not in self._made:
                self._made[name] = self._new(joint, colours.get(name, TREE_JOINT), size)
        self.pieces = [piece for _, _, pieces, _ in self._made.values() for piece in pieces]
        self.nodes = [node for _, _, _, nodes in self._made.values() for node in nodes]

    def _new(self, joint: Joint, colour: str, size: float) -> tuple[Joint, str, list[Piece], list[Any]]:
        """The axes of a joint; one without any, a free joint, is a ball if it holds a root."""
        if joint.type.nv < _FREE:
            sticks_out = self._size(joint, size)
            pieces = [Piece(body, joint.name, surface, colour) for body, surface in joint_surfaces(joint, sticks_out)]
        elif colour == ROOT:
            body, pose = (joint.child, joint.child_pose) if joint.child != WORLD else (joint.parent, joint.parent_pose)
            pieces = [Piece(body, joint.name, ball(0.6 * size).placed(pose), colour)]
        else:
            pieces = []
        nodes = []
        for piece in pieces:
            self._count += 1  # a name of its own, which no node had before
            nodes.append(self.stage.add_piece(f"joint {self._count}", piece, "joint", piece.name))
        return joint, colour, pieces, nodes

    def _size(self, joint: Joint, size: float) -> float:
        """Half of the length of a joint's axis: so much that it can be seen beside the bodies that it joins."""
        columns = screws(joint.type, joint.type.neutral())
        if len(columns) not in (1, 2) or self.stage.solids is None:
            return size
        reach = size
        for body, pose in ((joint.parent, joint.parent_pose), (joint.child, joint.child_pose)):
            pieces = [one for one in self.stage.solids.pieces if one.body == body and not one.is_ground]
            for column in columns:
                along = pose.rotation @ (column[:3] if column[:3].any() else column[3:])
                for way in (along, -along):
                    far = _LONGEST * size
                    hit = first_hit(pieces, {body: Pose()}, pose.translation + far * way, -way)
                    reach = max(reach, _BESIDE * (far - hit.distance)) if hit is not None else reach
        return min(reach, _LONGEST * size)

    def mark(self, joint: str, colour: tuple[int, int, int]) -> None:
        """The axes of the joint that is chosen."""
        for piece, node in zip(self.pieces, self.nodes, strict=True):
            wanted = colour if piece.name == joint else rgb(piece.colour)
            if tuple(node.color) != wanted:
                node.color = wanted


class TreeShown(Overlay):
    """The walk from the root to the leaves as arrows from body to body, and the links of loops."""

    label = "Tree"

    def build(self, placed: Placed, room: Room) -> None:
        """Two sets of lines and arrows, and a ball for each root."""
        self.tree: Tree = tree_of(placed.mech)
        self.steps = [step for step in self.tree.steps if step.above != WORLD]
        size, scene = self.size(room), self.stage.scene
        colours = np.array([rgb(INK if step.forward else REVERSED_JOINT) for step in self.steps], np.uint8).reshape(-1, 3)
        halves, links = self._lines(placed)
        self.arrows = self.lines = self.loops = None
        if self.steps:
            wide = {"shaft_radius": 0.16 * size, "head_radius": 0.45 * size, "head_length": 0.9 * size}
            self.arrows = scene.add_arrows("/tree/arrows", halves[:, 1], colours, **wide)
            self.lines = scene.add_arrows("/tree/lines", halves[:, 0], colours, **wide | {"head_radius": 0.0, "head_length": 0.0})
            self.nodes += [self.arrows, self.lines]
        if self.tree.loops:
            thin = {"shaft_radius": 0.2 * size, "head_radius": 0.0, "head_length": 0.0}
            self.loops = scene.add_arrows("/tree/loops", links, rgb(LOOP_JOINT), **thin)
            self.nodes.append(self.loops)
        self.roots = {
            body: scene.add_icosphere(f"/tree/root {k}", radius=0.9 * size, color=rgb(ROOT))
            for k, body in enumerate(self.tree.roots)
        }
        self.nodes += self.roots.values()

    def _lines(self, placed: Placed) -> tuple[Array, Array]:
        """(steps, 2, 2, 3) from the body above to the joint to the body below; (2 loops, 2, 3) likewise."""
        halves = [
            (placed.centre(step.above), placed.joint(step.joint), placed.joint(step.joint), placed.centre(step.below))
            for step in self.steps
        ]
        links = []
        for name in self.tree.loops:
            joint, place = placed.mech.joints[name], placed.joint(name)
            ends = [place if body == WORLD else placed.centre(body) for body in (joint.parent, joint.child)]
            links += [(ends[0], place), (place, ends[1])]
        return np.array(halves).reshape(-1, 2, 2, 3), np.array(links).reshape(-1, 2, 3)

    def move(self, placed: Placed) -> None:
        """All ends."""
        halves, links = self._lines(placed)
        if self.arrows is not None and self.lines is not None:
            self.arrows.points, self.lines.points = halves[:, 1].astype(np.float32), halves[:, 0].astype(np.float32)
        if self.loops is not None:
            self.loops.points = links.astype(np.float32)
        for body, node in self.roots.items():
            node.position = placed.centre(body)


class Names(Overlay):
    """The names of bodies."""

    label = "Names of bodies"

    def build(self, placed: Placed, room: Room) -> None:  # noqa: ARG002
        """A label on each body, at its centre of mass."""
        for name, body in placed.mech.bodies.items():
            node = f"{self.stage.path(name)}/name"
            label = self.stage.scene.add_label(node, name, position=body.inertia.com, anchor="center-center")
            self.nodes.append(label)


class JointNames(Overlay):
    """The names of joints."""

    label = "Names of joints"

    def build(self, placed: Placed, room: Room) -> None:  # noqa: ARG002
        """A label on each joint's child."""
        for k, (name, joint) in enumerate(placed.mech.joints.items()):
            body, pose = (joint.child, joint.child_pose) if joint.child != WORLD else (joint.parent, joint.parent_pose)
            node = f"{self.stage.path(body)}/name of joint {k}"
            self.nodes.append(self.stage.scene.add_label(node, name, position=pose.translation, anchor="bottom-center"))


class Frames(Overlay):
    """The frames of a mechanism."""

    label = "Frames"

    def build(self, placed: Placed, room: Room) -> None:
        """Three arrows each."""
        for k, piece in enumerate(frame_pieces(placed.mech, sign_size(room))):
            self.nodes.append(self.stage.add_piece(f"frame {k}", piece, "", ""))


class Springs(Overlay):
    """Springs, stretched between their ends."""

    label, shown = "Springs", True

    def build(self, placed: Placed, room: Room) -> None:
        """A coil each."""
        self.springs, surface = springs_shown(placed.mech), coil(sign_size(room))
        for k, _ in enumerate(self.springs):
            node = self.stage.scene.add_mesh_simple(f"/springs/{k}", surface.vertices, surface.faces, color=rgb(SPRING))
            self.nodes.append(node)

    def move(self, placed: Placed) -> None:
        """Both ends."""
        for spring, node in zip(self.springs, self.nodes, strict=True):
            start, end = placed.at(spring.body_a, spring.point_a), placed.at(spring.body_b, spring.point_b)
            pose, length = placed_between(start, end)
            node.scale = (1.0, 1.0, max(length, DRAWN_STRETCHED))
            node.position, node.wxyz = pose.translation, pose.quaternion


class Mass(Overlay):
    """The centre of mass of all bodies."""

    label = "Centre of mass"

    def build(self, placed: Placed, room: Room) -> None:
        """A ball."""
        if any(body.inertia.mass > 0.0 for body in placed.mech.bodies.values()):
            surface = mass_ball(sign_size(room))
            self.nodes.append(
                self.stage.scene.add_mesh_simple("/centre of mass", surface.vertices, surface.faces, color=rgb(MASS))
            )

    def move(self, placed: Placed) -> None:
        """Where it is."""
        for node in self.nodes:
            node.position = center_of_mass(placed.mech, placed.state)


class Gravity(Overlay):
    """An arrow in its direction."""

    label, shown = "Gravity", True

    def build(self, placed: Placed, room: Room) -> None:
        """The arrow, where there is gravity."""
        piece = gravity_arrow(placed.mech, room)
        if piece is not None:
            aside = room.low - room.middle
            aside -= (aside @ room.up) * room.up
            size = glyph_size(room)
            lower = min(_LOWER * size, float((room.high - room.low) @ np.abs(room.up)) - _LOWER * size)
            shift = 0.8 * aside - lower * room.up  # so that all of it is in the first picture, and above the floor
            beside = piece._replace(surface=piece.surface.placed(Pose(translation=shift)), colour=GREY)
            self.nodes.append(self.stage.add_piece("gravity", beside, "", ""))
            tip = beside.vertices[(beside.vertices @ room.up).argmax()]
            self.nodes.append(self.stage.scene.add_label("/name of gravity", "gravity", position=tip, anchor="bottom-center"))


class Forces(Overlay):
    """What joints and contacts transmit, as arrows; whoever owns the stage says which."""

    label = "Forces"

    def build(self, placed: Placed, room: Room) -> None:
        """An empty set each."""
        self.weight = sum(body.inertia.mass for body in placed.mech.bodies.values()) * (math.hypot(*placed.mech.gravity) or 1.0)
        self.length = 0.3 * room.size
        size = sign_size(room)
        wide = {"shaft_radius": 0.15 * size, "head_radius": 0.4 * size, "head_length": 0.8 * size}
        for kind, colour in (("joints", REACTION), ("contacts", FORCE)):
            arrows = self.stage.scene.add_arrows(f"/forces/{kind}", np.zeros((1, 2, 3)), rgb(colour), visible=False, **wide)
            self.nodes.append(arrows)

    def show(self, visible: bool) -> None:
        """Arrows appear when there are forces."""
        if not visible:
            super().show(False)

    def put(self, of_joints: Array, of_contacts: Array) -> None:
        """(n, 2, 3) each: where a force acts, and the force, in N; an arrow as long as the room's third is the weight of all."""
        scale = self.length / self.weight if self.weight > 0.0 else 0.0
        for node, found in zip(self.nodes, (of_joints, of_contacts), strict=True):
            arrows = found[np.isfinite(found).all(axis=(1, 2))] if len(found) else np.zeros((0, 2, 3))
            node.visible = bool(len(arrows)) and self.stage.shown[self.label]
            if len(arrows):
                ends = arrows.copy()
                ends[:, 1] = arrows[:, 0] + scale * arrows[:, 1]
                node.points = ends.astype(np.float32)


OVERLAYS: tuple[type[Overlay], ...] = (Joints, TreeShown, Names, JointNames, Frames, Springs, Mass, Gravity, Forces)
"""All of them, in the order in which a page lists them."""

__all__ = ["OVERLAYS", "Forces", "Overlay", "rgb"]
