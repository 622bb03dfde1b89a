"""What an MJCF file has besides a mechanism: each kind is noted once, with whether the motion is another without it."""

from __future__ import annotations

import numpy as np

from .mjcf_source import Source


def note_world(source: Source) -> None:
    """Fluids, contacts, compensated gravity, soft bodies and the like."""
    model, found, option = source.model, source.found, source.model.opt
    medium = {"density": option.density, "viscosity": option.viscosity}
    if any(medium.values()):
        said = ", ".join(f"{what} {value:g}" for what, value in medium.items() if value)
        found.note("fluid", "", f"bodies move in a fluid of {said}; here there is none.", dynamics=True)
    for body in np.flatnonzero(model.body_gravcomp):
        share = float(model.body_gravcomp[body])
        found.note(
            "gravcomp", source.bodies[body], f"{share:g} of its weight is compensated; here it has all of it.", dynamics=True
        )
    for body in np.flatnonzero(model.body_mocapid >= 0):
        found.note("mocap", source.bodies[body], "a body that is placed by the user; here it stays where the file has it.")
    for flex in range(model.nflex):
        found.note("flex", source.named("FLEX", flex, "flex"), "soft bodies cannot be said here; left out.", dynamics=True)
    for plugin in range(model.nplugin):
        found.note("plugin", source.named("PLUGIN", plugin, "plugin"), "plugins are not run here; left out.", dynamics=True)
    _note_contacts(source)
    _note_limits(source)
    _note_options(source)
    _note_counts(source)


def _note_contacts(source: Source) -> None:
    """Contact is said once: every robot's file has it, and it acts only where the robot meets something."""
    model = source.model
    touching = int(np.count_nonzero((model.geom_contype != 0) | (model.geom_conaffinity != 0)))
    if source.disabled("CONTACT", "CONSTRAINT") or not (touching or model.npair):
        return
    which = f"{touching} geoms can be in contact"
    more = [f"{count} {what}" for count, what in ((model.npair, "pairs"), (model.nexclude, "excluded pairs")) if count]
    source.found.note(
        "contact", "", f"{', '.join([which, *more])}; they are shapes here, and nothing holds bodies apart from each other."
    )


def _note_limits(source: Source) -> None:
    if source.model.jnt_limited.any() and not source.disabled("LIMIT", "CONSTRAINT"):
        source.found.note(
            "limit", "", "limits have the same bounds, and push back by the law of regraft.Limits, not by solref and solimp."
        )
    if source.disabled("ACTUATION"):
        source.found.note(
            "option", "actuation", "the file switches actuation off; here actuators act where they are given controls."
        )
    for what, flag in (
        ("the clamping of controls", "CLAMPCTRL"),
        ("limits", "LIMIT"),
        ("dry friction", "FRICTIONLOSS"),
        ("constraints", "CONSTRAINT"),
    ):
        if source.disabled(flag):
            source.found.note("option", flag.lower(), f"the file switches {what} off, so it is off here too.")


def _note_options(source: Source) -> None:
    option = source.model.opt
    integrator = source.mj.mjtIntegrator(option.integrator).name.removeprefix("mjINT_").lower()
    source.found.note(
        "option",
        "",
        f"the file wants steps of {option.timestep:g} s by {integrator}; simulate has its own integrators and steps.",
    )


def _note_counts(source: Source) -> None:
    """What is only looked at or measured."""
    model = source.model
    counts = {
        "camera": model.ncam, "light": model.nlight, "sensor": model.nsensor, "skin": model.nskin, "texture": model.ntex,
        "hfield": model.nhfield, "numeric": model.nnumeric, "tuple": model.ntuple,
    }  # fmt: skip
    for kind, count in counts.items():
        if count:
            source.found.note(kind, "", f"{count} of them, left out.")
    if model.nkey and (np.any(model.key_act) or np.any(model.key_ctrl)):
        source.found.note("keyframe", "", "keyframes have positions and velocities here; activations and controls are left out.")
