"""Every tolerance of Regraft: the small numbers that decide what counts as zero, closed, redundant, singular or simultaneous.

Beside a number is its unit, below it what it decides. "Relative to x" means that the number is multiplied with x before anything
is compared with it. Within a section the numbers ascend. Across the sections this order has to hold, whatever their values:

    HIDDEN < EPSILON < GAP_ENOUGH < GAP_SMALL < CLOSED < ASSEMBLED
        The search for closed loops goes on far beyond what counts as closed, and what a user gives may be open by more.
    ROUNDING < LACKING < CARRIED
        Accelerations are solved for more exactly than a joint has to carry them.
    BARELY_REDUNDANT < REDUNDANT < POOR
        A pivot with few correct digits is first used with care, and left out only when it has none.
    EPSILON < ROTATION_ROUNDING < ORTHONORMAL < UNIT_QUATERNION
        What Regraft computes is kept straighter than what it accepts.
    GAP_SMALL < LOOP_RANK ≤ SINGULAR_POSITION
        Loops are closed well enough to tell whether they lose rank.
    LEAST_STEP < NO_PROGRESS < SAME_TIME < CASCADE < SHORT_STEP
        Simultaneous events are told from a cascade of events, and both from steps that do not come on.
    CLOSED ≤ AT_ZERO < BEYOND < ASSEMBLED
        A guard that a loop keeps at zero is not beyond it.

What a user passes (`rtol`, `atol`, `tolerance`) is an argument and not here, and the step of a derivative is beside the
derivative. `tests/test_tolerances.py` checks the order, and finds a tolerance that is defined elsewhere.
"""

# Kernels take these numbers in when they are compiled, so after an edit those that use one are compiled again.

# --- rounding: what arithmetic leaves of a zero ---------------------------------------------------------------------------

TINY = 1e-300  # any unit
"""Stands for zero where a quotient has to stay finite, or zero needs a sign; too small to change any other number."""

EPSILON = 2.0**-52  # relative to the numbers of a matrix
"""The distance of 1.0 from the next larger number (machine epsilon): below it a small matrix has lost rank."""

AXIS_ROUNDING = 4e-16  # relative to a length of 1
"""An axis whose length is nearer to 1 is kept digit by digit, so that saving and loading change nothing."""

QUATERNION_ROUNDING = 1e-15  # relative to a length of 1
"""The same for the numbers of a quaternion."""

ROTATION_ROUNDING = 2e-15  # relative to a length of 1
"""The same for the columns of a rotation; one farther from orthonormal is corrected, which leaves less than half of this."""

ROUNDING = 1e-14  # relative to the largest of the numbers that a number was made of
"""What rounding may have done to a number: less than this is not told from zero."""

NO_INERTIA = 1e-14  # relative to the inertia of all that a joint carries, as one rigid body
"""A joint along which the articulated inertia is less than this moves no inertia: it has no acceleration of its own."""

SHOWN_AS_ZERO = 1e-12  # relative to the largest number beside it
"""Numbers below this are printed as 0."""

# --- what a user gives: how far it may be from what it has to be -----------------------------------------------------------

LEAST_MOMENT = 1e-14  # kg m²
"""What is written for a smaller moment of inertia of a body that moves in a file for MuJoCo, which takes none below 1e-15."""

SAME_WRITTEN = 1e-12  # relative to 1 + the largest number of the pose
"""Two poses that a file has of one frame are the same if they are no farther apart: one is written with all digits."""

NO_DIRECTION = 1e-12  # the unit of the axis that was given
"""An axis that is shorter has no direction."""

NO_SHARE = 1e-10  # relative to the motion of the joint that a coupling drives
"""A driver that moves less has no digit that is not rounding."""

RATIO = 1e-9  # relative to the ratio of two joints of a coupling
"""How far a ratio may be from one of whole numbers and still be meant as it."""

ORTHONORMAL = 1e-9  # relative to a length of 1
"""How far the columns of a given rotation matrix may be from unit length and right angles."""

