"""The choice of modes after an event: Coulomb's law for all closed items together, but for what has just happened to some.

What the event has decided is not asked again, as the number that would decide it is zero there.
"""

from __future__ import annotations

import math

from ...algebra.memory import load, store
from ...algebra.spatial import dot, scale, zero_spatial
from ...compilation import inline, jit
from ...tolerances import (
    AHEAD_BELOW,
    FEASIBLE,
    NEARLY_NO_FORCE,
    REDUNDANT_FORCE,
    SLACK_FORCE,
    SLACK_GAP,
    SLACK_SLIP,
    STANDS_STILL,
)
from ..tables import VEL, D, KernelModel, R, Work
from .complementarity import find_modes, hold_what_does_not_part, hold_what_stays
from .distribution import least_margin, widest_margin
from .items import across, anchor, in_space, largest_force, most_patience, parting_speed, slip_direction, tangent_part
from .memory import (
    ACTIVE_POINTS,
    BEFORE,
    BEGUN,
    DIRECTION,
    GOES_ON,
    HELD,
    HIT,
    HOLDS,
    LEAD,
    MODE,
    NOTHING,
    PATIENCE,
    SLACK,
    SLIP,
    SLIPS,
    STATUS,
    WORST,
    Contacts,
)
from .modes import solve_modes
from .points import gap_of
from .problem import BEND, BOX, CONE, FIXED_FORCE, NOT_FOUND, OPEN, PUSH, RAY, SLIDE, SOLVED, STICK
from .problem import Contacts as Problem
from .rows import slip_velocity
from .sides import put_on_side
from .slow_slips import look_ahead, look_back, see_ahead

_IMPATIENT = 1000.0  # PATIENCE after ten changes of a mode at one time
_MORE = 2.0  # slack than what is left of a slip
_CHOICES = 6  # of modes, each for the directions of slow slips in the one before


