"""Switches for what is shown, and what the colours mean."""

from __future__ import annotations

from typing import Any

from ..show.glyphs import FORCE, LOOP_JOINT, REACTION, REVERSED_JOINT, ROOT, TREE_JOINT
from .controls import MUTED, block, heard, paragraphs, text

_LEGEND = (
    (ROOT, "the root, and the joint by which it hangs on the world"),
    (TREE_JOINT, "a joint of the tree"),
    (REVERSED_JOINT, "one that is walked from its child to its parent"),
    (LOOP_JOINT, "one that closes a loop"),
    (REACTION, "a force: of a joint's parent on its child"),
    (FORCE, "a force of contacts on a body"),
)


class ShowPanel:
    """The switches."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page = page
        self._switches = {}
        for layer, shown in page.stage.shown.items():
            switch = gui.add_checkbox(layer, shown)
            switch.on_update(heard(page.post, self._switched, layer))
            self._switches[layer] = switch
        rows = [
            f'<span style="display: inline-block; width: 0.8em; height: 0.8em; border-radius: 2px; background: {colour}"></span> '
            + text(words)
            for colour, words in _LEGEND
        ]
        gui.add_html(block("<br>".join(rows)))
        told = page.stage.solids.told if page.stage.solids is not None else ()
        if told:
            gui.add_html(paragraphs(told, f"color: {MUTED}"))

    def _switched(self, layer: str, visible: bool) -> None:
        with self.page.client.atomic():
            self.page.stage.show(layer, visible)
        self.page.switched(layer)

    def refresh(self) -> None:
        """The switches as they are."""
        for layer, switch in self._switches.items():
            if switch.value != self.page.stage.shown[layer]:
                switch.value = self.page.stage.shown[layer]
