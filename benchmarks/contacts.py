"""Contacts: real time, the price of an event, walking by contacts, and a fall and a rest beside MuJoCo.

MuJoCo's contacts are soft and its steps are fixed, so the two answer the same question differently; what is off in either is
measured in the same run and written beside the times.
"""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import regraft as rg
from subjects import MujocoTwin
from timing import Comparison, compare

sys.path.append(str(Path(__file__).parent.parent / "tests" / "contacts"))  # the scenes are those of the tests
from machines import falling_figure, quadruped, shifting, table, walker  # type: ignore[import-not-found]
from scenes import block, touching  # type: ignore[import-not-found]

Array = NDArray[np.float64]

THERE = hasattr(rg, "Contact")  # versions that are compared with this one may have no contacts
HOP = 0.01  # m: how high the table hops
SHIFT = 5.0  # seconds in which the quadruped shifts its weight
LOOSE = 1e-6  # rtol for real time
ADAPTIVE = ("dopri5", "dop853")
STRIDES = 6  # steps of the walker
FALL = 4.0  # seconds from the drop of the figure to its rest
REST, STEEP, MU = 1000.0, 0.95, 0.5  # seconds of rest on an incline, at so much of the friction angle
SOLE = 1e-3  # m: radius of MuJoCo's spheres, which stand for points


def contact_lines(found: dict[str, float]) -> list[str]:
    """The figures of `contact_figures` in sentences; none where this version has no contacts."""
    if not found:
        return []
    return [
        f"A quadruped of 30 dof on 12 points that shifts its weight: at rtol {LOOSE:g} {found['quadruped_real_time']:.0f} times "
        f"real time with dopri5, {found['quadruped_real_time_dop853']:.0f} with dop853; at 1e-9, the default, "
        f"{found['quadruped_real_time_exact']:.0f} and {found['quadruped_real_time_exact_dop853']:.0f}. "
        f"An event with 8 contacts: {found['event_microseconds']:.0f} µs.",
        f"A falling figure gains {found['our_energy_gain']:.1e} of its energy on the way to rest (MuJoCo at its default step: "
        f"{found['mujoco_energy_gain']:.1e}); a cube at {STEEP:g} of its friction angle creeps by {found['our_creep']:.1e} m in "
        f"{REST:g} s (MuJoCo: {found['mujoco_creep']:.1e} m).",
    ]


def contact_comparisons() -> list[Comparison]:
    """Times beside those of others in the same run."""
    if not THERE:
        return []
    return [*(row for name in ADAPTIVE for row in (*walking_by_contacts(name), falling(name))), resting()]


def contact_figures() -> dict[str, float]:
    """What is no time, or has no reference to be compared with.

    The gain of energy is the most by which a falling figure's energy rises again, relative to all that it loses: nothing should
    raise it. Creep is how far a cube moves, in metres, that should not.
    """
    if not THERE:
        return {}
    our_gain, mujoco_gain = energy_gains()
    our_creep, mujoco_creep = creeps()
    return {
        "quadruped_real_time": real_time(rtol=LOOSE, atol=0.1 * LOOSE),
        "quadruped_real_time_exact": real_time(),
        "quadruped_real_time_dop853": real_time("dop853", rtol=LOOSE, atol=0.1 * LOOSE),
        "quadruped_real_time_exact_dop853": real_time("dop853"),
        "event_microseconds": event_time(),
        "our_energy_gain": our_gain,
        "mujoco_energy_gain": mujoco_gain,
        "our_creep": our_creep,
        "mujoco_creep": mujoco_creep,
    }


# --- ours alone -------------------------------------------------------------------------------------------------------


def real_time(integrator: str = "dopri5", **tolerances: float) -> float:
    """The quadruped from rest on, the best of three runs."""
    scene = quadruped()

    def run() -> object:
        return scene.run(SHIFT, torque=shifting(scene), integrator=integrator, **tolerances)

    run()
    return SHIFT / min(seconds(run) for _ in range(3))


def event_time() -> float:
    """A table on eight legs hops without loss, so that eight contacts close and open at once, over and over.

    What its steps in flight cost is known from a flight so far up that it touches nothing, and is taken off.
    """
    hopper = eight_legs()
    step = 0.25 * math.sqrt(2.0 * HOP / 9.81)

    def run(height: float, duration: float) -> Any:
        state = hopper.mech.state(q={"free": (0.0, 0.0, 0.7 + height, 1.0, 0.0, 0.0, 0.0)})
        return replace(hopper, state=state).run(duration, step=step)

    flight = 10.0
    hops, above = run(HOP, flight), run(9.81 * flight**2, flight)
    hopping, flying = (min(seconds(lambda: run(h, flight)) for _ in range(5)) for h in (HOP, 9.81 * flight**2))  # noqa: B023
    return float((hopping - flying * hops.steps / above.steps) / len(hops.events) * 1e6)


def eight_legs() -> Any:
    """The table with four more legs between its own."""
    scene = table(restitution=1.0)
    more = []
    for k, (x, y) in enumerate(((0.5, 0.0), (-0.5, 0.0), (0.0, 0.3), (0.0, -0.3)), 4):
        scene.mech.add_frame(f"leg {k}", "table", rg.Pose(translation=(x, y, -0.7)))
        more.append(touching(f"leg {k}", friction=0.5, restitution=1.0))
    return replace(scene, touches=(*scene.touches, *more))


def seconds(run: Any) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


# --- beside re-rooting ------------------------------------------------------------------------------------------------