@jit
def choose_modes(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> bool:
    """Choose the modes of all closed items by Coulomb's law, but for what has just happened; says whether there are any."""
    still, n = zero_spatial(work.body[0, R]), contacts.points.shape[0]
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        if i < n:
            slip = across(contacts, i, slip_velocity(model, work, contacts, i, VEL, still))
            store(contacts.kept, i, SLIP, slip)
            size = math.sqrt(dot(slip, slip))
            begun, lead = load(contacts.kept, i, DIRECTION, 3), load(contacts.kept, i, LEAD, 3)
            if contacts.items[i, HIT] == SLIPS or contacts.items[i, HIT] == GOES_ON:
                goes_on = contacts.items[i, HIT] == GOES_ON and contacts.items[i, BEFORE] == SLIDE
                along = lead if goes_on and dot(lead, begun) > 0.0 else begun
            elif contacts.items[i, HIT] != HOLDS and size > STANDS_STILL:
                along = lead
                if contacts.items[i, BEFORE] != SLIDE or size >= AHEAD_BELOW or not dot(along, slip) > 0.0:
                    along = scale(1.0 / size, slip)
            else:
                problem.kinds[a], problem.modes[a] = CONE, STICK
                continue
            problem.kinds[a], problem.modes[a] = RAY, SLIDE
            problem.directions[a, 0], problem.directions[a, 1] = tangent_part(contacts, i, along)
        else:
            choose_rub(work, contacts, i, a, problem)
    status, item = find_modes_ahead(model, work, contacts, problem)
    if status == NOT_FOUND and slides_go_on(contacts, problem):
        status, item = find_modes_ahead(model, work, contacts, problem)
    contacts.header[STATUS], contacts.header[WORST] = status, item
    if status != SOLVED:
        return False
    hold_what_stays(problem)
    hold_what_does_not_part(problem)
    forget_pushes(problem)
    solve_modes(problem, False, False)  # as in all that follows, so that a step goes on with the forces that it began with
    set_modes(model, work, contacts, problem)
    return True


@jit
def slides_go_on(contacts: Contacts, problem: Problem) -> bool:
    """Let points that slid before, and are at rest now by next to nothing, slide on; says whether there are any.

    That is for where no modes are found, as may be where many points nearly jam: then there are fewer to be chosen.
    """
    some = False
    for a in range(problem.points):
        i = contacts.active[0, a]
        if problem.kinds[a] == CONE and contacts.items[i, BEFORE] == SLIDE and contacts.items[i, HIT] == NOTHING:
            problem.kinds[a], problem.modes[a], some = RAY, SLIDE, True
            problem.directions[a, 0], problem.directions[a, 1] = tangent_part(contacts, i, load(contacts.kept, i, LEAD, 3))
    return some


@jit
def find_modes_ahead(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> tuple[int, int]:
    """Modes that hold for the directions that slow slips will have a moment later: see `find_modes`.

    Modes and directions are found in turns. Where that has led to events without end, the directions of the slowest slips are
    found with the modes.
    """
    status, item, again_and_again = SOLVED, -1, most_patience(contacts) > _IMPATIENT
    for _ in range(_CHOICES):
        forget_pushes(problem)
        slow = again_and_again and see_ahead(model, work, contacts, problem)
        status, item = find_modes(problem)
        if slow:
            look_back(model, work, contacts, problem)
            if status != SOLVED:
                forget_pushes(problem)
                status, item = find_modes(problem)
        if status != SOLVED:
            break
        go_with_slips(contacts, problem)
        if not look_ahead(model, work, contacts, problem):
            break
        keep_forward(contacts, problem)
        if modes_hold(problem):
            break
    return status, item


@inline
def go_with_slips(contacts: Contacts, problem: Problem) -> None:
    """DIRECTION of points that slide: that of slips as they are now, or of those that begin; and from where friction leans.

    It is kept as it is, and not as friction leans, so that friction leans as far in the steps that follow.
    """
    for a in range(problem.points):
        i, slip = contacts.active[0, a], load(contacts.kept, contacts.active[0, a], SLIP, 3)
        size = math.sqrt(dot(slip, slip))
        if problem.modes[a] != SLIDE:
            continue
        if contacts.items[i, HIT] != SLIPS and contacts.items[i, HIT] != GOES_ON:
            along = in_space(contacts, i, problem.directions[a, 0], problem.directions[a, 1])
            store(contacts.kept, i, DIRECTION, scale(1.0 / size, slip) if size > STANDS_STILL else along)
        problem.directions[a, 0], problem.directions[a, 1] = tangent_part(contacts, i, slip_direction(contacts, i, slip))


@inline
def keep_forward(contacts: Contacts, problem: Problem) -> None:
    """Directions of slips that would have turned back a moment later are those that they have now: first they have to end."""
    for a in range(problem.points):
        i = contacts.active[0, a]
        v_1, v_2 = tangent_part(contacts, i, load(contacts.kept, i, SLIP, 3))
        size = math.hypot(v_1, v_2)
        begins = contacts.items[i, HIT] == SLIPS or contacts.items[i, HIT] == GOES_ON
        if problem.modes[a] != SLIDE or begins or not size > STANDS_STILL:
            continue
        if not v_1 * problem.directions[a, 0] + v_2 * problem.directions[a, 1] > 0.0:
            problem.directions[a, 0], problem.directions[a, 1] = v_1 / size, v_2 / size


@inline
def forget_pushes(problem: Problem) -> None:
    """No normal force is given, which impacts leave, and no slip turns."""
    problem.scratch[PUSH] = 0.0
    problem.scratch[BEND] = 0.0


@jit
def modes_hold(problem: Problem) -> bool:
    """Whether some forces are within their cones in the present modes and directions."""
    unknowns, rank, _ = solve_modes(problem, False, False)
    least = -SLACK_FORCE * largest_force(problem)
    return least_margin(problem) >= least or (rank < unknowns and widest_margin(problem, True)[0] >= least)


@inline
def choose_rub(work: Work, contacts: Contacts, i: int, a: int, problem: Problem) -> None:
    """What a joint with dry friction is to the solver: BOX where it is at rest, a given torque where it moves."""
    row = 2 * contacts.header[ACTIVE_POINTS] + a
    if contacts.items[i, MODE] != SLIDE and not is_taken_along(work, contacts, row, problem):
        problem.kinds[a], problem.modes[a] = BOX, STICK
        return
    if contacts.items[i, MODE] != SLIDE:
        contacts.kept[i, DIRECTION] = math.copysign(1.0, problem.b[row])
    sign = contacts.kept[i, DIRECTION]
    problem.kinds[a], problem.modes[a], problem.directions[a, 0] = FIXED_FORCE, SLIDE, sign
    problem.lam[row] = -sign * problem.mu_k[a]


@inline
def is_taken_along(work: Work, contacts: Contacts, row: int, problem: Problem) -> bool:
    """Whether a joint that is at rest for a moment accelerates although no torque in it moves anything.

    So it is where a linkage moves on and takes one of its joints through a turning point.
    """
    alone = 0.0
    for d in range(contacts.Y.shape[1]):
        alone += contacts.Y[row, d] * contacts.Y[row, d] * work.dof[d, D]
    return problem.A[row, row] <= REDUNDANT_FORCE * alone and problem.b[row] != 0.0


@jit
def set_modes(model: KernelModel, work: Work, contacts: Contacts, problem: Problem) -> None:
    """MODE, DIRECTION, ANCHOR and SLACK of all items, from the solution of their problem."""
    n, found = contacts.points.shape[0], largest_force(problem)
    largest = max(NEARLY_NO_FORCE, found)  # or what touches without force would leave at once, again and again
    for a in range(problem.kinds.shape[0]):
        i = contacts.active[0, a]
        mode = problem.modes[a] if problem.kinds[a] != FIXED_FORCE else SLIDE
        has_anchor, goes_on = contacts.items[i, MODE] == STICK, contacts.items[i, HIT] == GOES_ON
        contacts.items[i, MODE], contacts.items[i, HIT] = mode, NOTHING
        patience = max(1.0, contacts.kept[i, PATIENCE])
        slack = min(patience, 10.0) * SLACK_FORCE * largest
        if found < NEARLY_NO_FORCE:
            slack = max(slack, undecided_force(problem, a))
        contacts.kept[i, SLACK] = contacts.kept[i, SLACK + 1] = slack
        if i >= n:
            if mode == SLIDE:
                contacts.kept[i, DIRECTION] = problem.directions[a, 0]
                back = max(0.0, -contacts.kept[i, SLIP] * contacts.kept[i, DIRECTION])  # what the slip that has ended left
                contacts.kept[i, SLACK + 1] = SLACK_SLIP + _MORE * back
        elif mode == SLIDE:
            contacts.kept[i, SLACK + 1] = 0.0 if goes_on else min(patience, 100.0) * SLACK_SLIP
        elif mode == STICK and not has_anchor:
            anchor(model, work, contacts, i)


@inline
def undecided_force(problem: Problem, a: int) -> float:
    """How far beyond its limit a force of item a may be for the choice of modes to call it within, and twice as much.

    That choice sees accelerations. Where forces are next to nothing, as while pressing grows from rest, a guard with less slack
    would end a mode that is chosen again at once.
    """
    row = 3 * a if a < problem.points else 2 * problem.points + a
    own, mu = problem.A[row, row], problem.mu_s[a] if a < problem.points else 0.0
    return min(2.0 * FEASIBLE * problem.size * (1.0 + mu) / own, NEARLY_NO_FORCE) if own > 0.0 else 0.0


@jit
def watch_open_ones(model: KernelModel, work: Work, contacts: Contacts) -> None:
    """SLACK of the points that are open: they begin on the outer side, whatever rounding the last event has left.

    One that bounces back, which SLACK + 1 says, has it only until it comes down again. Otherwise it would come down lower than it
    has started, and the lowest of endlessly many bounces would not lose height.
    """
    for i in range(contacts.points.shape[0]):
        if contacts.items[i, MODE] == OPEN:
            put_on_side(contacts, i, 0)
            gap = gap_of(model, work, contacts.points, contacts.shapes, contacts.profiles, i)
            contacts.kept[i, SLACK] = contacts.kept[i, SLACK + 1] = 0.0
            if gap < SLACK_GAP:
                contacts.kept[i, SLACK] = max(0.0, SLACK_GAP - 2.0 * gap)
                parts = 2.0 if contacts.items[i, HIT] == HELD else 1.0
                contacts.kept[i, SLACK + 1] = parts if parting_speed(model, work, contacts, i) > STANDS_STILL else 0.0
            contacts.items[i, HIT] = NOTHING


@inline
def keep_first_directions(contacts: Contacts) -> None:
    """BEGUN of all items, for who looks at a motion that is over."""
    for i in range(contacts.items.shape[0]):
        store(contacts.kept, i, BEGUN, load(contacts.kept, i, DIRECTION, 3))