UNIT_AXIS = 1e-9  # relative to a length of 1
"""How far the length of a skeleton's hinge axis may be from 1."""

JOINED = 1e-9  # relative to 1 + the values or slopes that should be the same
"""How far two pieces of a curve may be apart where they meet."""

PHYSICAL = 1e-9  # relative to the largest principal moment
"""How far a given inertia tensor may be from being symmetric, positive, and within the triangle inequality of its moments."""

INVERTIBLE = 1e-9  # relative to the largest principal moment
"""A body whose smallest principal moment is below this is a rod or a point: it cannot have a pose of its own."""

UNIT_QUATERNION = 1e-6  # relative to a length of 1
"""How far the length, or a number, of a given quaternion may be from that of the nearest unit quaternion."""

PARALLEL = 1e-6  # sine of an angle
"""Two axes of a universal joint with a smaller angle between them are parallel."""

PRESCRIBED_RATE = 1e-3  # relative to 1 + the velocity or acceleration
"""How far a prescribed velocity or acceleration may be from differences of positions or velocities; more is a mistake."""

# --- joints and places: how far a body may be from where a joint can hold it ------------------------------------------------

SAME_POINT = 1e-12  # m, relative to 1 + the largest coordinate
"""A former base joint that is nearer to the point asked for by `reroot` is at that point, and is used again."""

NO_LEVER = 1e-12  # relative to the coordinates that the lever is a difference of
"""A shorter lever is rounding."""

REPRESENTABLE = 1e-9  # m and rad, lengths relative to 1 + their size
"""How far a given relative pose may be from one that the joint can take."""

CARRIED = 1e-9  # m/s and rad/s (or these per second), relative to 1 + the largest
"""How far the twist, or the acceleration, that a joint can carry may be from the body's."""

SAME_PLACE = 1e-6  # m, relative to 1 + the largest coordinate
"""Bodies whose origins are nearer are at the same place: `connect` may put a joint there without being told where."""

# --- loops: how far they may be open ----------------------------------------------------------------------------------------

GAP_ENOUGH = 1e-15  # m and rad
"""The gap at which the search for closed loops ends, if it does not end at rounding before.

At a distance d from a singular position a gap ε bends the motion as ε / d³ does, so every digit helps to get past it.
"""

GAP_SMALL = 1e-12  # m and rad (or these per second)
"""The gap, in position or in velocity, below which all may be rounding, so that nothing more is tried against it."""

CLOSED = 1e-9  # m and rad
"""A loop with a smaller gap counts as closed; `assemble` and every step of a simulation reach it or fail."""

ASSEMBLED = 1e-6  # m and rad (or these per second); of accelerations and torques relative to their size
"""A state with a loop that is open by more is refused: it is not assembled. Less may be the rounding of a user's digits."""

ONE_CORRECTION = 1e-4  # m/s and rad/s, relative to 1 + the largest velocity
"""The gap of velocities that one correction takes away even in poor conditions."""

STALLED = 1e-3  # relative to Σ gap²
"""Where some steps towards closed loops make it less by no more than that, they lead into a dead end."""

# --- rows of loops: which of them follow from others, by the pivots of the Delassus matrix ------------------------------------

HIDDEN = 1e-16  # relative to the squares that the square of a share is a product of
"""Added to that square. Where no joint moves a loop's rows at all, as of two hinges about one axis, their shares are rounding,
and REDUNDANT must not be measured by that. Together they are (1e-13)².
"""

BARELY_REDUNDANT = 1e-14  # as REDUNDANT
"""The same where loops have come apart along a row that was left out, so that it does not follow from others after all.

In lengths that is 1e-7. Pivots are differences, with an error of some 1e-16, so less would not be told from nothing.
"""

REDUNDANT = 1e-12  # relative to the largest SIZE_ALONE of the loop
"""A row whose pivot is smaller follows from others: it is left out.

In lengths that is 1e-6: loops that are redundant only to six digits still count as redundant. Near a singular position
accelerations along such a row would be noise: rounding of positions comes into them divided by the square of the distance.
"""

