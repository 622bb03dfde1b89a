"""Trajectories as files: NumPy's .npz, with the mechanisms and the events as JSON inside. Numbers keep their last digit."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..atomic import writing
from ..describe.mechanism import Mechanism
from ..describe.parts import check_name
from ..errors import ModelError
from ..maximal import FreeBodies
from .applied import Applied, Forces
from .contacts import keeping
from .flow import MOST_TERMS
from .histories import EventRecord
from .integrators import OWN_TERMS
from .recorded import Segment

Array = NDArray[np.float64]

FORMAT = "regraft trajectory"
VERSION = 1


class Contents(NamedTuple):
    """What a file holds."""

    segments: Sequence[Segment]
    events: Sequence[EventRecord]
    steps: int
    rejected: int
    interrupted: bool


def write(path: str | Path, contents: Contents) -> None:
    """Write a trajectory to a file of exactly this name, whole or not at all."""
    mechanisms: list[Mechanism] = []
    arrays: dict[str, Array] = {}
    described = []
    for k, segment in enumerate(contents.segments):
        number = next((i for i, known in enumerate(mechanisms) if known is segment.mech or known.same_as(segment.mech)), None)
        if number is None:
            number = len(mechanisms)
            mechanisms.append(segment.mech)
        known = None if segment.applied is None else segment.applied.known
        described.append(
            {"mechanism": number, "event": segment.event, "maximal": segment.bodies is not None, "forces": known is not None}
            | ({} if segment.contacts is None else {"contacts": keeping.described(segment.contacts)})
        )
        kept = {what: getattr(segment, what) for what in ("t", "x", "terms", "sizes", "first")}
        kept |= {} if known is None else known._asdict()
        arrays |= {f"segment{k}.{what}": values for what, values in kept.items() if values is not None}
        if segment.contacts is not None:
            arrays |= {f"contacts{k}.{what}": values for what, values in keeping.arrays_of(segment.contacts).items()}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "mechanisms": [mech.to_dict() for mech in mechanisms],
        "segments": described,
        "events": [[*event] if event.count == 1 else [*event, event.count] for event in contents.events],
        "steps": contents.steps,
        "rejected": contents.rejected,
        "interrupted": contents.interrupted,
    }
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with writing(path) as beside, beside.open("wb") as file:
        np.savez(file, header=text, **arrays)  # type: ignore[arg-type]


def read(path: Path) -> Contents:
    """What `write` wrote; a file that is damaged or something else is a ModelError."""
    try:
        _check_sizes(path)
        with np.load(path, allow_pickle=False) as arrays:
            return _contents(arrays)
    except FileNotFoundError as problem:
        raise ModelError(f"cannot read {str(path)!r}: {problem}.") from problem
    except ModelError as problem:
        raise ModelError(f"{str(path)!r}: {problem}") from problem
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, EOFError, RuntimeError, SyntaxError, MemoryError,
        OverflowError, zipfile.BadZipFile, zlib.error,
    ) as problem:  # fmt: skip
        # the many ways in which a damaged archive, array header or JSON text shows
        raise ModelError(f"{str(path)!r} is damaged or not a trajectory: {problem!r}. Save the trajectory again.") from problem


def _check_sizes(path: Path) -> None:
    """Reject arrays that would need more memory than the file has bytes, before any of them is read.

    NumPy takes the room for an array that its header promises, whatever there is of it, and a compressed one can be a thousand
    times as large as what is stored. `write` stores arrays as they are.
    """
    room = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.compress_type != zipfile.ZIP_STORED:
                raise ModelError(f"the array {member.filename!r} is compressed, as no trajectory is. Save the trajectory again.")
            with archive.open(member) as file:
                shape, kind = _promised(file)
                size = file.tell() + math.prod(shape) * kind.itemsize
            room -= size
            if size != member.file_size or room < 0:
                said = f"the array {member.filename!r} says that it has {size} bytes"
                raise ModelError(f"the file is damaged: {said}. Save the trajectory again.")


def _promised(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and the type of an array, from its header."""
    if np.lib.format.read_magic(file) == (1, 0):
        shape, _, kind = np.lib.format.read_array_header_1_0(file)
    else:
        shape, _, kind = np.lib.format.read_array_header_2_0(file)
    return shape, kind


