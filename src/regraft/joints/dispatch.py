"""From joint kinds in an array to the kernels of their types: the only place where kernels branch on the joint type.

For each function of the contract one switch over all registered types is written out and compiled; the compiler turns it into a
jump. Arrays end here: a joint's own kernels see tuples only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..algebra.memory import load, load_vector, store_rows, store_vector
from ..algebra.rotations import identity_pose
from ..algebra.scalars import Scalar, lift
from ..algebra.spatial import Vector, compose
from ..compilation import inline
from .contract import PARAMETERS, JointKernels

Switch: TypeAlias = Callable[..., Any]


class Form(NamedTuple):
    """What kernels know of a joint type, or of a special form of it."""

    nq: int
    nv: int
    kernels: JointKernels
    tabled: bool = False


Forms: TypeAlias = Sequence[Form]


@inline
def parameters(table: Any, row: int, column: int, like: Scalar) -> tuple[Scalar, ...]:
    """A joint's parameters, in the scalar of the state."""
    p = load(table, row, column, PARAMETERS)
    return (lift(p[0], like), lift(p[1], like), lift(p[2], like), lift(p[3], like), lift(p[4], like), lift(p[5], like))


def _switch(head: str, cases: Mapping[int, str], last: str, known: Mapping[str, Any]) -> Switch:
    """``def head``, which returns the value of the case for `kind`, an expression in which {kernel} names what is `known`.

    Kinds with the same expression share a branch.
    """
    kinds: dict[str, list[int]] = {}
    for kind, expression in cases.items():
        kinds.setdefault(expression, []).append(kind)
    lines = [f"def {head}:"]
    for expression, of in kinds.items():
        lines += [f"    if {' or '.join(f'kind == {kind}' for kind in of)}:", f"        return {expression}"]
    names: dict[str, Any] = {"__name__": __name__, **_HELPERS, **known}
    exec("\n".join([*lines, f"    return {last}"]), names)
    return inline(names[head.partition("(")[0]])


def _kernels(forms: Forms, name: str) -> dict[int, Any]:
    """The kernels of one name by kind, of the types that have one."""
    found = {kind: getattr(joint.kernels, name) for kind, joint in enumerate(forms)}
    return {kind: kernel for kind, kernel in found.items() if kernel is not None}


def _cases(forms: Forms, name: str, expression: str) -> tuple[dict[int, str], dict[str, Any]]:
    """An expression, with the kernel of its name, nq and nv filled in, for every type that has one; and these kernels by name."""
    kernels = _kernels(forms, name)
    unique = {kernel: f"{name}_{kind}" for kind, kernel in reversed(kernels.items())}
    cases = {
        kind: expression.format(kernel=unique[kernel], nq=forms[kind].nq, nv=forms[kind].nv) for kind, kernel in kernels.items()
    }
    return cases, {own: kernel for kernel, own in unique.items()}


def _plain_switch(forms: Forms, name: str, head: str, expression: str, last: str = "None") -> Switch:
    """A switch over the types that have the kernel of a name, each with the same expression."""
    cases, known = _cases(forms, name, expression)
    return _switch(head, cases, last, known)


def transform_switch(forms: Forms) -> Switch:
    """transform(kind, par, q, i) -> (R, p) for a joint whose numbers start at q[i]."""
    return _plain_switch(
        forms, "transform", "joint_transform(kind, par, q, i)", "{kernel}(par, load_vector(q, i, {nq}))", "identity_pose(par[0])"
    )


def place_switch(forms: Forms) -> Switch:
    """place(kind, par, q, i, X) -> (R, p): the child's joint frame where the parent's is X."""
    turned, transforms = _cases(forms, "transform", "compose(X, {kernel}(par, load_vector(q, i, {nq})))")
    placed, places = _cases(forms, "place", "{kernel}(par, load_vector(q, i, {nq}), X)")
    return _switch("joint_place(kind, par, q, i, X)", {**turned, **placed}, "X", {**transforms, **places})


def columns_switch(forms: Forms) -> Switch:
    """columns(kind, par, q, i, X, table, d, column): the joint's screws into rows d, d + 1, ... of a table."""
    return _plain_switch(
        forms,
        "columns",
        "joint_columns(kind, par, q, i, X, table, d, column)",
        "store_rows(table, d, column, {kernel}(par, load_vector(q, i, {nq}), X))",
    )