POOR = 1e-6  # as REDUNDANT
"""With a smaller pivot than this the accelerations may have to be solved for again."""

# --- rank: which singular values count as zero ------------------------------------------------------------------------------

SKELETON_RANK = 1e-12  # relative to the largest singular value
"""S3's equations (6) cannot be solved where a singular value that should not vanish is smaller."""

HELD_DEPENDENT = 1e-10  # relative to the largest singular value
"""Directions of held joints with smaller ones follow from others."""

IDLE = 1e-9  # relative to a vector of length 1
"""Share of a row in forces that hold nothing: what is smaller is zero."""

NEUTRAL = 1e-8  # relative to the largest singular value of I − J, J being the derivative of a return map
"""A direction with a smaller one is along a family of cycles: Newton's method does not move along it."""

OFF_MANIFOLD = 1e-7  # relative to 1 + the largest number of a tangent
"""What of a tangent after a change of structure would open loops: with more of it the new mechanism changes with the state."""

LOOP_RANK = 1e-6  # relative to the largest singular value, or to 1, which is the size of a screw
"""A singular value of the scaled constraint Jacobian J_C that is smaller is zero.

Loops are closed to 1e-13, and where they lose rank that fixes the position, and with it the singular value, to its root only.
"""

SINGULAR_POSITION = 1e-6  # relative to the largest singular value along a motion
"""A motion that comes to a smaller one goes through a singular position: this is the root of REDUNDANT."""

# --- accelerations and torques: what they may lack ---------------------------------------------------------------------------

BOUND_ROUNDING = 1e-12  # relative to the largest torque
"""How far a bound of a torque may be missed and still be met but for rounding."""

LACKING = 1e-11  # relative to the largest acceleration, or to 1
"""What accelerations may lack along the rows of loops; what lacks more is solved for again.

Accelerations are off by some multiples of it: 3 for the swing, whose hands are light against what they hold.
"""

AT_REST = 1e-9  # m/s and rad/s
"""A mechanism with smaller velocities is at rest where a run starts."""

START_LACKING = 1e-9  # relative to the largest acceleration
"""What accelerations may lack along a loop where a run starts; where it is more, a velocity may be one that none can keep."""

AT_BOUND = 1e-9  # relative to 1 + the largest torque
"""An actuator that is nearer to its bound is named in the error that bounds are too narrow."""

OUT_OF_REACH = 1e-9  # relative to 1
"""No torques are within all bounds where the search for them leaves a residual 1 / √(1 + |z|²) that is smaller.

z is by how much torques have to change for that, relative to the largest miss of a bound.
"""

STUCK_OF_ALL = 1e-3  # relative to what velocities do along all loops
"""Added to STUCK of the loop itself, for loops along which velocities do next to nothing."""

STUCK = 0.05  # relative to what velocities do along a loop
"""Part of it that no acceleration makes up for, so that the state cannot move on; of a motion it is 1e-4 at most."""

# --- time: which moments are the same, and which steps are too short ---------------------------------------------------------

LEAST_STEP = 1e-16  # relative to the span of the run
"""Every step but the last is longer."""

NO_PROGRESS = 1e-14  # relative to the time
"""Steps that are shorter make no progress."""

SAME_TIME = 1e-12  # s, relative to the larger of 1 and the time
"""Zeros of guards that are nearer to each other are simultaneous."""

TIME_ROUNDING = 1e-12  # s, relative to 1 + the time
"""What a sum of times may be off by: where trajectories are joined, and where one is asked at its ends."""

SINGULAR_TIME = 1e-12  # s, relative to the larger of 1 and the time
"""How exactly the time of a singular position is looked for."""

LAST_STEP = 1e-9  # relative to the time that is left
"""A step of a given size that leaves less than this of it is the last one."""

SAMPLE_APART = 1e-9  # relative to the distance between samples
"""A sample that is nearer to an end of a segment is left out: the end is a sample already."""

CASCADE = 1e-9  # s, relative to 1 + the time
"""Events that follow each other faster may be a cascade that never ends."""

