"""A program for a fresh process: eight threads call every public function on the same new mechanisms, all for the first time.

What each of them gets must be, bit for bit, what one thread alone gets from equal mechanisms. That is found out by a process of
its own, and kept in a file with the mechanisms, so that in the other one nothing has been loaded or derived when the threads
start. `test_threads.py` runs both, with memory that is overwritten as soon as it is freed; a seed chooses the order of calls:

    MALLOC_PERTURB_=165 python tests/many_threads.py alone expected.pickle
    MALLOC_PERTURB_=165 python tests/many_threads.py 3 expected.pickle

With `3 expected.pickle 1 2` the threads begin with every second task only, the one of number 1 and so on.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import random
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import regraft as rg

THREADS = 8
AFTERWARDS = 2  # tasks of each thread in a round, after the first one


# --- new mechanisms, which nobody has asked anything yet ---------------------------------------------------------------------


def renewed(mech, state):
    """An equal mechanism from which nothing has been derived, and a state of it."""
    new = rg.Mechanism.from_dict(mech.to_dict())
    return new, rg.State(new.layout, state._x.copy())


def arm():
    """A floating tree with most joint types, a spring, damping and limits."""
    mech = rg.Mechanism()
    block, down = rg.Inertia.box(1.0, (0.2, 0.3, 0.5), at=(0, 0, -0.3)), rg.Pose(translation=(0, 0, -0.6))
    joints = {
        "float": rg.Free(),
        "shoulder": rg.Spherical(damping=0.02, limits=(-np.inf, 1.0)),
        "elbow": rg.Revolute((0, 1, 0), damping=0.1, limits=rg.Limits(-0.1, 0.2, stiffness=20.0)),
        "wrist": rg.Universal((1, 0, 0), (0, 1, 0)),
        "slide": rg.Cylindrical((0, 0, 1)),
    }
    upper = "world"
    for name, joint in joints.items():
        mech.add_body(f"{name} body", block)
        mech.add_joint(name, joint, upper, f"{name} body", down)
        upper = f"{name} body"
    mech.add_frame("tip", upper, rg.Pose.about((1, 2, 3), 0.5))
    mech.add_spring("spring", "world", (0, 0, 1), "wrist body", (0, 0, -0.2), stiffness=3.0, rest_length=0.3)
    state = mech.state(q={"elbow": 0.3, "wrist": (0.2, -0.4)}, v=np.linspace(-1.0, 1.5, mech.nv))
    return mech, state


def linkage():
    """A four-bar with damping and limits in the hinge that closes it, redundant rows included."""
    model = rg.models.four_bar(speed=2.0)
    mech, knee = rg.Mechanism.from_dict(model.mech.to_dict()), model.mech.joints["knee"]
    stiff = rg.Revolute((0, -1, 0), damping=0.3, limits=(-0.1, 0.1))
    mech = mech.with_joint("knee", rg.Joint("knee", stiff, knee.parent, knee.child, knee.parent_pose, knee.child_pose))
    mech.add_frame("tip", "coupler", rg.Pose(translation=(0.3, 0.1, 0)))
    return mech, model.state


def figure():
    """A small tree whose bodies are all free by themselves, and its joints loops."""
    mech = rg.Mechanism()
    for k in range(3):
        mech.add_body(f"rod {k}", rg.Inertia.box(1.0, (0.1, 0.1, 0.6), at=(0, 0, -0.3)))
        upper, place = ("world", rg.Pose()) if k == 0 else (f"rod {k - 1}", rg.Pose(translation=(0, 0, -0.6)))
        mech.add_joint(f"hinge {k}", rg.Revolute((0, 1, 0), damping=0.05), upper, f"rod {k}", place)
    mech.add_frame("tip", "rod 2", rg.Pose(translation=(0, 0, -0.6)))
    return rg.to_maximal(mech, mech.state(q=(0.3, 0.4, -0.2), v=(1.0, -2.0, 0.5)))


def six_bar():
    mech, state = rg.models.bricard().start
    mech.add_frame("tip", "rod 3", rg.Pose(translation=(0, 0, 0.5)))
    return mech, rg.State(mech.layout, state._x)


MECHANISMS = {"arm": arm, "linkage": linkage, "figure": figure, "six-bar": six_bar}


# --- all that can be asked ---------------------------------------------------------------------------------------------------


def torque(_t, mech, state):
    """Asks the mechanism of the run while it runs."""
    return 0.1 * rg.bias_force(mech, state)


def a_body(mech):
    return list(mech.bodies)[-1]


def last_joint(mech):
    return list(mech.joints)[-1]


def held(mech, state):
    return rg.connect(mech, state, "world", a_body(mech), joint=rg.Spherical(), at=rg.frame_position(mech, state, "tip"))


def batch(mech, state, count=600, threads=2):
    q, v = np.tile(state.q, (count, 1)), np.tile(state.v, (count, 1))
    return rg.forward_dynamics_batch(mech, q, v, np.ones((count, mech.nv)), threads=threads)


def stepped(mech, state):
    try:
        d = rg.step_derivatives(mech, state.q[None], state.v[None], step=1e-3)
    except rg.StructureError as problem:  # of closed chains
        return str(problem)
    return d.next_q, d.next_v, d.state, d.tau


def batches(mech, state, count=600):
    q, v = np.tile(state.q, (count, 1)), np.tile(state.v, (count, 1))
    rates = np.tile(rg.forward_dynamics(mech, state), (3, 1))
    torques, d = rg.inverse_dynamics_batch(mech, q[:3], v[:3], rates), rg.derivatives_batch(mech, q[:3], v[:3])
    return (
        torques,
        d.q,
        d.v,
        d.tau,
        rg.mass_matrix_batch(mech, q, threads=2),
        rg.frame_positions_batch(mech, q, a_body(mech), threads=2),
    )


def motions(mech, state):
    found = rg.simulate_batch(mech, [state] * 20, 0.01, step=2e-3, threads=2, progress=False)
    return found.q, found.v, found.failed


def fallen(mech, state, **options):
    return rg.simulate(mech, state, 0.01, progress=False, **options)


def there_and_back(mech, state):
    return rg.to_reduced(*rg.to_maximal(mech, state))


def impossible(mech, state):
    """A loop that cannot be closed: what is said must be of this mechanism, whatever other threads do."""
    far = rg.Pose(translation=(100.0, 0, 0))
    apart = mech.with_loops([rg.Joint("far", rg.Spherical(), "world", a_body(mech), far, rg.Pose())])
    return rg.assemble(apart, rg.State(apart.layout, state._x))


def idle(mech, state):
    """A joint that carries nothing: the error has its name."""
    more = mech.copy()
    more.add_body("ghost", rg.Inertia(0.0))
    more.add_joint("idle", rg.Revolute((0, 0, 1)), a_body(mech), "ghost")
    q, v = np.append(state.q, 0.0), np.append(state.v, 0.0)
    return rg.forward_dynamics(more, more.state(q=q, v=v))


def posed(mech, state):
    """The position that a state's joints and its tip lead back to, from another one nearby."""
    joints = {name: rg.JointTarget(state[name].q) for name in mech.layout.names if state[name].q.size}
    tip = np.add(rg.frame_position(mech, state, "tip"), (0.01, 0.0, 0.02))
    return rg.inverse_kinematics(mech, {**joints, "tip": tip}, start=state).q


