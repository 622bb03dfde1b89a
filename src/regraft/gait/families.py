"""A function that builds a model from a parameter, as a family of return maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ask.assembly import assemble
from ..describe.mechanism import Mechanism
from ..describe.state import State
from ..errors import ModelError, RegraftError, SimulationError, listed
from ..simulate.events import Event
from ..simulate.runner import Runner
from ..simulate.settings import Options
from .curves import Image, Pace
from .cycle import check_repetition
from .differences import Outside, jacobian_at_zero
from .match import Match, along, apart
from .returns import BLIND, PATIENCE, Passage, ReturnMap, return_map_of
from .sensitivity import passage_derivative

Array = NDArray[np.float64]
ModelOf = Callable[[float], Any]

FIRST_PARAMETER = 0.01
"""The largest step of the differences by the parameter, by the range that is asked for."""
LEVELS_PARAMETER = 3
"""How many such steps: this derivative only leads Newton's method and the tangents, which need few digits of it."""
KEPT = 64
"""How many return maps are kept for parameters that are asked for again."""
OWN = ("section", "match", "torque", "wrenches", "contacts")
"""What a model may bring beside mechanism, state and events; what is given to the search itself goes before it."""


@dataclass(frozen=True)
class Search:
    """How returns are computed: arguments of `limit_cycle`."""

    section: str | Iterable[str] | None = None
    returns: int = 1
    match: Match = None
    torque: Any = None
    wrenches: Any = None
    integrator: str = "dopri5"
    rtol: float = 1e-11
    atol: float = 1e-12
    step: float | None = None
    longest: float = 30.0
    contacts: Any = ()
    impacts: str = "simultaneous"


class Model(NamedTuple):
    """What a model is made of."""

    mech: Mechanism
    state: State
    events: Event | Iterable[Event]
    own: Mapping[str, Any]


def model_at(model_of: ModelOf, p: float) -> Model:
    """What the user's function makes of a parameter: an object, a tuple or a mapping."""
    if not callable(model_of):
        raise ModelError(f"model_of must be a function that builds a model from a parameter, not {model_of!r}.")
    made = model_of(p)
    if isinstance(made, Mapping):
        unknown = [key for key in made if key not in ("mech", "state", "events", *OWN)]
        if unknown or not {"mech", "state"} <= set(made):
            raise ModelError(
                f"a model that is a mapping has 'mech', 'state' and 'events', and may have {listed(OWN)}; "
                f"this one has {listed(made)}."
            )
        parts = made["mech"], made["state"], made.get("events", ())
        own = {key: made[key] for key in OWN if key in made}
    elif isinstance(made, tuple) and not hasattr(made, "mech") and len(made) in (2, 3):
        parts, own = (made[0], made[1], made[2] if len(made) == 3 else ()), {}
    elif hasattr(made, "start") or (hasattr(made, "mech") and hasattr(made, "state")):
        parts = (*(made.start if hasattr(made, "start") else (made.mech, made.state)), getattr(made, "events", ()))
        own = {key: getattr(made, key) for key in OWN if hasattr(made, key)}
    else:
        parts, own = (made, None, ()), {}
    if not (isinstance(parts[0], Mechanism) and isinstance(parts[1], State)):
        raise ModelError(
            f"model_of({p!r}) must return a model, such as those of rg.models, (mech, state, events), or a mapping with these "
            f"names and {listed(OWN)}; it returned {type(made).__name__}."
        )
    return Model(*parts, {key: value for key, value in own.items() if value is not None and not _is_empty(value)})


def _is_empty(value: Any) -> bool:
    return isinstance(value, (Mapping, tuple, list)) and len(value) == 0


