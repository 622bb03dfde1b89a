"""Closed chains: loop closure, assembly, generalized coordinates, impacts and forces of loops."""

from ..kernels.closure import ASSEMBLED
from .acceleration import check_acceleration, consistent_acceleration
from .assembly import assemble, assembled
from .coordinates import Coordinates, Given
from .forces import loop_rows, loop_wrenches, passive_torques
from .impact import take_hold
from .impulses import Impact, Impulses, momenta
from .jacobian import Loop, closed_loops, loop_jacobian, loop_jacobian_rate
from .mobility import RANK, AllowedMotions, Mobility, allowed_motions, mobility
from .start import prepare_start
from .tables import LoopTables, closing_kernel, dynamics_kernel, loop_gaps, loop_measures, loops_of

__all__ = [
    "ASSEMBLED",
    "RANK",
    "AllowedMotions",
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
    "check_acceleration",
    "closed_loops",
    "closing_kernel",
    "consistent_acceleration",
    "dynamics_kernel",
    "loop_gaps",
    "loop_jacobian",
    "loop_jacobian_rate",
    "loop_measures",
    "loop_rows",
    "loop_wrenches",
    "loops_of",
    "mobility",
    "momenta",
    "passive_torques",
    "prepare_start",
    "take_hold",
]
