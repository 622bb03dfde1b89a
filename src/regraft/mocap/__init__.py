"""From a recording to joint torques: read what was recorded, give it a body with mass, and find who carries it (S1 7.1)."""

from .loading import load, save
from .recording import Bone, Plate, Recording

__all__ = ["Bone", "Plate", "Recording", "load", "save"]