def told(mech, state):
    """What it takes to accelerate the first joint that moves, or why it cannot be had."""
    name = next(name for name in mech.layout.names if mech.joints[name].type.nv)
    try:
        return rg.prescribed_torques(mech, state, {name: np.ones(mech.joints[name].type.nv)})
    except rg.StructureError as problem:
        return str(problem)


def driven(mech, state):
    """The torques of a servo at the first joint with one coordinate, and a run with it; none where there is no such joint."""
    twin = mech.copy()
    for name in [name for name, kind, *_ in mech.layout.joints if kind.nv == 1][:1]:
        twin.add_actuator("servo", name, gain=2.0, bias=(0.0, -2.0, -1.0))
    run = fallen(twin, state, torque=rg.controls(lambda t: {"servo": t})) if twin.actuators else None
    return rg.control_torques(twin, state, dict.fromkeys(twin.actuators, 0.5)), run


TASKS = {
    "forward_dynamics": lambda m, s: rg.forward_dynamics(m, s, np.arange(1.0, m.nv + 1)),
    "forward_dynamics pushed": lambda m, s: rg.forward_dynamics(m, s, wrenches={a_body(m): np.arange(6.0)}),
    "forward_dynamics by name": lambda m, s: rg.forward_dynamics(m, s, {last_joint(m): np.ones(m.joints[last_joint(m)].type.nv)}),
    "forward_dynamics_batch": batch,
    "other batches": batches,
    "simulate_batch": motions,
    "inverse_dynamics": lambda m, s: rg.inverse_dynamics(m, s, rg.forward_dynamics(m, s)),
    "actuator_torques": lambda m, s: rg.actuator_torques(m, s, rg.forward_dynamics(m, s)),
    "control_torques": driven,
    "bias_force": rg.bias_force,
    "mass_matrix": rg.mass_matrix,
    "joint_reactions": lambda m, s: (found := rg.joint_reactions(m, s), found.redundant),
    "prescribed_torques": told,
    "check": lambda m, s: len(rg.check(m, s)),
    "merge": lambda m, s: (rg.merge(m, m, prefix="second "), s),
    "derivatives": rg.derivatives,
    "inverse_dynamics_derivatives": lambda m, s: rg.inverse_dynamics_derivatives(m, s, np.linspace(-2.0, 1.0, m.nv)),
    "momentum_derivatives": rg.momentum_derivatives,
    "change_derivatives": lambda m, s: rg.change_derivatives(rg.grip("tip", "world", rg.Spherical()), m, s),
    "step_derivatives": stepped,
    "energy": rg.energy,
    "momentum": rg.momentum,
    "center_of_mass": rg.center_of_mass,
    "body_poses": rg.body_poses,
    "body_twists": rg.body_twists,
    "frames": lambda m, s: [rg.frame_pose(m, s, "tip"), rg.frame_position(m, s, "tip"), rg.frame_twist(m, s, "tip")],
    "jacobian": lambda m, s: rg.jacobian(m, s, "tip"),
    "jacobian_rate": lambda m, s: rg.jacobian_rate(m, s, "tip"),
    "integrate": lambda m, s: rg.integrate(m, s.q, 0.1 * s.v),
    "difference": lambda m, s: rg.difference(m, rg.integrate(m, s.q, 0.1 * s.v), s.q),
    "normalise": lambda m, s: rg.normalise(m, s.q * 1.01),
    "inverse_kinematics": posed,
    "hierarchy": rg.hierarchy,
    "joint_position": lambda m, s: [m.joint_position(s, name) for name in m.joints],
    "joint_velocity": lambda m, s: [m.joint_velocity(s, name) for name in m.joints],
    "assemble": rg.assemble,
    "assemble fails": impossible,
    "idle joint": idle,
    "mobility": rg.mobility,
    "consistent_acceleration": lambda m, s: rg.consistent_acceleration(m, s, np.ones(m.nv)),
    "loop_jacobian": lambda m, s: [rg.loop_jacobian(m, s), rg.loop_jacobian(m, s, reduced=True)],
    "loop_jacobian_rate": rg.loop_jacobian_rate,
    "reroot": lambda m, s: rg.reroot(m, s, a_body(m)),
    "reroot impact": lambda m, s: rg.reroot(m, s, a_body(m), joint=rg.Spherical(), velocity="impact", align="current"),
    "connect": held,
    "connect_all": lambda m, s: rg.connect_all(m, s, [rg.Connection("world", a_body(m), rg.Spherical(), at=(0, 0, 0))]),
    "cut": lambda m, s: rg.cut(*held(m, s), last_joint(m)),
    "to_maximal": there_and_back,
    "simulate": fallen,
    "simulate rk4": lambda m, s: fallen(m, s, integrator="rk4", step=1e-3, every=2),
    "simulate driven": lambda m, s: fallen(m, s, integrator="euler", step=5e-3, torque=torque) if not m.loop_joints else None,
    "simulate maximal": lambda m, s: fallen(m, s, integrator="rk4", step=2e-3, coordinates="maximal"),
    "as_ivp": lambda m, s: (p := rg.as_ivp(m)).fun(0.0, p.y0(s)) if not m.loop_joints else None,
    "pickle": lambda m, s: rg.forward_dynamics(*pickle.loads(pickle.dumps((m, s)))),
    "copies": lambda m, s: [rg.energy(m.copy(), s), rg.energy(copy.deepcopy(m), s)],
    "print": lambda m, _: repr(m),
}


