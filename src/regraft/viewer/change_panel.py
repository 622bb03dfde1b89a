"""Changes of structure: a joint or bodies are chosen, what would be done is shown, and a button does it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.pose import Pose
from ..describe.parts import WORLD, Joint
from ..show.colours import ORANGE
from ..show.glyphs import joint_surfaces, together
from ..tolerances import SAID_ANEW
from .controls import MUTED, NOTHING, block, heard, paragraphs, text
from .editing import meeting_point
from .overlays import rgb, sign_size
from .words import JOINT_CHOICES, joint_of

Array = NDArray[np.float64]

_HINT = (
    "Drag a body to pull it. Click a joint or a body to choose it.",
    "Shift-click a second body, or Shift-drag from one to the other, to connect the two.",
)
_BASE = "The joint by which the new root hangs on the world, with its axis in the world; Free holds nothing"
_CAUGHT = "The joint catches the body, and takes what it cannot carry; else the motion of all bodies is carried over"
_TYPE = "With its axis, or the normal of its plane, in the world"
_PREVIEW = (230, 73, 128)  # the colour of a joint that is not there yet


class ChangePanel:
    """What is chosen, and what can be done to it."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page, self._gui = page, gui
        self._joint, self._body, self._other = "", "", ""
        self._points: dict[str, Array | None] = {}
        self._place: Array | None = None
        self._hand: Any = None
        self._line: Any = None
        self._preview: Any = None
        self._previewed: tuple[str, ...] = ()
        self._label: Any = None
        gui.add_html(paragraphs(_HINT, f"color: {MUTED}"))
        with gui.add_folder("Cut a joint"):
            self._joints = self._dropdown("Joint", self._pick_joint)
            self._words = gui.add_html("", visible=False)
            self._cut = self._button("Cut it", self._do_cut, "red")
        with gui.add_folder("Re-root or connect a body"):
            self._bodies = self._dropdown("Body", self._pick_body)
            self._base = gui.add_dropdown("Base joint", ("Free", *JOINT_CHOICES), initial_value="Free", hint=_BASE)
            self._impact = gui.add_checkbox("With an impact", False, hint=_CAUGHT)
            self._root = self._button("Make it the root", self._do_root)
            gui.add_divider()
            self._others = self._dropdown("Connect to", self._pick_other)
            self._kind = gui.add_dropdown("Joint type", JOINT_CHOICES, initial_value="Spherical", hint=_TYPE)
            self._kind.on_update(heard(page.post, lambda _: self.move()))
            self._at = gui.add_vector3("Place, m", (0.0, 0.0, 0.0), step=0.01, visible=False)
            self._at.on_update(heard(page.post, self._put_place))
            self._connect = self._button("Connect", self._do_connect)
        self.refresh()

    def _dropdown(self, label: str, task: Any) -> Any:
        found = self._gui.add_dropdown(label, (NOTHING,), initial_value=NOTHING)
        found.on_update(heard(self.page.post, lambda name: task("" if name == NOTHING else name)))
        return found

    def _button(self, label: str, task: Any, colour: str | None = None) -> Any:
        found = self._gui.add_button(label, color=colour, disabled=True)
        found.on_click(heard(self.page.post, lambda _: task()))
        return found

    # --- choosing ------------------------------------------------------------------------------------------------------

    def choose_joint(self, name: str) -> None:
        """A joint was clicked."""
        self._joint, self._body, self._other = name, "", ""
        self._chosen()

    def choose_body(self, name: str, point: Array | None, second: bool) -> None:
        """A body was clicked, at a place in the world: one, or the second of two to be connected."""
        placed = self.page.stage.placed
        if second and self._body and name != self._body:
            self._other = name
        elif name != WORLD:
            self._body, self._other = name, ""
        self._joint, self._place = "", None
        self._points[name] = None if point is None else placed.into(name, point)
        self._chosen()

    def choose_pair(self, first: str, start: Any, second: str, end: Any) -> None:
        """One body was dragged to another."""
        placed = self.page.stage.placed
        self._joint, self._body, self._other, self._place = "", first, second, None
        self._points = {first: placed.into(first, start), second: placed.into(second, end)}
        self._chosen()

    def _pick_joint(self, name: str) -> None:
        self._joint = name
        self._chosen()

    def _pick_body(self, name: str) -> None:
        self._body, self._place, self._points = name, None, {}
        self._other = "" if self._other == name else self._other
        self._joint = ""
        self._chosen()

    def _pick_other(self, name: str) -> None:
        self._other, self._place, self._points = name, None, {}
        self._chosen()

    def _chosen(self) -> None:
        """Show what is chosen everywhere."""
        with self.page.client.atomic():
            kind, name = ("joint", self._joint) if self._joint else ("body", self._body) if self._body else ("", "")
            self.page.stage.choose(kind, name)
            self._name(kind, name)
            self.page.numbers.show_joint(self._joint)
            self.refresh()

    def _name(self, kind: str, name: str) -> None:
        """Put the name beside what is chosen."""
        if self._label is not None:
            self._label.remove()
            self._label = None
        placed = self.page.stage.placed
        if name and name in (placed.mech.joints if kind == "joint" else placed.mech.bodies):
            at = placed.joint(name) if kind == "joint" else placed.centre(name)
            self._label = self.page.client.scene.add_label("/chosen", name, position=at, anchor="bottom-center")

    # --- doing ---------------------------------------------------------------------------------------------------------

    def _do_cut(self) -> None:
        self.page.do(self.page.session.cut, self._joint)

    def _do_root(self) -> None:
        self.page.do(self.page.session.reroot, self._body, str(self._base.value), bool(self._impact.value))

    def _do_connect(self) -> None:
        place = self.place()
        if place is not None:
            entry = self.page.do(self.page.session.connect, self._body, self._other, str(self._kind.value), place)
            if not entry.failed:
                self._other, self._place = "", None
                self._chosen()

    # --- the place of a joint that is not there yet --------------------------------------------------------------------

    def place(self) -> Array | None:
        """(3,): where the two bodies that are chosen would be connected; None without two."""
        placed = self.page.stage.placed
        if not self._body or not self._other or placed is None or self._body == self._other:
            return None
        if self._place is not None:
            return self._place
        points = [self._points.get(name) for name in (self._body, self._other)]
        places = [
            placed.at(name, point) for name, point in zip((self._body, self._other), points, strict=True) if point is not None
        ]
        if len(places) == 2:
            return np.asarray(np.mean(places, axis=0))
        return meeting_point(placed.mech, placed.state, self._body, self._other)

    def _put_place(self, place: tuple[float, float, float]) -> None:
        self._place = np.asarray(place, float)
        self.move()

    def move(self) -> None:
        """Bring what is shown of the choice to where it is."""
        placed = self.page.stage.placed
        if self._label is not None:
            if self._joint in placed.mech.joints:
                self._label.position = placed.joint(self._joint)
            elif self._body in placed.mech.bodies:
                self._label.position = placed.centre(self._body)
        self._show_preview()
        self.show_pull()

    def _show_preview(self) -> None:
        place = self.place()
        wanted = () if place is None else (self._body, self._other, str(self._kind.value))
        if wanted != self._previewed:
            for node in self._preview or ():
                node.remove()
            self._preview = self._make_preview() if wanted else None
            self._previewed = wanted
            self._at.visible = bool(wanted)
        if place is None or self._preview is None:
            return
        glyph, lines = self._preview
        glyph.position = place
        placed = self.page.stage.placed
        ends = [place if name == WORLD else placed.centre(name) for name in (self._body, self._other)]
        lines.points = np.array([(end, place) for end in ends], np.float32)
        if self._place is None and np.abs(np.asarray(self._at.value) - place).max() > SAID_ANEW:
            self._at.value = tuple(float(x) for x in place.round(4))

    def _make_preview(self) -> tuple[Any, Any]:
        kind, _ = joint_of(str(self._kind.value))
        size = 1.5 * sign_size(self.page.stage.room)
        shown = together(*(one for _, one in joint_surfaces(Joint("", kind, WORLD, WORLD, Pose(), Pose()), size)))
        scene = self.page.client.scene
        glyph = scene.add_mesh_simple("/preview/joint", shown.vertices, shown.faces, color=_PREVIEW)
        lines = scene.add_line_segments("/preview/lines", np.zeros((2, 2, 3)), _PREVIEW, thickness=3.0, thickness_units="screen")
        return glyph, lines

    # --- the hand ------------------------------------------------------------------------------------------------------

    def show_pull(self) -> None:
        """The line along which the hand pulls."""
        grip, placed = self.page.session.grip, self.page.stage.placed
        if grip is None or grip.body not in placed.index:
            self._hand = _gone(self._hand)
            return
        points = np.array([[placed.at(grip.body, grip.point), grip.target]], np.float32)
        self._hand = self._drawn("/pull", self._hand, points, rgb(ORANGE))

    def show_line(self, start: Any, end: Any) -> None:
        """The line from a body to another while the mouse is dragged."""
        if start is None:
            self._line = _gone(self._line)
            return
        self._line = self._drawn("/joining", self._line, np.array([[start, end]], np.float32), _PREVIEW)

    def _drawn(self, node: str, before: Any, points: Any, colour: tuple[int, int, int]) -> Any:
        if before is not None:
            before.points = points
            return before
        return self.page.client.scene.add_line_segments(node, points, colour, thickness=4.0, thickness_units="screen")

    # --- lists ---------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Lists and buttons as things are."""
        mech = self.page.session.mech
        self._joint = self._joint if self._joint in mech.joints else ""
        self._body = self._body if self._body in mech.bodies else ""
        self._other = self._other if self._other in (*mech.bodies, WORLD) else ""
        if not self._joint and not self._body and self._label is not None:
            self._name("", "")
            self.page.stage.choose()
        for dropdown, names, value in (
            (self._joints, tuple(mech.joints), self._joint),
            (self._bodies, tuple(mech.bodies), self._body),
            (self._others, (*(name for name in mech.bodies if name != self._body), WORLD), self._other),
        ):
            options = (NOTHING, *names)
            if dropdown.options != options:
                dropdown.options = options
            if dropdown.value != (value or NOTHING):
                dropdown.value = value or NOTHING
        for button, possible in ((self._cut, self._joint), (self._root, self._body), (self._connect, self._body and self._other)):
            if button.disabled == bool(possible):
                button.disabled = not possible
        self._words.visible = bool(self._joint)
        if self._joint:
            joint = mech.joints[self._joint]
            role = "closes a loop" if self._joint in mech.loop_joints else "a joint of the tree"
            words = f"{type(joint.type).__name__}, {joint.parent} → {joint.child}; {role}"
            self._words.content = block(text(words))
        self._show_preview()


def _gone(node: Any) -> Any:
    if node is not None:
        node.remove()
