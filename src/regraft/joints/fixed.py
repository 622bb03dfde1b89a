"""Fixed joint: no motion at all; q and v are empty."""

from __future__ import annotations

from typing import Any

from ..algebra.rotations import identity_pose
from ..algebra.spatial import Transform
from ..compilation import inline
from .contract import JointKernels, JointType


@inline
def transform(par: tuple[float, ...], _q: tuple[()]) -> Transform:
    return identity_pose(par[0])


@inline
def columns(_par: tuple[float, ...], _q: tuple[()], _X: Transform) -> tuple[()]:
    return ()


@inline
def place(_par: tuple[float, ...], _q: tuple[()], X: Transform) -> Transform:
    return X


@inline
def nearest(_par: tuple[float, ...], _X: Transform) -> tuple[()]:
    return ()


class Fixed(JointType):
    """A weld: no motion at all; q and v are empty.

    Parameters
    ----------
    **settings
        As every joint type has them; here they mean nothing.

    Examples
    --------
    >>> import regraft as rg
    >>> rg.Fixed().nq
    0
    """

    nq = nv = limited = 0
    kernels = JointKernels(transform, columns, nearest, place)
    __slots__ = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
