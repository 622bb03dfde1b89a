"""From a recording to joint torques: read what was recorded, give it a body with mass, and find who carries it (S1 7.1).

What is here is imported when it is first asked for, so that those who need none of it do not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis import analyse
    from .bases import free_base
    from .body_motion import Foot, Hold, Motion
    from .external_loads import ExternalLoad, read_external_loads
    from .filtering import smooth
    from .formats.osim import OsimModel, read_osim
    from .gait_events import GaitEvent
    from .gait_result import Gait
    from .loading import load, save
    from .normal_gait import NormalWalk, normal_walk
    from .opensim_motion import motion
    from .recording import Bone, Plate, Recording
    from .segments.bodies import body

_HOME = {
    "Bone": "recording",
    "ExternalLoad": "external_loads",
    "Foot": "body_motion",
    "Gait": "gait_result",
    "GaitEvent": "gait_events",
    "Hold": "body_motion",
    "Motion": "body_motion",
    "NormalWalk": "normal_gait",
    "OsimModel": "formats.osim",
    "Plate": "recording",
    "Recording": "recording",
    "analyse": "analysis",
    "body": "segments.bodies",
    "free_base": "bases",
    "load": "loading",
    "motion": "opensim_motion",
    "normal_walk": "normal_gait",
    "read_external_loads": "external_loads",
    "read_osim": "formats.osim",
    "save": "loading",
    "smooth": "filtering",
}
"""The module in which each public name is."""

__all__ = [
    "Bone",
    "ExternalLoad",
    "Foot",
    "Gait",
    "GaitEvent",
    "Hold",
    "Motion",
    "NormalWalk",
    "OsimModel",
    "Plate",
    "Recording",
    "analyse",
    "body",
    "free_base",
    "load",
    "motion",
    "normal_walk",
    "read_external_loads",
    "read_osim",
    "save",
    "smooth",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
