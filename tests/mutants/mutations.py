"""Small mistakes that could be made in plain Python code, as pieces of text to put in place of others.

Left alone: what Numba compiles and every constant that it looks up (an edit there would compile kernels, and the laws for these
are stated with other means), docstrings, annotations, the texts of errors, what is only there to be drawn.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPILED = {
    "inline",
    "jit",
    "entry",
    "long_entry",
    "stage",
    "tree_stage",
    "loop_stage",
    "inline_view",
    "allocating",
    "intrinsic",
    "overload",
    "njit",
    "cfunc",
    "register_model",
}
LEFT_OUT = (
    "decorators.py",
    "libraries.py",
    "cache.py",
    "ingredients.py",
    "_version.py",
    "__main__.py",
    "warmup.py",
    "memory.py",
    "cli.py",
)
LEFT_OUT_FOLDERS = ("commands", "demos", "scalars")
CANVAS = {"ax", "axes", "figure", "plt"}
DRAWN = {"_torso", "_add_shapes", "_add_skull", "_add_joint_shape", "_add_bone_shape", "add_limb", "add_flat"}

_FLIPPED: dict[type, type] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_SWAPPED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_SYMMETRIC = {
    "max", "min", "maximum", "minimum", "isclose", "allclose", "array_equal", "hypot", "gcd", "cast", "getattr", "hasattr", "dot",
}  # fmt: skip
_TINY = 1e-3  # a number below this is a tolerance; with 1 in its place a check refuses nothing, or everything


@dataclass(frozen=True)
class Mutation:
    """One mistake: `code` in place of the bytes from `start` to `stop` of a file."""

    file: str
    """Relative to the sources' folder."""
    line: int
    lines: tuple[int, ...]
    """A test that ran one of these lines may see the mistake; none where it is made while the file is imported."""
    start: int
    stop: int
    code: str
    kind: str
    key: str
    """Stays the same when lines elsewhere change."""

    @property
    def package(self) -> str:
        """The folder of the file, or the file itself if it is in none."""
        return self.file.partition("/")[0].removesuffix(".py")

    def applied(self, source: bytes) -> bytes:
        """The source with the mistake; all other lines stay where they are."""
        lost = source[self.start : self.stop].count(b"\n")
        code = self.code.encode()
        code = code[:-1] + b"\n" * lost + b")" if code.endswith(b")") else code + b"\n" * lost
        return source[: self.start] + code + source[self.stop :]

    def difference(self, source: bytes) -> tuple[str, str]:
        """The lines that change, before and after, each as one line without indentation."""
        begin = source.rfind(b"\n", 0, self.start) + 1
        end = source.find(b"\n", self.stop)
        end = len(source) if end < 0 else end
        after = source[begin : self.start] + self.code.encode() + source[self.stop : end]
        before, after = (" ".join(text.decode().split()) for text in (source[begin:end], after))
        return before, after


def mutations_of(folder: Path) -> list[Mutation]:
    """All mutations of the plain Python code in a package's folder."""
    trees = {file: ast.parse(file.read_bytes()) for file in sorted(folder.rglob("*.py"))}
    kernels = {name for tree in trees.values() for name in _names_in_kernels(tree)}
    found = []
    for file, tree in trees.items():
        place = file.relative_to(folder)
        if place.as_posix() not in LEFT_OUT and place.parts[0] not in LEFT_OUT_FOLDERS:
            found += _Finder(place.as_posix(), file.read_bytes(), kernels, set(_given_to_numba(tree))).find(tree)
    return found


def _is_compiled(function: ast.AST) -> bool:
    return isinstance(function, ast.FunctionDef) and any(_name(decorator) in COMPILED for decorator in function.decorator_list)


def _name(node: ast.AST) -> str:
    """The last name of a dotted name, or of what is called."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_drawing(call: ast.Call) -> bool:
    """Whether a call makes or is part of a picture."""
    on = call.func.value if isinstance(call.func, ast.Attribute) else None
    return _name(call) in DRAWN or (isinstance(on, ast.Name) and on.id in CANVAS)


def _names_in_kernels(tree: ast.AST) -> Iterator[str]:
    """Every name that compiled code looks up."""
    for node in ast.walk(tree):
        if _is_compiled(node) or (isinstance(node, ast.Call) and _name(node) in COMPILED):
            yield from (_name(inner) for inner in ast.walk(node) if isinstance(inner, ast.Name | ast.Attribute))


def _given_to_numba(tree: ast.AST) -> Iterator[str]:
    """The names of functions that are compiled without a decorator."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in COMPILED:
            yield from (_name(argument) for argument in node.args)


