"""What can be made of a trajectory to be looked at: pictures, a page that plays, a summary in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..extras import require

if TYPE_CHECKING:
    from .trajectory import Trajectory


class Portrayed:
    """A motion that can be looked at."""

    def strip(self, path: str | Path, *, poses: int = 8, azimuth: float = 35.0, elevation: float = 15.0) -> Path:
        """Draw poses of the motion side by side: those at events, and others between them. It needs the extra `show`.

        Parameters
        ----------
        path : str or Path
            The picture, a .png file.
        poses : int, optional
            How many, about; rows are filled.
        azimuth, elevation : float, optional
            From where it is seen, as for `Mechanism.draw`.

        Returns
        -------
        Path
            The picture.

        Examples
        --------
        >>> import tempfile
        >>> import regraft as rg
        >>> traj = rg.simulate(*rg.models.pendulum().start, 1.0)
        >>> picture = traj.strip(tempfile.mkdtemp() + "/swings.png", poses=4, azimuth=0)
        """
        require("matplotlib", "Trajectory.strip")
        from ..show.portraits import draw_poses  # pictures are an outer layer, which is loaded when it is needed

        return draw_poses(cast("Trajectory", self), path, poses, azimuth, elevation)

    def animate(
        self, path: str | Path, *, slower: float = 1.0, fps: float = 25.0, azimuth: float = 35.0, elevation: float = 15.0
    ) -> Path:
        """Draw the motion as a moving picture, with the time and what has happened by then. It needs the extra `show`.

        Parameters
        ----------
        path : str or Path
            The picture, a .gif file, or an .mp4 file where the program ffmpeg is found.
        slower : float, optional
            How much slower than it is the motion is shown.
        fps : float, optional
            Frames per second.
        azimuth, elevation : float, optional
            From where it is seen, as for `Mechanism.draw`.

        Returns
        -------
        Path
            The picture.

        Examples
        --------
        >>> import tempfile
        >>> import regraft as rg
        >>> traj = rg.simulate(*rg.models.pendulum().start, 0.2)
        >>> picture = traj.animate(tempfile.mkdtemp() + "/swings.gif", azimuth=0)
        """
        require("matplotlib", "Trajectory.animate")
        from ..show.portraits import draw_motion  # likewise

        return draw_motion(cast("Trajectory", self), path, slower, fps, azimuth, elevation)

    def to_html(
        self,
        path: str | Path,
        *,
        title: str = "",
        slower: float = 1.0,
        fps: float = 60.0,
        frames: int | None = None,
        azimuth: float = 35.0,
        elevation: float = 15.0,
        follow: bool | None = None,
        autoplay: bool = False,
        loop: bool = False,
        theme: str = "auto",
    ) -> Path:
        """Write one HTML file that plays the motion in any browser, from disk, without a server or a network.

        Bodies, joints, springs and forces of contacts are seen in space. The tree is told beside them, with its roots, joints
        that are walked backwards and joints that close loops, and changes where the structure does. Events are marks and
        captions; energies are below. Places of bodies are right to 1/65 536 of the mechanism's extent, their turns to 10⁻⁴ rad.
        What is left out is told in a warning and on the page.

        Parameters
        ----------
        path : str or Path
            The page, an .html file.
        title : str, optional
            Its title; by default the name of the file.
        slower : float, optional
            How much slower than it is the motion is played at first.
        fps : float, optional
            Frames per second of the motion; between them the page interpolates. At events there are frames just before and after.
        frames : int, optional
            At most so many, but for the two at each change of structure. There are never more than make 600 000 poses of single
            bodies together.
        azimuth, elevation : float, optional
            From where it is seen at first, as for `Mechanism.draw`.
        follow : bool, optional
            Whether the camera follows the centre of mass; by default where that goes far.
        autoplay, loop : bool, optional
            Whether it plays by itself, and begins again at the end.
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
        >>> traj = rg.simulate(*rg.models.pendulum().start, 1.0)
        >>> page = traj.to_html(tempfile.mkdtemp() + "/swings.html", title="A pendulum", azimuth=0)
        """
        from ..show.html import write_motion  # likewise

        showing = {"title": title, "slower": slower, "azimuth": azimuth, "elevation": elevation, "follow": follow}
        more = {"autoplay": autoplay, "loop": loop, "theme": theme}
        return write_motion(cast("Trajectory", self), path, fps, frames, **showing, **more)

    def _repr_html_(self) -> str:
        """What a notebook shows: a summary, the events, and where it is small the motion itself."""
        from ..show.notebook import trajectory_html  # likewise

        return trajectory_html(cast("Trajectory", self))
