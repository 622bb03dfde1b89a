"""All tolerances are in one file, with units and in the order that it states."""

import ast
import itertools
import math
import operator
import re
from functools import cache
from pathlib import Path

import pytest

import regraft
from regraft import tolerances

PACKAGE = Path(regraft.__file__).parent
FILE = PACKAGE / "tolerances.py"
SMALL = 1e-3
"""A number up to this is a tolerance, unless it is listed here."""

OTHER_FOLDERS = {
    "demos": "when a demonstration stops, and the axes of its pictures",
    "models": "lengths, masses and moments of certain mechanisms",
}

OTHER_NAMES = {
    ("algebra/scalars/trigonometry.py", "_HALF_PI"): "digits of π/2",
    ("algebra/scalars/trigonometry.py", "_SIN"): "coefficients of a polynomial",
    ("algebra/scalars/trigonometry.py", "_COS"): "coefficients of a polynomial",
    ("ask/loop_jacobian.py", "_IMAGINARY"): "the step of a derivative",
    ("ask/mobility.py", "_GIVEN"): "a weight",
    ("gait/differences.py", "SMALLEST"): "the step of a derivative",
    ("kernels/constraints/sharing.py", "_FIRST"): "a weight",
    ("kernels/bounds.py", "NUDGE"): "the step of a derivative",
    ("kernels/contacts/meeting.py", "_STEP"): "the step of a derivative",
    ("kernels/derivatives/joint_slopes.py", "STEP"): "the step of a derivative",
    ("kernels/inverse_kinematics.py", "_FIRST_DAMPING, _NEXT_DAMPING, _MOST_DAMPING"): "where the damping begins and ends",
    ("simulate/driver.py", "MARK"): "a number that stands for no number",
    ("simulate/guards.py", "SLOWEST, SLOWEST_FUNCTION"): "the step of a derivative",
    ("simulate/integrators/dop853.py", "DOP853"): "weights of a method",
    ("simulate/invariants.py", "_LEAST, _ROUNDING"): "the ends of the axis of a picture",
    ("simulate/run.py", "_AHEAD"): "how far ahead a function is looked at",
    ("simulate/motions.py", "_NEARBY"): "the step of a derivative",
    ("simulate/replay.py", "NUDGE"): "the step of a derivative",
    ("simulate/stepping_loop.py", "FIRST_ERROR"): "the controller of the step size begins with it",
    ("simulate/start.py", "A_LITTLE"): "the step to a position nearby",
    ("structure/heights.py", "_APART"): "the step of a derivative",
}

OTHER_LITERALS = {
    ("algebra/rotations.py", "log_quaternion"): "where a series is as exact as the formula",
    ("simulate/crossings.py", "shorten"): "the step of a derivative, and how far it may be trusted",
    ("simulate/guards.py", "look_ahead"): "the step of a derivative",
    ("simulate/run.py", "_advance"): "seconds that no look at the clock is shorter than",
    ("simulate/stepping_loop.py", "first_size"): "the first step size, by the same",
}


def is_small(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return isinstance(node.right, ast.UnaryOp)
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and 0.0 < node.value <= SMALL


def has_small(node):
    return any(map(is_small, ast.walk(node)))


@cache
def sources():
    files = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py")) if path != FILE}
    ours = {name: path for name, path in files.items() if name.partition("/")[0] not in OTHER_FOLDERS}
    return [(name, ast.parse(path.read_text(encoding="utf-8"))) for name, path in ours.items()]


def small_names():
    """(file, name) of every module-level constant with a small number in it."""
    for file, tree in sources():
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and has_small(node.value):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                yield file, ast.unparse(target).strip("()")


def small_literals():
    """(file, function) of every small number in the body of a function; defaults of arguments are a user's to choose."""
    for file, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any(map(has_small, node.body)):
                yield file, node.name


def constants():
    """(name, value, line) of every tolerance, in the order of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if match := re.match(r"([A-Z_]+) = ", line):
            yield match[1], getattr(tolerances, match[1]), number


def test_no_tolerance_is_defined_elsewhere():
    found = set(small_names())
    assert found - set(OTHER_NAMES) == set(), "move these to tolerances.py, with their units"
    assert set(OTHER_NAMES) - found == set(), "take these from the list of exceptions"


def test_no_function_has_a_tolerance_of_its_own():
    found = set(small_literals())
    assert found - set(OTHER_LITERALS) == set(), "give these numbers names, in tolerances.py"
    assert set(OTHER_LITERALS) - found == set(), "take these from the list of exceptions"


def test_every_tolerance_has_a_unit_and_a_meaning():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    found = list(constants())
    assert len(found) > 60
    for name, value, number in found:
        assert 0.0 < value < 0.1, name
        assert re.search(r"  # \S", lines[number]), name
        assert lines[number + 1].startswith('"""'), name


def test_every_tolerance_is_used():
    others = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py") if path != FILE)
    words = set(re.findall(r"\w+", others))
    assert [name for name, *_ in constants() if name not in words] == []


def test_numbers_of_a_section_ascend():
    starts = [n for n, line in enumerate(FILE.read_text(encoding="utf-8").splitlines()) if line.startswith("# ---")]
    assert len(starts) > 5
    for start, end in itertools.pairwise([*starts, 10**6]):
        own = [(value, name) for name, value, number in constants() if start < number < end]
        assert own
        assert [value for value, _ in own] == sorted(value for value, _ in own), own


STATED = [line.split() for line in tolerances.__doc__.splitlines() if re.fullmatch(r" +[A-Z_]+( [<≤] [A-Z_]+)+", line)]


@pytest.mark.parametrize("chain", STATED, ids=lambda chain: chain[0])
def test_the_order_is_as_stated(chain):
    relations = {"<": operator.lt, "≤": operator.le}
    for a, relation, b in zip(chain[0::2], chain[1::2], chain[2::2], strict=False):
        assert relations[relation](getattr(tolerances, a), getattr(tolerances, b)), (a, relation, b)


def test_orders_are_stated_at_all():
    assert len(STATED) >= 6


def test_a_singular_position_is_where_the_equations_of_motion_leave_a_row_out():
    """Pivots are squares of singular values."""
    assert pytest.approx(math.sqrt(tolerances.REDUNDANT)) == tolerances.SINGULAR_POSITION
