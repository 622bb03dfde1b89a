"""What is going to be compiled soon: other processes can begin with it, and this one has something to do while it waits."""

from __future__ import annotations

from typing import Any

from .claims import any_claims, is_claimed
from .ingredients import full_name
from .plan import Unit, units_of

_expected: dict[Any, None] = {}
_coming: dict[str, Unit] = {}
_known: set[str] = set()


def expect(*entries: Any) -> None:
    """Announce entries that will be called soon, those first that are needed first; costs nothing where all are loaded."""
    _expected.update(dict.fromkeys(entry for entry in entries if not entry.overloads))


def newly_coming(dispatcher: Any, signature: tuple[Any, ...]) -> dict[str, Unit]:
    """What this process will need besides the entry that it begins with, by names that other processes understand.

    What has been named before is left out, and what is there already.
    """
    wanted = _parts(dispatcher, signature)
    wanted.popitem()
    for entry in _expected:
        wanted |= dict(reversed(_parts(entry, entry.declared[0]).items()))  # itself first, with which its stages are made
    _expected.clear()
    new = {name: unit for name, unit in wanted.items() if name not in _known and not unit.is_there}
    _known.update(new)
    _coming.update(new)
    return new


def _parts(entry: Any, signature: tuple[Any, ...]) -> dict[str, Unit]:
    """All that an entry needs, itself last."""
    name = f"{full_name(entry.py_func)} {entry.declared.index(signature)}"
    return {f"{name} {place}": unit for place, unit in enumerate(units_of(entry, signature))}


def unit_named(name: str, entries: dict[str, Any]) -> Unit:
    """What a name stands for."""
    entry, number, place = name.split()
    return units_of(entries[entry], entries[entry].declared[int(number)])[int(place)]


def compile_meanwhile() -> bool:
    """Compile something that will be needed, from the end of what is to come, where others are not yet; False for nothing.

    Not in the middle of another compilation: Numba cannot begin anew with a function that it is at.
    """
    while _coming and not any_claims():
        _, unit = _coming.popitem()
        if compile_if_free(unit):
            return True
    return False


def compile_if_free(unit: Unit) -> bool:
    """Compile what is not there, unless another process is at it; says whether it did."""
    file = unit.dispatcher._cache.file(unit.signature)
    if file is None or unit.signature in unit.dispatcher.overloads or unit.is_there or is_claimed(file):
        return False
    unit.dispatcher.compile(unit.signature)
    return True


def forget() -> None:
    """Nothing is known to others any more."""
    _known.clear()
    _coming.clear()
