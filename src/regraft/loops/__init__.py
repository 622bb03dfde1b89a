"""Closed chains: loop closure, assembly, generalized coordinates, impacts and forces of loops."""

from ..kernels.closure import ASSEMBLED
from ..kernels.constraint import RANK
from .acceleration import consistent_acceleration, loop_torques_at
from .assembly import Closing, assemble, assembled
from .coordinates import Coordinates, Given, coordinates_of
from .forces import loop_rows, own_wrenches, ways_of
from .impact import take_hold
from .impulses import Impact, Impulses, momenta
from .jacobian import Loop, closed_loops, loop_jacobian, loop_jacobian_rate
from .mobility import AllowedMotions, Mobility, allowed_motions, mobility
from .start import prepare_start
from .tables import LoopTables, closing_kernel, dynamics_kernel, loop_gaps, loop_measures, loops_of

__all__ = [
    "ASSEMBLED",
    "RANK",
    "AllowedMotions",
    "Closing",
    "Coordinates",
    "Given",
    "Impact",
    "Impulses",
    "Loop",
    "LoopTables",
    "Mobility",
    "allowed_motions",
    "assemble",
    "assembled",
    "closed_loops",
    "closing_kernel",
    "consistent_acceleration",
    "coordinates_of",
    "dynamics_kernel",
    "loop_gaps",
    "loop_jacobian",
    "loop_jacobian_rate",
    "loop_measures",
    "loop_rows",
    "loop_torques_at",
    "loops_of",
    "mobility",
    "momenta",
    "own_wrenches",
    "prepare_start",
    "take_hold",
    "ways_of",
]
