"""From joint kinds in an array to the kernels of their types: the only place where kernels branch on the joint type.

For each kernel of the contract a chain of compiled functions is built over the registered types, each link handling one kind and
handing on the others; the compiler turns the chain into a jump. Arrays end here: a joint's own kernels see tuples only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from .._jit import inline
from ..memory import load, load_vector, store_rows, store_vector
from ..rotations import identity_pose
from ..scalars import Scalar, lift
from ..spatial import Frame, Vector, compose
from .contract import PARAMETERS, JointKernels

Chain: TypeAlias = Callable[..., Any]


class Form(NamedTuple):
    """What kernels know of a joint type, or of a special form of it."""

    nq: int
    nv: int
    kernels: JointKernels


Forms: TypeAlias = Sequence[Form]


def _chain(forms: Forms, link: Callable[[int, Form, Chain], Chain], last: Chain) -> Chain:
    """Functions that each handle one kind, tried in the order of the registry."""
    tried = last
    for kind, joint in reversed(list(enumerate(forms))):
        tried = link(kind, joint, tried)
    return tried


@inline
def parameters(table: Any, row: int, column: int, like: Scalar) -> tuple[Scalar, ...]:
    """A joint's parameters, in the scalar of the state."""
    p = load(table, row, column, PARAMETERS)
    return (lift(p[0], like), lift(p[1], like), lift(p[2], like), lift(p[3], like), lift(p[4], like), lift(p[5], like))


def transform_chain(forms: Forms) -> Chain:
    """transform(kind, par, q, i) -> (R, p) for a joint whose numbers start at q[i]."""

    @inline
    def last(_kind: int, par: tuple[Scalar, ...], _q: Any, _i: int) -> Frame:
        return identity_pose(par[0])

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        size, transform = joint.nq, joint.kernels.transform

        @inline
        def linked(found: int, par: tuple[Scalar, ...], q: Any, i: int) -> Frame:
            if found == kind:
                return transform(par, load_vector(q, i, size))
            return rest(found, par, q, i)

        return linked

    return _chain(forms, link, last)


def place_chain(forms: Forms) -> Chain:
    """place(kind, par, q, i, X) -> (R, p): the child's joint frame where the parent's is X."""

    @inline
    def last(_kind: int, _par: tuple[Scalar, ...], _q: Any, _i: int, X: Frame) -> Frame:
        return X

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        place = joint.kernels.place if joint.kernels.place is not None else _place_with(joint.kernels.transform)
        size = joint.nq

        @inline
        def linked(found: int, par: tuple[Scalar, ...], q: Any, i: int, X: Frame) -> Frame:
            if found == kind:
                return place(par, load_vector(q, i, size), X)
            return rest(found, par, q, i, X)

        return linked

    return _chain(forms, link, last)


def _place_with(transform: Chain) -> Chain:
    @inline
    def place(par: tuple[Scalar, ...], q: Any, X: Frame) -> Frame:
        return compose(X, transform(par, q))

    return place


def columns_chain(forms: Forms) -> Chain:
    """columns(kind, par, q, i, X, table, d, column): the joint's screws into rows d, d + 1, ... of a table."""

    @inline
    def last(_kind: int, _par: tuple[Scalar, ...], _q: Any, _i: int, _X: Frame, _table: Any, _d: int, _column: int) -> None:
        pass

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        size, columns = joint.nq, joint.kernels.columns

        @inline
        def linked(found: int, par: tuple[Scalar, ...], q: Any, i: int, X: Frame, table: Any, d: int, column: int) -> None:
            if found == kind:
                store_rows(table, d, column, columns(par, load_vector(q, i, size), X))
            else:
                rest(found, par, q, i, X, table, d, column)

        return linked

    return _chain(forms, link, last)


def nearest_chain(forms: Forms) -> Chain:
    """nearest(kind, par, X, q, i): the position nearest to a relative pose into q[i:]."""

    @inline
    def last(_kind: int, _par: tuple[Scalar, ...], _X: Frame, _q: Any, _i: int) -> None:
        pass

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        nearest = joint.kernels.nearest

        @inline
        def linked(found: int, par: tuple[Scalar, ...], X: Frame, q: Any, i: int) -> None:
            if found == kind:
                store_vector(q, i, nearest(par, X))
            else:
                rest(found, par, X, q, i)

        return linked

    return _chain(forms, link, last)


def rates_chain(forms: Forms) -> Chain:
    """rates(kind, par, q, i, v, X, table, d, column): like columns, for the types whose columns change."""

    @inline
    def last(
        _kind: int, _par: tuple[Scalar, ...], _q: Any, _i: int, _v: Any, _X: Frame, _table: Any, _d: int, _column: int
    ) -> None:
        pass

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        if joint.kernels.rates is None:
            return rest
        nq, nv, rates = joint.nq, joint.nv, joint.kernels.rates

        @inline
        def linked(
            found: int, par: tuple[Scalar, ...], q: Any, i: int, v: Any, X: Frame, table: Any, d: int, column: int
        ) -> None:
            if found == kind:
                store_rows(table, d, column, rates(par, load_vector(q, i, nq), load_vector(v, d, nv), X))
            else:
                rest(found, par, q, i, v, X, table, d, column)

        return linked

    return _chain(forms, link, last)