HOPELESS_STEP = 1e-9  # relative to the span of the run, or to a second where that is longer
"""Mean steps that are shorter have collapsed."""

PATIENT_AGAIN = 1e-7  # s, relative to 1 + the time
"""So long after a contact has changed its mode again and again at one time, half of that is forgotten."""

SHORT_STEP = 1e-7  # as HOPELESS_STEP
"""So have steps that are shorter than this and than COLLAPSED_STEP."""

WHOLE_STEP = 1e-6  # relative to the step
"""Steps of a given size: a time that is so little short of a multiple of the step is that multiple."""

COLLAPSED_STEP = 1e-5  # relative to the longest mean step before
"""See SHORT_STEP."""

REPEATS = 1e-5  # relative to the period
"""How much the time of the next return may differ for a motion to repeat itself in another structure."""

# --- guards: when an event's function counts as zero --------------------------------------------------------------------------

ZERO_CORRECTED = 1e-16  # s, relative to the larger of the time and the step
"""A correction of the time of an event that is smaller changes nothing more."""

ZERO_BRACKETED = 4e-16  # relative to the step
"""The zero of a guard is between two parts of a step that are nearer to each other: it has been found."""

END_SETTLED = 1e-15  # relative to the largest step
"""A correction of the end of a repeated run that is smaller is rounding."""

GUARD_ROUNDING = 1e-14  # the guard's unit
"""A change of a guard that may be rounding."""

PASSED = 1e-11  # m
"""An open point with one place on its body that is deeper where another event is found has touched before; of others, AT_ZERO."""

AT_ZERO = 1e-9  # the guard's unit
"""How near to zero a guard counts as zero where a segment starts."""

BEYOND = 1e-8  # the guard's unit
"""How far off zero a guard counts as beyond it where a segment starts: more than loops may be open that hold a foot in place."""

UNNOTICED = 1e-4  # relative to the largest movement of a joint meanwhile, which is 1e-6 at most
"""A change of a guard that says nothing: what loops hold in place moves by the square of that movement."""

# --- inverse kinematics -------------------------------------------------------------------------------------------------------

PULLING = 1e-13  # relative to the largest number of the gradient
"""A limit that pulls a joint towards its bound by less holds it or not, whatever rounding says."""

WITHIN_LIMIT = 1e-13  # m and rad, relative to 1 + the size of the bound
"""How far a joint may be beyond its limit and still be at it."""

COST_ROUNDING = 1e-13  # relative to the cost
"""What rounding may do to a sum of squares: a step that is to gain less is judged by the model of the cost alone."""

LEAST_DAMPING = 1e-10  # relative to the diagonal of JᵀWJ
"""Damping that is always there: it keeps what no target shows where it is."""

UNSEEN = 1e-9  # relative to the diagonal of JᵀWJ
"""Directions in which JᵀWJ is smaller are not determined by the targets."""

WEAKLY_SEEN = 1e-7  # relative to what a degree of freedom moves if all of it were as far away as from the root
"""What is seen of a degree of freedom is compared with this at least: it is a difference of such numbers."""

SAME_FIT = 1e-6  # relative to the cost
"""Of two starts that lead to costs which differ by less, the first counts."""

TAKES_PART = 1e-3  # relative to 1, the sum of the squares of a direction
"""A joint that takes part with less in the directions that are not determined is determined."""

# --- where shapes touch -----------------------------------------------------------------------------------------------------

SEEN_END_ON = 1e-18  # square of the sine of an angle
"""An edge of a box that is nearer to parallel to an edge of the ground does not cross it: the sides beside it touch."""

RIM_UPRIGHT = 1e-9  # rad, and relative to the radius of the rim
"""About this tilt the lowest point of a rim goes to its centre, as a rim that lies flat has none; its gap is off by no more."""

SURFACE_FOOT = 1e-7  # relative to the radius of the ball
"""A step on a surface towards the point nearest to a ball's centre is taken as it is where it is shorter, and one more ends the
search: Newton's method doubles the digits."""

PARALLEL_AXES = 1e-6  # sine of an angle
"""Capsules whose axes are nearer to parallel do not cross: they touch with their ends."""

