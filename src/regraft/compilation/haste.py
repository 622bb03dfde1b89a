"""What Numba does while it compiles and loads, and need not do for our kernels: a fifth of the time of a first compilation.

All of it is spared only as long as one of our kernels is being compiled or loaded, and none of it changes what comes out. Like
`libraries`, this file knows how Numba works inside, and is tested with each version of it.
"""

from __future__ import annotations

import gc
import operator
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core import types
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

_OPERATORS: frozenset[Any] = frozenset(function for function in vars(operator).values() if callable(function))
_GROWN = 5.0  # times as many objects as there were when garbage was looked for last are worth another look
_objects = [300_000, 300_000]  # how many there were then, and are now at most; at first about as many as imports make
_PLAIN = (types.Number, types.Boolean)


class Haste:
    """Begins with the first kernel that is compiled, and ends when none is any more."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Spare all of it from now on."""
        self._undo = [
            _without_garbage(),
            _without_lock_events(),
            _without_blas(),
            _compare_flags_quickly(),
            _remember_operators(),
        ]

    def end(self) -> None:
        """As it was before."""
        while self._undo:
            self._undo.pop()()


@contextmanager
def loading_quickly() -> Iterator[None]:
    """Spare what need not be while a kernel is loaded."""
    with ExitStack() as undone:
        undone.callback(_without_garbage())
        undone.callback(_without_lock_events())
        yield


def _without_blas() -> Callable[[], None]:
    """Let Numba's first use not import SciPy's linear algebra: where Numba computes with that, it asks for it again."""
    if "numba.np.arraymath" in sys.modules:
        return lambda: None
    from numba.np import linalg

    return _replaced(linalg, "ensure_blas", lambda: None)


def _without_garbage() -> Callable[[], None]:
    """Let garbage lie for a while: the compiler makes millions of objects.

    To look for garbage again and again would take a seventh of the time. At the end all objects count as old ones, else the next
    allocation would go through them at once. Python does not notice how many of these there are then, so that is seen to here.
    """
    if not gc.isenabled():
        return lambda: None
    gc.disable()

    def undo() -> None:
        if gc.get_freeze_count() == 0:
            _objects[1] += _young()
            gc.freeze()
            # to count them takes longer than to load a kernel
            many = gc.get_freeze_count() if _objects[1] > _GROWN * _objects[0] else 0
            gc.unfreeze()
            if many:
                _look_for_garbage(many)
        gc.enable()

    return undo


def _young() -> int:
    """How many objects there are at most that do not count as old ones yet."""
    first, second, _ = gc.get_threshold()
    young, middle, old = gc.get_count()
    return young + first * (middle + second * old)


def _look_for_garbage(many: int) -> None:
    if many > _GROWN * _objects[0]:
        gc.collect()
        many = _objects[0] = len(gc.get_objects())
    _objects[1] = many


def _without_lock_events() -> Callable[[], None]:
    """Tell nobody of LLVM's lock: each call of LLVM would tell as many listeners as there are functions in the making."""
    try:
        told = llvm.ffi.lib._lock._cblist
    except AttributeError:  # of another version
        return lambda: None
    before = list(told)
    told.clear()

    def undo() -> None:
        told[:0] = before

    return undo


def _compare_flags_quickly() -> Callable[[], None]:
    """Compare the flags of compilations by what is set: Numba makes dictionaries of all that there are, each time."""
    thorough: Any = TargetConfig.__eq__

    def is_equal(one: Any, other: Any) -> Any:
        if one is other:
            return True
        if type(one) is not type(other):
            return thorough(one, other)
        mine, theirs, options = one._values, other._values, type(one).options
        if mine.keys() == theirs.keys():
            return mine == theirs
        usual = {name: options[name].default for name in mine.keys() | theirs.keys()}
        return all(mine.get(name, value) == theirs.get(name, value) for name, value in usual.items())

    return _replaced(TargetConfig, "__eq__", is_equal)


def _remember_operators() -> Callable[[], None]:
    """Find out once what an operator makes of two numbers, and not for each sum: Numba tries all that `+` may stand for."""
    resolve: Any = BaseFunction.get_call_type
    known: dict[tuple[int, Any, tuple[Any, ...]], tuple[BaseFunction, Any]] = {}

    def get_call_type(function: BaseFunction, context: Any, arguments: Any, named: Any) -> Any:
        if named or not all(isinstance(kind, _PLAIN) for kind in arguments) or not _is_operator(function):
            return resolve(function, context, arguments, named)
        key = id(function), context, tuple(arguments)
        if key not in known:
            known[key] = function, resolve(function, context, arguments, named)  # kept, or its id might become another's
        return known[key][1]

    return _replaced(BaseFunction, "get_call_type", get_call_type)


def _is_operator(function: BaseFunction) -> bool:
    key = function.typing_key
    return isinstance(key, Hashable) and key in _OPERATORS


def _replaced(owner: Any, name: str, function: Any) -> Callable[[], None]:
    before = vars(owner)[name]
    setattr(owner, name, function)
    return lambda: setattr(owner, name, before)