def outcome(task, mech, state):
    """What a task returns, in a form that can be compared to the last bit; or what it raises."""
    try:
        return exact(task(mech, state))
    except rg.RegraftError as problem:
        return f"{type(problem).__name__}: {problem}"


def exact(found):
    """Nested tuples of bytes and texts."""
    if isinstance(found, np.ndarray):
        return found.shape, found.tobytes()
    if isinstance(found, float):
        return found.hex()
    if isinstance(found, rg.Pose):
        return found.row.tobytes()
    if isinstance(found, rg.State):
        return exact([found._x, found.impulse])
    if isinstance(found, rg.Mechanism):
        return json.dumps(found.to_dict())
    if isinstance(found, rg.Trajectory):
        return exact(
            [
                found.t,
                *(part.seen for part in found.segments),
                found.energy().kinetic,
                found.body(a_body(found.final[0])).position,
            ]
        )
    if isinstance(found, Mapping):
        return tuple((name, exact(found[name])) for name in found)
    if isinstance(found, (list, tuple)):
        return tuple(exact(part) for part in found)
    if isinstance(found, (rg.Derivatives, rg.InverseDerivatives)):
        return exact([found.q, found.v, found.tau if isinstance(found, rg.Derivatives) else found.a])
    if dataclasses.is_dataclass(found):
        return tuple((field.name, exact(getattr(found, field.name))) for field in dataclasses.fields(found))
    return repr(found)