RIM_TILTED = 1e-5  # rad
"""A flat end that is tilted by more lies on its rim, and no more on the points that it stands on when it is flat. These are then
farther away than the rim by r times its square: above RIM_UPRIGHT, and so little that nobody finds it."""

SLOPE_APART = 1e-3  # relative to 1 + the derivative
"""By how much a derivative of a surface may differ from what differences say."""

# --- dry friction --------------------------------------------------------------------------------------------------------------

SLIP_SPEED = 1e-2  # rad/s and m/s
"""Dry friction f resists a velocity v by f v / (v² + s²)½ with this s: by 71 % of f at s, by 99.5 % at ten times s. What friction
should hold creeps instead, at s t / (f² − t²)½ under the load t: by 6 mm or a third of a degree a second under half of f."""

# --- contact problems: forces in given modes, the choice of modes, impacts --------------------------------------------------

IDLE_ROW = 1e-30  # relative to the largest number of the diagonal of J M⁻¹ Jᵀ
"""A row of contact with a smaller one moves nothing: it is the square of rounding."""

IDLE_IN_POINT = 1e-24  # relative to the largest of the point's three numbers of that diagonal
"""The same beside the other rows of the point, as across the plane of a planar mechanism."""

BARRIER_GAP = 1e-13  # relative to the largest force
"""The margin of forces that are not unique is as large as it can be but for this."""

TURNED = 1e-13  # rad, and relative to 1 + velocities and impulses
"""The error of one step along a slip that turns during an impact, as two orders of extrapolation tell it."""

REDUNDANT_FORCE = 1e-12  # relative to 1, the size of a row after scaling
"""A row of contact whose pivot is smaller follows from others: its force is not determined by the motion."""

FEASIBLE = 1e-10  # relative to the sum of the sizes of all terms that make up an acceleration, or a velocity after an impact
"""How far the inequalities of contact and friction may be missed and still hold."""

PROXIMAL = 1e-9  # relative to the diagonal of J M⁻¹ Jᵀ
"""Added to that diagonal where contact forces are not unique, and taken back in repetitions."""

ANY_SLIP = 1e-7  # relative to what FEASIBLE is relative to
"""A slip of such a problem that is less may be none, which is tried."""

SIZE_OF_ALL = 1e-5  # relative to the largest of the sums that FEASIBLE is relative to
"""Added to these: what is nothing beside all others is judged by them, not by its own rounding."""

# --- contacts in a run: what touches, slips, rests and bounces --------------------------------------------------------------

ANY_SPEED = 1e-15  # m/s
"""What is slower where bodies nearly jam, so that a small speed of one is a large one of another, is rounding."""

JAMS_AT = 1e-14  # of the slip
"""So fast a point that jams approaches where its impact begins, so that it has a beginning."""

CONTACT_CLOSED = 1e-14  # m
"""How far closed points may be apart after a step."""

EVENT_TAKES = 1e-12  # of the kinetic energy
"""More than this, and than what it costs to stop the speeds of all points one by one, no event takes that is not an impact."""

SLACK_GAP = 1e-12  # m
"""By how much the guard of a gap that is zero when a mode begins is on its side."""

TRIED_SHORTER = 1e-12  # s
"""Where contacts cannot be closed again after a step that is longer, a shorter one is tried. Between bodies that are nearly
parallel the place of contact runs along them within nanoseconds."""

PATCH_ROW = 1e-12  # relative to one, of squares
"""A row of points that stick between the same two bodies tells nothing new where less of it is left beside the others."""

TOUCHING = 1e-11  # m
"""Points nearer than this touch, where something happens to others."""

STARTS_TOUCHING = 1e-10  # m
"""Points nearer than this touch where a run, or a structure, starts: what a user gives is not as exact as what is computed."""

JOINT_RESTS = 1e-10  # rad/s, or m/s
"""A joint with dry friction that is slower where modes are chosen does not move."""

SLACK_FORCE = 1e-10  # relative to the largest force of a contact
"""By how much the guard of a force that is zero when a mode begins is on its side."""