def _contents(arrays: Any) -> Contents:
    if "header" not in arrays:
        raise ModelError(f"this is not a trajectory: it has no header that says {FORMAT!r}.")
    header = json.loads(arrays["header"].tobytes().decode())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelError(f"this is not a trajectory: its header must say {FORMAT!r}.")
    if header.get("version") != VERSION:
        raise ModelError(f"the file has version {header.get('version')!r}; this release reads version {VERSION}.")
    mechanisms = [Mechanism.from_dict(data) for data in header["mechanisms"]]
    segments = [_segment(arrays, k, mechanisms[known["mechanism"]], known) for k, known in enumerate(header["segments"])]
    if not segments:
        raise ModelError("the file is damaged: it has no segments. Save the trajectory again.")
    events = [EventRecord(float(t), name, *map(int, count)) for t, name, *count in header["events"]]
    for name in (*(event.name for event in events), *(s.event for s in segments if s.event is not None)):
        check_name(name, "an event")
    return Contents(segments, events, int(header["steps"]), int(header["rejected"]), bool(header["interrupted"]))


def _segment(arrays: Any, k: int, mech: Mechanism, known: Any) -> Segment:
    """A segment whose arrays fit each other and their mechanism."""
    t, bodies = arrays[f"segment{k}.t"], FreeBodies(mech) if known.get("maximal") else None
    moved = mech if bodies is None else bodies.free
    count, size = len(t), moved.nq + moved.nv
    shapes = {
        "t": (count,),
        "x": (count, size),
        "terms": (count - 1, 2 * _terms_of(arrays, k, moved.nv) * moved.nv),
        "sizes": (count - 1,),
    }
    if bodies is not None:
        shapes["first"] = (mech.nq + mech.nv,)
    if known.get("forces"):
        constant = f"segment{k}.wrenches" in arrays and len(arrays[f"segment{k}.wrenches"]) == 1
        shapes["torques"] = (count, mech.coordinates.count)
        shapes["wrenches"] = (1 if constant else count, len(mech.bodies), 6)
    found = {what: arrays[f"segment{k}.{what}"] for what in shapes if f"segment{k}.{what}" in arrays}
    fits = all(found[what].shape == shapes[what] and found[what].dtype == np.float64 for what in found)
    if not fits or "x" not in found or ("terms" in found) != ("sizes" in found) or count == 0 or (np.diff(t) < 0.0).any():
        raise ModelError(f"the file is damaged: the arrays of segment {k} do not fit together. Save the trajectory again.")
    whole = {what: np.ascontiguousarray(values) for what, values in found.items()}
    forces = Applied(known=Forces(whole.get("torques"), whole.get("wrenches"))) if known.get("forces") else None
    rest = whole.get("terms"), whole.get("sizes"), known["event"], bodies, whole.get("first"), forces
    return Segment(mech, whole["t"], whole["x"], *rest, contacts=_modes(arrays, k, moved, known.get("contacts")))


def _terms_of(arrays: Any, k: int, nv: int) -> int:
    """How many terms the dense output in a file has, as far as that can be: those of the integrators there are."""
    name = f"segment{k}.terms"
    width = arrays[name].shape[-1] if name in arrays and arrays[name].ndim else 0
    return next((terms for terms in range(OWN_TERMS, MOST_TERMS + 1) if width == 2 * terms * nv), OWN_TERMS)


def _modes(arrays: Any, k: int, moved: Mechanism, known: Any) -> Any:
    """The modes of a segment's contacts; None where it has none."""
    if known is None:
        return None
    names = {what: f"contacts{k}.{what}" for what in ("modes", "directions", "impulses", "patience", "before")}
    return keeping.modes_from(known, {what: arrays[name] for what, name in names.items() if name in arrays}, moved, k)
