"""Fixed joint: no motion at all; q and v are empty."""

from __future__ import annotations

from ..algebra.rotations import identity_pose
from ..algebra.spatial import Frame
from ..compilation import inline
from .contract import JointKernels, JointType


@inline
def transform(par: tuple[float, ...], _q: tuple[()]) -> Frame:
    return identity_pose(par[0])


@inline
def columns(_par: tuple[float, ...], _q: tuple[()], _X: Frame) -> tuple[()]:
    return ()


@inline
def place(_par: tuple[float, ...], _q: tuple[()], X: Frame) -> Frame:
    return X


@inline
def nearest(_par: tuple[float, ...], _X: Frame) -> tuple[()]:
    return ()


class Fixed(JointType):
    """A weld: no motion at all; q and v are empty.

    Parameters
    ----------
    damping, actuated, limits : optional
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