class _Finder(ast.NodeVisitor):
    """Walks one file, and notes what could be done at each node."""

    def __init__(self, file: str, source: bytes, kernels: set[str], given: set[str]) -> None:
        self._file, self._source, self._kernels, self._given = file, source, kernels, given
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._scope: list[str] = []
        self._body: tuple[int, ...] = ()  # the lines of the function around, outside of any none
        self._found: list[Mutation] = []
        self._times: dict[str, int] = {}

    def find(self, tree: ast.Module) -> list[Mutation]:
        for statement in tree.body:
            self.visit(statement)
        return self._found

    def _add(self, node: ast.expr | ast.stmt, code: str, kind: str, line: int = 0) -> None:
        start = self._starts[node.lineno - 1] + node.col_offset
        stop = self._starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        line = line or node.lineno
        lines = () if not self._body else (line,) if line in self._body else self._body
        text = "|".join((self._file, ".".join(self._scope), self._source[start:stop].decode(), code))
        self._times[text] = self._times.get(text, 0) + 1
        key = hashlib.sha256(f"{text}|{self._times[text]}".encode()).hexdigest()[:16]
        self._found.append(Mutation(self._file, line, lines, start, stop, code, kind, key))

    def _replace(self, node: ast.expr, by: ast.expr, kind: str) -> None:
        self._add(node, f"({ast.unparse(ast.fix_missing_locations(by))})", kind)

    # --- what is passed over ---

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in self._given | DRAWN or any(_is_compiled(inner) for inner in ast.walk(node)):
            return
        around, self._body = self._body, tuple(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
        self._scope.append(node.name)
        for default in (*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self._scope.pop()
        self._body = around

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if any(_name(base) == "Protocol" for base in node.bases):
            return
        self._scope.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._scope.pop()

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass  # a text

    def visit_Import(self, node: ast.Import) -> None:
        pass

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        pass

    def visit_Assert(self, node: ast.Assert) -> None:
        pass  # for the type checker

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not self._is_of_kernels([node.target]):
            self.visit(node.value)

    # --- statements ---

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._is_of_kernels(node.targets):
            return
        if self._body and all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._add(node, "pass", "a statement left out")
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass", "a statement left out")
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and not _is_drawing(node.value):
            self._add(node, "pass", "a statement left out")
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._add(node, "pass", "an error not raised")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._add(node, "return None", "a result left out")
            self.visit(node.value)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "pass", "a jump left out")

    def visit_Break(self, node: ast.Break) -> None:
        self._add(node, "pass", "a jump left out")

    def visit_If(self, node: ast.If) -> None:
        if _name(node.test) != "TYPE_CHECKING":
            self._condition(node.test)
            self.generic_visit(node)

    # --- expressions ---

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._condition(condition)
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare) or len(test.ops) > 1:  # of one comparison this would be the flip
            self._replace(test, ast.UnaryOp(ast.Not(), test), "a condition negated")

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            operators = list(node.ops)
            operators[place] = _FLIPPED[type(operator)]()
            self._replace(node, ast.Compare(node.left, operators, node.comparators), "a comparison turned round")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._replace(node, ast.BoolOp(_SWAPPED[type(node.op)](), node.values), "and for or")
        for place in range(len(node.values)):
            others = [value for other, value in enumerate(node.values) if other != place]
            self._replace(node, others[0] if len(others) == 1 else ast.BoolOp(node.op, others), "a condition left out")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub) and not isinstance(node.operand, ast.Constant):
            self._replace(node, node.operand, "a sign left out")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.BitOr) and not self._body:
            return  # types, not numbers
        if type(node.op) in _SWAPPED and not any(isinstance(inner, ast.JoinedStr) for inner in ast.walk(node)):
            self._replace(node, ast.BinOp(node.left, _SWAPPED[type(node.op)](), node.right), "another operation")
        elif isinstance(node.op, ast.MatMult) and ast.dump(node.left) != ast.dump(node.right):
            self._replace(node, ast.BinOp(node.right, ast.MatMult(), node.left), "factors exchanged")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if _is_drawing(node) or _name(node) == "reshape":  # there any negative number is the rest
            return
        first = node.args[:2]
        if len(first) == 2 and not any(isinstance(argument, ast.Starred) for argument in first):
            name = _name(node)
            if name not in _SYMMETRIC and ast.dump(first[0]) != ast.dump(first[1]):
                exchanged = ast.Call(node.func, [first[1], first[0], *node.args[2:]], node.keywords)
                self._replace(node, exchanged, "arguments exchanged")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._add(node, str(not value), "another constant")
        elif isinstance(value, int):
            self._add(node, str(value + 1), "another constant")
        elif isinstance(value, float):  # 1 is often a direction, whose length does not matter
            other = 1.0 if abs(value) < _TINY else -1.0 if value == 1.0 else 1.1 * value
            self._add(node, repr(other) if other > 0.0 else f"({other!r})", "another constant")

    def _is_of_kernels(self, targets: list[ast.expr]) -> bool:
        """Whether compiled code may have the value: it looks constants up outside of functions, by their names."""
        names = {_name(inner) for target in targets for inner in ast.walk(target)}
        return not self._body and bool(names & (self._kernels | {"__all__"}))