def walking_by_contacts(integrator: str) -> list[Comparison]:
    """A step of the passive walker by contacts alone, beside the re-rooting events of the model, and the same in functions."""
    biped = rg.models.compass_biped()
    by_roots = rg.simulate(*biped.start, 10.0, events=biped.events)
    duration = float(by_roots.events[STRIDES - 1].t) + 0.01
    scene = walker(biped, by_roots)
    ways = {"by re-rooting, strikes as data": biped.events, "by re-rooting in a function": [called(e) for e in biped.events]}

    def theirs(events: Any) -> object:
        return rg.simulate(*biped.start, duration, events=events, integrator=integrator)

    def ours() -> object:
        return scene.run(duration, integrator=integrator)

    what, subject = "a step of the walker by contacts", f"compass biped, {integrator}"
    found = [compare(what, subject, ours, way, partial(theirs, events), 1.3, 1, 1) for way, events in ways.items()]
    return [replace(row, ours=row.ours / STRIDES, theirs=row.theirs / STRIDES) for row in found]


def called(event: rg.Event) -> rg.Event:
    """The same event with its action in a function, as users write theirs."""
    action: Any = event.action

    def act(mech: rg.Mechanism, state: rg.State) -> object:
        return action(mech, state)

    return replace(event, action=act) if callable(action) else event


# --- beside MuJoCo ----------------------------------------------------------------------------------------------------


def falling(integrator: str) -> Comparison:
    """The figure with 16 joint degrees of freedom, from its drop to its rest on ten points."""
    scene = falling_figure()
    twin = FallingTwin(scene)

    def ours() -> object:
        return scene.run(FALL, integrator=integrator)

    what, subject = f"a figure's fall of {FALL:g} s onto ten points", f"figure of 22 dof, {integrator}"
    return compare(what, subject, ours, "mj_step, default step", twin.run, None, 1, 1)


def resting() -> Comparison:
    """A cube on an incline for 1 000 s."""
    scene = incline()
    model, data = mujoco_incline()

    def theirs() -> None:
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, nstep=round(REST / model.opt.timestep))

    time_of_theirs = seconds(theirs)
    ours = min(seconds(lambda: scene.run(REST)) for _ in range(5))
    return Comparison(
        f"{REST:g} s of rest on an incline", "cube", ours * 1e6, "mj_step, default step", time_of_theirs * 1e6, None
    )


class FallingTwin:
    """The falling figure in MuJoCo: a sphere for each point, and a plane; friction as ours, all else as it comes."""

    def __init__(self, scene: Any) -> None:
        twin = MujocoTwin(scene.mech)
        spec = twin.spec
        spec.option.disableflags = 0
        spec.option.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
        friction = (0.7, 0.005, 0.0001)
        plane, ball = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_SPHERE
        spec.worldbody.add_geom(type=plane, size=(0, 0, 1), contype=0, conaffinity=1, friction=friction)
        for touch in scene.touches:
            frame = scene.mech.frames[touch.a]
            place = (twin.steps[frame.body].far.inverse() @ frame.pose).translation
            spec.body(frame.body).add_geom(
                type=ball, size=(SOLE, 0, 0), pos=place, contype=1, conaffinity=0, friction=friction, density=0
            )
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.start = twin.q(scene.state)
        self.steps = round(FALL / self.model.opt.timestep)

    def reset(self) -> None:
        """Back to the start."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start

    def run(self) -> None:
        """From the drop to the rest."""
        self.reset()
        mujoco.mj_step(self.model, self.data, nstep=self.steps)

    def energies(self) -> Array:
        """Total energy after each step."""
        self.reset()
        found = np.empty(self.steps)
        for i in range(self.steps):
            mujoco.mj_step(self.model, self.data)
            found[i] = self.data.energy.sum()
        return found


def gain(total: Array) -> float:
    """The most by which an energy rises above what it has been before, relative to what is lost in all."""
    lowest = np.minimum.accumulate(total)
    return float((total - lowest).max() / (total[0] - total.min()))


def energy_gains() -> tuple[float, float]:
    """Ours and MuJoCo's."""
    scene = falling_figure()
    return gain(scene.run(FALL).energy().total), gain(FallingTwin(scene).energies())


def incline() -> Any:
    """The cube that rests at nearly its friction angle."""
    return block(incline=STEEP * math.atan(MU), friction=MU)


def mujoco_incline() -> tuple[Any, Any]:
    """The same cube in MuJoCo."""
    scene, spec = incline(), mujoco.MjSpec()
    spec.option.gravity = scene.mech.gravity
    friction = (MU, 0.005, 0.0001)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0, 0, 1), friction=friction)
    body = spec.worldbody.add_body(name="block", pos=(0, 0, 0.05))
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.05, 0.05, 0.05), mass=1.0, friction=friction)
    model = spec.compile()
    return model, mujoco.MjData(model)


def creeps() -> tuple[float, float]:
    """How far ours and MuJoCo's cube move; MuJoCo's may first sink in for a second."""
    traj = incline().run(REST)
    position = traj.body("block").position
    model, data = mujoco_incline()
    first = round(1.0 / model.opt.timestep)
    mujoco.mj_step(model, data, nstep=first)
    settled = data.qpos[:3].copy()
    mujoco.mj_step(model, data, nstep=round(REST / model.opt.timestep) - first)
    return float(np.abs(position - position[0]).max()), float(np.abs(data.qpos[:3] - settled).max())


def main() -> None:
    """Only what is measured here."""
    for row in contact_comparisons():
        print(f"{row.what}, {row.subject}: {row.ours:.0f} µs; {row.reference}: {row.theirs:.0f} µs; ratio {row.ratio:.3g}")
    figures = contact_figures()
    print("\n".join(contact_lines(figures)))
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
