"""A piece of a body that can be shown in space."""

from __future__ import annotations

from typing import NamedTuple

from .triangles import Array, Indices, Triangles


class Piece(NamedTuple):
    """A surface in the frame of the body that carries it."""

    body: str
    """Its name; that of the world too."""
    name: str
    """That of the shape, joint or frame that it shows; empty for what stands for a body without shapes."""
    surface: Triangles
    colour: str
    """As ``"#RRGGBB"``."""
    opacity: float = 1.0
    stands_in: bool = False
    """Whether it stands for a body that has no shapes."""
    is_ground: bool = False
    """Whether it shows a part of something without end."""

    @property
    def vertices(self) -> Array:
        """(n, 3): corners, in the body's frame."""
        return self.surface.vertices

    @property
    def faces(self) -> Indices:
        """(m, 3): triangles, counterclockwise from outside."""
        return self.surface.faces

    @property
    def normals(self) -> Array:
        """(n, 3): outward, at each corner."""
        return self.surface.normals
