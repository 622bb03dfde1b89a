"""From a recording to joint torques: read what was recorded, give it a body with mass, and find who carries it (S1 7.1)."""

from .analysis import analyse
from .bases import free_base
from .external_loads import ExternalLoad, read_external_loads
from .formats.osim import OsimModel, read_osim
from .gait_result import Gait, GaitEvent
from .loading import load, save
from .motion import Foot, Motion
from .normal_walk import NormalWalk, normal_walk
from .opensim_motion import motion
from .recording import Bone, Plate, Recording
from .segments.bodies import body

__all__ = [
    "Bone",
    "ExternalLoad",
    "Foot",
    "Gait",
    "GaitEvent",
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
]
