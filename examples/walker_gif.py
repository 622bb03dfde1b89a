"""The passive walker as a moving picture, for pages that cannot play a motion, such as the README.

Run with ``python examples/walker_gif.py``. It writes ``docs/images/walker.gif``.
"""

from __future__ import annotations

from pathlib import Path

from regraft.demos.walker.animation import animate
from regraft.demos.walker.walk import take_walk
from regraft.models import compass_biped

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "walker.gif"
STEPS = 24


def main(picture: Path = PICTURE) -> Path:
    """Walk until the gait is steady, and draw its last stride."""
    return animate(picture, take_walk(compass_biped(), STEPS))


if __name__ == "__main__":
    main()
