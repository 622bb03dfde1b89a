"""The kernels of closed chains by their addresses: the compiled loop calls them only where there are loops.

So a simulation of a tree need not wait until they are compiled.
"""

from __future__ import annotations

from functools import cache

from ..compilation import address_of, expect
from ..kernels.constraints.closure import loop_closing
from ..kernels.constraints.dynamics import loop_dynamics
from ..kernels.derivatives.called import called_slopes


@cache
def dynamics_kernel() -> int:
    """The address of the dynamics of closed chains."""
    expect(loop_closing)
    return address_of(loop_dynamics)


@cache
def slopes_kernel() -> int:
    """The address of their derivatives."""
    return address_of(called_slopes)


@cache
def closing_kernel() -> int:
    """The address of what closes loops after a step."""
    return address_of(loop_closing)
