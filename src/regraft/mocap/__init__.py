"""From a recording to joint torques: read what was recorded, give it a body with mass, and find who carries it (S1 7.1)."""

from .segments.bodies import body

__all__ = ["body"]