@dataclass(eq=False)
class GaitFamily:
    """The return maps of the models of all parameters, on states of the structure in which the first one starts."""

    model_of: ModelOf
    search: Search
    mech: Mechanism
    """Of the first model: its manifold is that of all."""
    scale: float
    """What steps of the parameter are relative to."""
    held: Runner | None = None
    """The modes in which contacts begin."""
    _maps: dict[float, ReturnMap] = field(default_factory=dict, repr=False)

    def with_returns(self, returns: int) -> GaitFamily:
        """The same with another number of returns in a period, which may take accordingly longer."""
        longest = self.search.longest * returns / self.search.returns
        search = replace(self.search, returns=returns, longest=longest)
        return GaitFamily(self.model_of, search, self.mech, self.scale, self.held)

    def return_map(self, p: float) -> ReturnMap:
        """The return map of a parameter."""
        found = self._maps.get(p)
        if found is None:
            found = return_map_for(self._model(p), self.search)
            if not found.start.layout.same_structure(self.mech.layout):
                raise ModelError(
                    f"model_of({p!r}) starts in another structure, with the joints {listed(found.start.joints)}; a branch needs "
                    f"the joints {listed(self.mech.joints)} for every parameter."
                )
            while len(self._maps) >= KEPT:
                del self._maps[next(iter(self._maps))]
            self._maps[p] = found
        return found

    def _model(self, p: float) -> Model:
        """The model of a parameter; whatever is wrong with it ends a branch, which is kept."""
        try:
            return model_at(self.model_of, p)
        except RegraftError:
            raise
        except Exception as problem:
            raise ModelError(f"model_of({p!r}) fails with {type(problem).__name__}: {problem}.") from problem

    def image(self, x: Array, p: float, pace: Pace | None) -> Image:
        """One return from a state, given by its numbers; where there are loops, from the nearest one that closes them."""
        return_map = self.return_map(p)
        start = return_map.start
        blind, longest = (0.0, None) if pace is None else (BLIND * pace.first, PATIENCE * pace.time)
        passage = return_map.passage(start, assemble(start, State(start.layout, x.copy())), blind, longest, self.held)
        change = apart(start, return_map.image(passage), passage.start)
        return Image(passage.start._x.copy(), p, change, Pace(passage.time, passage.first), passage)

    def derivatives(self, image: Image) -> tuple[Array, Array]:
        """By the state, exact where `limit_cycle` is, and by the parameter, by extrapolated differences of whole returns.

        Where the parameter changes how loops close, a return beside begins in another state; what this does to its image, as the
        derivative by the state has it, is not the parameter's.
        """
        return_map, passage = self.return_map(image.p), image.note
        jacobian = passage_derivative(return_map, passage, held=self.held)
        base, here = return_map.image(passage), State(self.mech.layout, image.x)

        def change(step: Array) -> Array:
            try:
                beside = self.return_map(image.p + float(step[0]))
                begun = assemble(beside.start, State(beside.start.layout, image.x.copy()))
                found = beside.passage(beside.start, begun, BLIND * passage.first, PATIENCE * passage.time, self.held)
                return np.concatenate((apart(self.mech, beside.image(found), base), apart(self.mech, begun, here)))
            except RegraftError:
                raise Outside from None

        try:
            found = jacobian_at_zero(change, np.array([self.scale]), FIRST_PARAMETER, LEVELS_PARAMETER)[:, 0]
        except Outside:
            raise SimulationError(
                f"the return map has no derivative by the parameter at {image.p:.9g}: for parameters beside it the state does "
                "not come back, or model_of fails. It has to be defined a little beyond the ends of the range."
            ) from None
        of_image, of_start = np.split(found, 2)
        return jacobian, of_image - jacobian @ of_start

    def check(self, image: Image) -> None:
        """Raise an error unless the motion repeats itself in the structure that it led to."""
        passage: Passage = image.note
        check_repetition(self.return_map(image.p), passage)

    def moved(self, x: Array, step: Array) -> Array:
        """The numbers of the state at the end of a tangent vector; `image` closes loops, as its parameter has them."""
        return along(self.mech, State(self.mech.layout, x), step)._x

    def apart(self, end: Array, start: Array) -> Array:
        """The tangent vector that leads from one state to the other."""
        return apart(self.mech, State(self.mech.layout, end), State(self.mech.layout, start))


def return_map_for(model: Model, search: Search) -> ReturnMap:
    """The return map of a model."""
    s = with_own(search, model)
    options = Options(s.torque, s.wrenches, s.rtol, s.atol, s.step, contacts=s.contacts, impacts=s.impacts)
    return return_map_of(model.mech, model.events, s.section, s.returns, s.match, s.integrator, options, s.longest)


def with_own(search: Search, model: Model) -> Search:
    """The search with what the model brings, where nothing else was asked for."""
    taken = {key: value for key, value in model.own.items() if getattr(search, key) is None or _is_empty(getattr(search, key))}
    return replace(search, **taken)
