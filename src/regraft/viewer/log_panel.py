"""What was done, in words, and the Python lines that do the same."""

from __future__ import annotations

from typing import Any

from .controls import MUTED, WRONG, block, copied_code, heard, text
from .tree import told_tree, tree_of

_ENTRIES = 30  # of the log that a page shows
_LONGEST = 10_000  # characters of Python that a page shows; the file that is saved has all


class LogPanel:
    """The log, the newest entry first, and the script."""

    def __init__(self, page: Any, gui: Any) -> None:
        self.page = page
        self._tree = gui.add_html("")
        self._log = gui.add_html("")
        with gui.add_folder("The same in Python"):
            self._script = gui.add_html("")
            save = gui.add_button("Save as a file", hint="The whole script, session.py")
            save.on_click(heard(page.post, self._save))
            again = gui.add_button("Up to now", hint="Add the motion since the last change to the lines above")
            again.on_click(heard(page.post, self._show_script))
        self.refresh()

    def refresh(self) -> None:
        """Bring all up to date."""
        session = self.page.session
        self._tree.content = block("<br>".join(text(line) for line in told_tree(tree_of(session.mech))))
        with session.lock:
            entries = list(session.history.log)[-_ENTRIES:]
        rows = [_row(entry) for entry in reversed(entries)]
        hint = f'<span style="color: {MUTED}">Nothing has been changed yet.</span>'
        self._log.content = block("".join(rows) or hint, "max-height: 18em; overflow: auto")
        self._show_script()

    def _show_script(self, _pressed: bool = True) -> None:
        self._script.content = copied_code(self.page.session.script(_LONGEST))

    def _save(self, _pressed: bool) -> None:
        self.page.client.send_file_download("session.py", self.page.session.script().encode(), save_immediately=True)


def _row(entry: Any) -> str:
    colour = WRONG if entry.kind in ("refused", "stopped") else "inherit"
    code = (
        f'<div style="color: {MUTED}; font-family: monospace">{"<br>".join(map(text, entry.lines))}</div>' if entry.lines else ""
    )
    return (
        f'<div style="margin-bottom: 0.5em; color: {colour}">'
        f'<span style="color: {MUTED}">{entry.t:.2f} s</span> {text(entry.words)}{code}</div>'
    )