def nearest_switch(forms: Forms) -> Switch:
    """nearest(kind, par, X, q, i): the position nearest to a relative pose into q[i:]."""
    return _plain_switch(forms, "nearest", "joint_nearest(kind, par, X, q, i)", "store_vector(q, i, {kernel}(par, X))")


def rates_switch(forms: Forms) -> Switch:
    """rates(kind, par, q, i, v, X, table, d, column): like columns, for the types whose columns change."""
    rates = "{kernel}(par, load_vector(q, i, {nq}), load_vector(v, d, {nv}), X)"
    return _plain_switch(
        forms, "rates", "joint_rates(kind, par, q, i, v, X, table, d, column)", f"store_rows(table, d, column, {rates})"
    )


def integrate_switch(forms: Forms) -> Switch:
    """integrate(kind, q, i, step, d, out): out = q ⊕ step for one joint."""
    along = "store_vector(out, i, {kernel}(load_vector(q, i, {nq}), load_vector(step, d, {nv})))"
    cases, known = _cases(forms, "integrate", along)
    added = {kind: f"add_numbers(q, i, step, d, out, i, {joint.nq})" for kind, joint in enumerate(forms)}
    return _switch("joint_integrate(kind, q, i, step, d, out)", {**added, **cases}, "None", known)


def rate_switch(forms: Forms) -> Switch:
    """rate(kind, q, i, v, d, out): out[i:] = the rate of one joint's numbers at the velocity v[d:]."""
    moving = "store_vector(out, i, {kernel}(load_vector(q, i, {nq}), load_vector(v, d, {nv})))"
    cases, known = _cases(forms, "rate", moving)
    same = {kind: f"copy_numbers(v, d, out, i, {joint.nq})" for kind, joint in enumerate(forms)}
    return _switch("joint_rate(kind, q, i, v, d, out)", {**same, **cases}, "None", known)


def difference_switch(forms: Forms) -> Switch:
    """difference(kind, q1, i, q0, j, out, d): out[d:] = q1 ⊖ q0 for one joint, whose numbers start at q1[i] and q0[j]."""
    between = "store_vector(out, d, {kernel}(load_vector(q1, i, {nq}), load_vector(q0, j, {nq})))"
    cases, known = _cases(forms, "difference", between)
    subtracted = {kind: f"subtract_numbers(q1, i, q0, j, out, d, {joint.nq})" for kind, joint in enumerate(forms)}
    return _switch("joint_difference(kind, q1, i, q0, j, out, d)", {**subtracted, **cases}, "None", known)


def tangent_switch(forms: Forms) -> Switch:
    """tangent(kind, step, d, v, out): the rate of the tangent vector step[d:] at which the joint moves at v[d:]."""
    rate = "store_vector(out, d, {kernel}(load_vector(step, d, {nv}), load_vector(v, d, {nv})))"
    return _plain_switch(forms, "tangent", "joint_tangent(kind, step, d, v, out)", rate)


def pull_switch(forms: Forms) -> Switch:
    """pull(kind, step, d, force, f): the torque of a force[f:] along the tangent vector step[d:] takes the place of the force."""
    torque = "store_vector(force, f, {kernel}(load_vector(step, d, {nv}), load_vector(force, f, {nv})))"
    return _plain_switch(forms, "pull", "joint_pull(kind, step, d, force, f)", torque)


def normalise_switch(forms: Forms) -> Switch:
    """normalise(kind, q, i): put one joint's position back onto its manifold, in place."""
    return _plain_switch(
        forms, "normalise", "joint_normalise(kind, q, i)", "store_vector(q, i, {kernel}(load_vector(q, i, {nq})))"
    )


def depart_switch(forms: Forms) -> Switch:
    """depart(kind, q, i, u, d, out): out = the position that a step along u reaches from q, for one joint."""
    expression = "store_vector(out, i, {kernel}(load_vector(q, i, {nq}), load_vector(u, d, {nv})))"
    cases, known = _cases(forms, "integrate", expression)
    own, own_known = _cases(forms, "depart", expression)
    added = {kind: f"add_numbers(q, i, u, d, out, i, {joint.nq})" for kind, joint in enumerate(forms)}
    return _switch("joint_depart(kind, q, i, u, d, out)", {**added, **cases, **own}, "None", {**known, **own_known})


