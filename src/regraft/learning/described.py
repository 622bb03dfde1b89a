"""What PyTorch's and JAX's operations take and return is said once: by those of PyTorch, whose docstrings JAX's go on with."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_FIRST = "Parameters\n-----"


def takes_as(other: Callable[P, R]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function's docstring go on with what an operation of PyTorch takes, returns and raises, for arrays of JAX."""

    def described(function: Callable[P, R]) -> Callable[P, R]:
        own, text = inspect.getdoc(function), inspect.getdoc(other)
        if own and text:  # there are none under python -OO
            function.__doc__ = f"{own}\n\n{text[text.index(_FIRST) :].replace('Tensor', 'Array')}"
        return function

    return described