def integrate_chain(forms: Forms) -> Chain:
    """integrate(kind, q, i, step, d, out): out = q ⊕ step for one joint."""
    return _position_chain(forms, lambda joint: _integrate_with(joint) if joint.kernels.integrate else _add(joint.nq))


def difference_chain(forms: Forms) -> Chain:
    """difference(kind, q1, i, q0, d, out): out = q1 ⊖ q0 for one joint."""
    return _position_chain(forms, lambda joint: _difference_with(joint) if joint.kernels.difference else _subtract(joint.nq))


def tangent_chain(forms: Forms) -> Chain:
    """tangent(kind, step, d, v, out): the rate of the tangent vector step[d:] at which the joint moves at v[d:]."""

    @inline
    def last(_kind: int, _step: Any, _d: int, _v: Any, _out: Any) -> None:
        pass

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        if joint.kernels.tangent is None:
            return rest
        nv, tangent = joint.nv, joint.kernels.tangent

        @inline
        def linked(found: int, step: Any, d: int, v: Any, out: Any) -> None:
            if found == kind:
                store_vector(out, d, tangent(load_vector(step, d, nv), load_vector(v, d, nv)))
            else:
                rest(found, step, d, v, out)

        return linked

    return _chain(forms, link, last)


def _position_chain(forms: Forms, handler: Callable[[Form], Chain]) -> Chain:
    @inline
    def last(_kind: int, _a: Any, _i: int, _b: Any, _d: int, _out: Any) -> None:
        pass

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        handle = handler(joint)

        @inline
        def linked(found: int, a: Any, i: int, b: Any, d: int, out: Any) -> None:
            if found == kind:
                handle(a, i, b, d, out)
            else:
                rest(found, a, i, b, d, out)

        return linked

    return _chain(forms, link, last)


def _integrate_with(joint: Form) -> Chain:
    nq, nv = joint.nq, joint.nv
    integrate: Any = joint.kernels.integrate

    @inline
    def handle(q: Any, i: int, step: Any, d: int, out: Any) -> None:
        store_vector(out, i, integrate(load_vector(q, i, nq), load_vector(step, d, nv)))

    return handle


def _difference_with(joint: Form) -> Chain:
    nq = joint.nq
    difference: Any = joint.kernels.difference

    @inline
    def handle(q1: Any, i: int, q0: Any, d: int, out: Any) -> None:
        store_vector(out, d, difference(load_vector(q1, i, nq), load_vector(q0, i, nq)))

    return handle


def _add(size: int) -> Chain:
    @inline
    def handle(q: Any, i: int, step: Any, d: int, out: Any) -> None:
        for k in range(size):
            out[i + k] = q[i + k] + step[d + k]

    return handle


def _subtract(size: int) -> Chain:
    @inline
    def handle(q1: Any, i: int, q0: Any, d: int, out: Any) -> None:
        for k in range(size):
            out[d + k] = q1[i + k] - q0[i + k]

    return handle


def normalise_chain(forms: Forms) -> Chain:
    """normalise(kind, q, i): put one joint's position back onto its manifold, in place."""

    @inline
    def last(_kind: int, _q: Any, _i: int) -> None:
        pass

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        if joint.kernels.normalise is None:
            return rest
        size, normalise = joint.nq, joint.kernels.normalise

        @inline
        def linked(found: int, q: Any, i: int) -> None:
            if found == kind:
                store_vector(q, i, normalise(load_vector(q, i, size)))
            else:
                rest(found, q, i)

        return linked

    return _chain(forms, link, last)


def limit_chain(forms: Forms) -> Chain:
    """limit(kind, q, i, c) -> (value, gradient): the c-th limited measure of a joint and its rate per unit of v[d : d + 3]."""

    @inline
    def last(_kind: int, q: Any, i: int, c: int) -> tuple[Scalar, Vector]:
        value = q[i + c]
        gradient = (
            lift(1.0 if c == 0 else 0.0, value),
            lift(1.0 if c == 1 else 0.0, value),
            lift(1.0 if c == 2 else 0.0, value),
        )
        return value, gradient

    def link(kind: int, joint: Form, rest: Chain) -> Chain:
        if joint.kernels.limit is None:
            return rest
        size, limit = joint.nq, joint.kernels.limit

        @inline
        def linked(found: int, q: Any, i: int, c: int) -> tuple[Scalar, Vector]:
            if found == kind:
                return limit(load_vector(q, i, size))
            return rest(found, q, i, c)

        return linked

    return _chain(forms, link, last)