# --- the race ----------------------------------------------------------------------------------------------------------------


def rounds(seed, part=0, parts=1):
    """What the threads do for each task on each mechanism, or a part of these: all, or every other one, begin with it and go on.

    A kernel is loaded where it is first called, which takes so long that all threads meet there; so which one is first matters.
    """
    chance = random.Random(seed)
    very_first = (("linkage", "forward_dynamics"), ("arm", "jacobian_rate"))[seed % 2]
    every_one = [(name, task) for name in MECHANISMS for task in TASKS]
    first = [begin for number, begin in enumerate(every_one) if number % parts == part or begin == very_first]
    chance.shuffle(first)
    first.sort(key=lambda begin: begin != very_first)
    for name, task in first:
        every = chance.choice((1, 2))
        yield name, [[task] * (number % every == 0) + chance.sample(list(TASKS), AFTERWARDS) for number in range(THREADS)]


def alone():
    """New mechanisms with their states, and what one thread gets from each task."""
    samples = {name: renewed(*make()) for name, make in MECHANISMS.items()}
    new = pickle.dumps(samples)
    return new, {(name, task): outcome(TASKS[task], *sample) for name, sample in samples.items() for task in TASKS}


def differences(plan, new, expected):
    """Which results of which threads are not as expected, round by round."""
    shared = [pickle.loads(new)[name] for name, _ in plan]
    gate, wrong = threading.Barrier(THREADS), []

    def ask(number):
        for (name, tasks), sample in zip(plan, shared, strict=True):
            gate.wait(timeout=300)
            litter = []
            for task in tasks[number]:
                try:
                    got = outcome(TASKS[task], *sample)
                except BaseException as problem:
                    got = f"{type(problem).__name__}: {problem}"
                if got != expected[name, task]:
                    wrong.append(f"thread {number}, {task} of {name}: {short(got)} instead of {short(expected[name, task])}")
                litter.append([np.full(size, 1e300) for size in (7, 13, 30, 64, 100, 200, 400)])  # in the place of what was freed

    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def short(found):
    return found if isinstance(found, str) else repr(found)[:60]


def main(what, path, *share):
    if what == "alone":
        Path(path).write_bytes(pickle.dumps(alone()))
        return 0
    wrong = differences(list(rounds(int(what), *map(int, share))), *pickle.loads(Path(path).read_bytes()))
    print("\n".join(wrong) or "all alike")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