def reach_switch(forms: Forms) -> Switch:
    """reach(kind, q1, i, q0, j, out, d): out[d:] = the step that leads from q0 to q1, for one joint."""
    expression = "store_vector(out, d, {kernel}(load_vector(q1, i, {nq}), load_vector(q0, j, {nq})))"
    cases, known = _cases(forms, "difference", expression)
    own, own_known = _cases(forms, "reach", expression)
    subtracted = {kind: f"subtract_numbers(q1, i, q0, j, out, d, {joint.nq})" for kind, joint in enumerate(forms)}
    return _switch("joint_reach(kind, q1, i, q0, j, out, d)", {**subtracted, **cases, **own}, "None", {**known, **own_known})


def carry_switch(forms: Forms, name: str) -> Switch:
    """carry, or carry_back (kind, u, d, v, out): out[d:] = the velocity v[d:] in the axes of the step's start, or back."""
    turned = "store_vector(out, d, {kernel}(load_vector(u, d, {nv}), load_vector(v, d, {nv})))"
    return _plain_switch(forms, name, f"joint_{name}(kind, u, d, v, out)", turned)


def advance_switch(forms: Forms) -> Switch:
    """advance(kind, u, d, v, rate, out): the rate of u[d:] into out[d:], and that of w in place of the acceleration rate[d:]."""
    along = "store_vector(out, d, {kernel}(load_vector(u, d, {nv}), load_vector(v, d, {nv})))"
    cases, known = _cases(forms, "tangent", along)
    both = "store_both(out, rate, d, {kernel}(load_vector(u, d, {nv}), load_vector(v, d, {nv}), load_vector(rate, d, {nv})))"
    own, own_known = _cases(forms, "advance", both)
    return _switch("joint_advance(kind, u, d, v, rate, out)", {**cases, **own}, "None", {**known, **own_known})


def limit_switch(forms: Forms) -> Switch:
    """limit(kind, q, i, c) -> (value, gradient): the c-th limited measure of a joint and its rate per unit of v[d : d + 3]."""
    return _plain_switch(forms, "limit", "joint_limit(kind, q, i, c)", "{kernel}(load_vector(q, i, {nq}))", "coordinate(q, i, c)")


def tabled_switch(forms: Forms) -> Switch:
    """tabled(kind) -> 1 for a type whose first parameter is the address of its table, else 0."""
    return _switch("joint_tabled(kind)", {kind: "1" for kind, joint in enumerate(forms) if joint.tabled}, "0", {})


@inline
def copy_numbers(v: Any, d: int, out: Any, at: int, count: int) -> None:
    """out = v, for some numbers of each."""
    for k in range(count):
        out[at + k] = v[d + k]


@inline
def add_numbers(q: Any, i: int, step: Any, d: int, out: Any, at: int, count: int) -> None:
    """out = q + step, for some numbers of each."""
    for k in range(count):
        out[at + k] = q[i + k] + step[d + k]


@inline
def subtract_numbers(q1: Any, i: int, q0: Any, j: int, out: Any, d: int, count: int) -> None:
    """out = q1 − q0, for some numbers of each."""
    for k in range(count):
        out[d + k] = q1[i + k] - q0[j + k]


@inline
def store_both(first: Any, second: Any, d: int, pair: Any) -> None:
    """Two tuples into two vectors, from place d on."""
    store_vector(first, d, pair[0])
    store_vector(second, d, pair[1])


@inline
def coordinate(q: Any, i: int, c: int) -> tuple[Scalar, Vector]:
    """A coordinate as a measure, and its gradient."""
    value = q[i + c]
    gradient = (
        lift(1.0 if c == 0 else 0.0, value),
        lift(1.0 if c == 1 else 0.0, value),
        lift(1.0 if c == 2 else 0.0, value),
    )
    return value, gradient


_HELPERS = {
    "add_numbers": add_numbers,
    "compose": compose,
    "coordinate": coordinate,
    "copy_numbers": copy_numbers,
    "identity_pose": identity_pose,
    "load_vector": load_vector,
    "store_both": store_both,
    "store_rows": store_rows,
    "store_vector": store_vector,
    "subtract_numbers": subtract_numbers,
}
