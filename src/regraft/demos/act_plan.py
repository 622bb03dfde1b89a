"""What an act is made of: the model, how long it moves, from where it is seen, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..models import Model
from .report import Picture
from .scenery import Camera


@dataclass(frozen=True)
class Plan:
    """An act before it is performed."""

    name: str
    """Of its pictures' files."""
    title: str
    lead: str
    model: Model
    duration: float
    camera: Camera
    strip: str
    """What its strip of poses shows, for a caption."""
    count: str
    """How its degrees of freedom are counted."""
    losses: str
    """What takes energy."""
    parameters: Sequence[tuple[str, str]]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures of its report."""
        return (
            Picture(
                "",
                f"{self.name}.gif",
                f"{self.title}, as a moving picture; beside it the energies.",
                "At half speed. Blue is the figure's left side, orange its right one. Beside it kinetic, potential and "
                "total energy, with dashed lines where the structure changes.",
            ),
            Picture("Pose by pose", "strip.png", f"{self.title}: poses at equal times, side by side.", self.strip),
            Picture(
                "The energy",
                "energy.png",
                "Kinetic, potential and total energy over time.",
                "No change of structure changes the energy: a joint that is cut takes no motion with it. "
                f"What is lost, {self.losses}.",
            ),
            Picture(
                "The loops",
                "gaps.png",
                "The largest gap of a loop over time, on a logarithmic scale.",
                "How far the loops are open at each step: nowhere by more than rounding, because each step of the "
                "integrator ends by closing them. Where there is no loop, there is no line.",
            ),
        )