PENETRATES = 1e-9  # m
"""A start deeper in one another is an error."""

NO_MOVE = 1e-9  # m
"""Where closed points are nearer to where they are to be, going there does not change how they respond to impulses."""

LEAST_STEP_TAKES = 1e-9  # of the kinetic energy
"""What closing contacts after a step may take at least; where the tolerance of the run is more, as much as that."""

LEANS = 1e-8  # rad
"""Where the friction of slow slips turns by less in a step of Newton's method, it is found: the next step would be the square."""

SLOW_SLIP = 1e-7  # m/s
"""A slip of this size has hardly a direction of its own: friction acts along the one that the step began with."""

STANDS_STILL = 1e-7  # m/s
"""What slips by no more, where modes are chosen, does not slip."""

MOST_INSIDE = 1e-7  # m
"""So deep an open point may begin, where an event has put others in their places."""

SLACK_SLIP = 1e-7  # m/s
"""By how much the guard of a slip that is zero when a mode begins is on its side."""

REVERSES = 1e-6  # rad/s, or m/s
"""A joint with dry friction that is faster where its slip should end does not rest, but goes back."""

NEARLY_JAMS_AT = 1e-6  # of the slip
"""The same as JAMS_AT of a point that nearly jams: its impulse would end too soon otherwise."""

AT_THE_LIMIT = 1e-6  # of a friction force
"""A point that begins to slip with a force so near to its cone slips against that force."""

BEYOND_LAW = 1e-6  # relative to the largest normal force at that moment
"""Where forces of a motion that is over are farther outside their cones, its mode has ended too late, and they are not told."""

CLEAR_PIVOT = 1e-6  # relative to 1, the size of a row after scaling
"""Where no pivot is smaller, in whatever order, all rows of contact count; else the order is chosen to tell how many do."""

UNHEALTHY = 1e-6  # relative to the sizes of its row
"""Forces of contacts that leave more are none."""

SPIRALS = 3e-6  # m/s
"""A slower slip that becomes still slower, and turns by TURNS_TOO meanwhile, has ended."""

NEARLY_ENDED = 1e-5  # relative to the slip a step before
"""A slip that has come down to this within a step ends with it."""

REST_SPEED = 1e-5  # m/s
"""Points that come together more slowly do not bounce: what is left of infinitely many bounces is passed to rest."""

SLOWEST_AHEAD = 3e-5  # m/s
"""Slower slips are looked at as much later as one of this speed, 1 ms."""

AHEAD = 3e-5  # s
"""How much later than now a slip of the speed AHEAD_BELOW would be looked at for its direction, and slower ones the later."""

AHEAD_BELOW = 1e-3  # m/s
"""The friction of a slower slip acts along the direction that the slip will have a moment later."""

JAMMED = 1e-3  # of the slip
"""Where steps come to nothing and an impulse from next to nothing changes velocities by more, a slipping point jams."""

UNSTOPPED = 1e-3  # of the fastest speed before an impact
"""An impact whose impulses are so large that FEASIBLE leaves velocities undecided by more has no solution."""

NEARLY_NO_FORCE = 1e-3  # N, or N m
"""Where all forces are smaller, guards have the slack of this one."""

FIXED_STEP_TAKES = 0.01  # of the kinetic energy
"""What closing contacts may take out of a step of a given size, whose error is what it is."""

TURNS_TOO = 0.01  # relative to the square of the change of a slip along itself
"""By how much the square of its whole change has to be more, so that the slip counts as one that turns."""

SLOW_IN_STEP = 0.01  # relative to the slip with which a step begins
"""Such a slip is as slow, within the step: the errors that the stages of a step make in what was so much faster would give it a
direction, and friction along that would keep the slip from coming to its end."""

LARGE_PIVOT = 1e-2  # relative to 1, the size of a row after scaling
"""A pivot of contact rows that is larger is taken as it comes, whatever others there are."""

# --- limit cycles --------------------------------------------------------------------------------------------------------------

