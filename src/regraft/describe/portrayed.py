"""What can be made of a mechanism to be looked at: a picture, a page, its tree in a notebook."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..errors import printable
from ..extras import require
from .state import State

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Portrayed:
    """A mechanism that can be looked at."""

    def draw(self, state: State, path: str | Path, *, azimuth: float = 35.0, elevation: float = 15.0) -> Path:
        """Draw the mechanism in a state: its shapes, with sticks from joint to joint for bodies that have none.

        Meshes in .stl and .obj files are drawn where these were found when the mechanism was read, a little coarser than they
        are; a warning names the others. Up is where gravity does not pull. It needs the extra `show`.

        Parameters
        ----------
        state : State
            A state of this mechanism.
        path : str or Path
            The picture, a .png file.
        azimuth, elevation : float, optional
            From where it is seen, in degrees: azimuth 0 is from the side of −y, with x to the right, and 90 is from the side of
            +x; elevation is above the horizon.

        Returns
        -------
        Path
            The picture.

        Examples
        --------
        >>> import tempfile
        >>> import regraft as rg
        >>> mech, state = rg.models.four_bars().start
        >>> picture = mech.draw(state, tempfile.mkdtemp() + "/four_bars.png")
        """
        require("matplotlib", "Mechanism.draw")
        from ..show.portraits import draw_pose  # an outer layer, which is loaded when it is needed

        return draw_pose(cast("Mechanism", self), state, path, azimuth, elevation)

    def to_html(
        self,
        state: State,
        path: str | Path,
        *,
        title: str = "",
        azimuth: float = 35.0,
        elevation: float = 15.0,
        theme: str = "auto",
    ) -> Path:
        """Write one HTML file that shows the mechanism in a state, to be turned about with the mouse.

        Parameters
        ----------
        state : State
            A state of this mechanism.
        path : str or Path
            The page, an .html file, which needs no server and no network.
        title : str, optional
            Its title; by default the name of the file.
        azimuth, elevation : float, optional
            From where it is seen at first, as for `draw`.
        theme : {"auto", "light", "dark"}, optional
            By default that of the reader's system.

        Returns
        -------
        Path
            The page.

        Examples
        --------
        >>> import tempfile
        >>> import regraft as rg
        >>> mech, state = rg.models.four_bars().start
        >>> page = mech.to_html(state, tempfile.mkdtemp() + "/four_bars.html")
        """
        from ..show.html import write_pose  # likewise

        how = {"title": title, "azimuth": azimuth, "elevation": elevation, "theme": theme}
        return write_pose(cast("Mechanism", self), state, path, **how)

    def _repr_html_(self) -> str:
        """What a notebook shows: the tree in words."""
        return f'<pre style="line-height: 1.35; white-space: pre; overflow-x: auto">{escape(printable(repr(self)))}</pre>'