LOCATED = 1e-12  # of the length along a branch, in which the range of the parameter is 1
"""How exactly the place of a bifurcation is searched for."""

RESIDUAL_ROUNDING = 1e-12  # of the state, m, rad and these per second
"""The least residual of a cycle that counts: what is nearer to the cycle than a hundred of it tells no rate of convergence."""

ONE_CURVE = 1e-9  # relative to the largest singular value of the equations of a branch
"""A second direction in which the equations change less is that of a second branch, or of a family of cycles."""

UNDECIDED = 1e-9  # product of distances of multipliers from where they change what is stable
"""A test function that is smaller at both ends of a step tells nothing by its sign."""

ON_CIRCLE = 1e-6  # of 1, the unit circle's radius
"""A multiplier is on the unit circle where a test function has found it so near."""

NEARLY_REAL = 1e-6  # rad
"""Multipliers on the unit circle that are nearer to 1 or −1 are no pair of complex ones."""

# --- recordings --------------------------------------------------------------------------------------------------------------

SHORTEST_PART = 1e-12  # of a step
"""A step towards less cost that must be shorter than this part of itself leads nowhere."""

ANY_SHIFT = 1e-9  # rad², beside the mean square of an angle
"""How much it counts that markers stay where they are on a body: next to nothing, so that every shift is determined."""

LAST_BARRIER = 1e-7  # of the cost of a body's weight
"""Forces within friction cones are found when the barrier that keeps them there is weaker than this."""

FITS_EXACTLY = 1e-7  # m
"""Markers that are missed by less leave nothing to be adjusted."""

CONE_STEP = 1e-6  # of a barrier
"""A step whose square costs less than this beside its last barrier is short enough."""

FIT_STEP = 1e-6  # rad, and of a cost
"""The step of a difference when a stride is fitted, and the gain that is too small to go on."""

STILL = 1e-6  # of a rotation matrix, and m
"""A bone that moves less than this in its parent's axes does not move, and one that is shorter has no length."""

SAME_INTERVALS = 1e-6  # frames
"""Times that are nearer to equal distances than this are at equal distances."""

ON_A_LINE = 1e-4  # m
"""Markers that are nearer to a line than this do not tell how a body is turned."""

LEFT_OPEN = 1e-4  # m² per rad²
"""How much it counts, beside the square of a marker's miss, that a joint which markers leave open stays at rest."""

SHOWN_BY_MOTION = 5e-4  # rad², beside the mean square of an angle
"""How much it counts that a joint which only motion shows stays where it was found first."""

NO_LONGER_FALLS = 1e-3  # relative to what markers are missed by
"""Adjusting places of markers and joints ends where one more time gains less."""

BARRIER_STEP = 0.01  # of a barrier
"""A step whose square costs less than this beside its barrier is short enough to make the barrier weaker, by the same factor."""

FLOOR_EVEN = 0.03  # m
"""Stances whose heights differ by no more are on level ground."""

ROUNDED_TIMES = 0.05  # frames
"""Times of a file that are off equal distances by no more were rounded when they were written."""

# --- pictures and pages -------------------------------------------------------------------------------------------------------

SMALLEST_DRAWN = 1e-18  # m
"""What is smaller as a whole cannot be drawn: its square would vanish among the numbers of a graphics card."""

NO_MOTION = 1e-12  # relative to the total and the potential energy
"""Less energy of motion is shown as none: rounding leaves it."""

NOTHING_LOST = 1e-9  # J, relative to 1 + the kinetic energy before
"""An impact that takes less is not said to have taken energy."""

SAME_ON_CURVE = 1e-9  # relative to the extent of the curve
"""Points of a branch that are nearer to each other are drawn as one, as a curve through both would have no direction."""

DRAWN_STRETCHED = 1e-6  # m
"""A spring is drawn at least so long: what is stretched to nothing has no sides."""

SAID_ANEW = 5e-4  # m
"""A place that is farther from the one that a page tells is told anew."""

DRAWN_APART = 1e-3  # m
"""Ends of a body that are nearer to each other are drawn as one."""
