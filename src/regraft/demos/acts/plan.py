"""What an act is made of: the model, how long it moves, from where it is seen, what there is to say of it, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...models import Model
from ...show.page import Picture
from ...show.scenery import Camera


@dataclass(frozen=True)
class Part:
    """The motion between two changes of structure."""

    end: float
    joints: int
    """Coordinates of all joints, loop joints too: S2's N_J."""
    dof: int
    """The mobility, what the loops leave of them at its start: S2's N_F."""
    loops: int
    energy: float
    """At its end."""
    gap: float
    """The largest gap of a loop, in metres or radians."""
    event: str

    def cells(self) -> tuple[str, ...]:
        """A row of a table."""
        gap = f"{self.gap:.0e}" if self.loops else "–"
        return f"{self.end:.3f}", str(self.joints), str(self.dof), str(self.loops), f"{self.energy:.1f}", gap, self.event


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
    """How its coordinates are counted, and what the loops leave of them."""
    losses: str
    """What takes energy."""
    parameters: Sequence[tuple[str, str]]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures of its report."""
        return (
            Picture(
                "",
                f"{self.name}.html",
                f"{self.title} in motion; beside it its events and its tree, below it its energies.",
                "At half speed. Blue is the figure's left side, orange its right one; purple joints close loops. Drag to turn "
                "it, click on an event to see it. Tall marks and dashed lines are where the structure changes.",
            ),
            Picture("Pose by pose", "strip.png", f"{self.title}: poses side by side.", self.strip),
            Picture(
                "The energy",
                "energy.png",
                "Kinetic, potential and total energy over time.",
                "Potential energy is that of gravity, zero on the ground, and of the limits of the joints. No change of "
                "structure changes the energy: a joint that is cut takes no motion with it. "
                f"What is lost, {self.losses}.",
            ),
            Picture(
                "The loops",
                "loops.png",
                "Above, coordinates of all joints and degrees of freedom over time; below, the largest gap of a loop.",
                "a: a joint that is cut takes its coordinates with it, and sets free what it held. b: how far the loops are "
                "open, the largest gap in each sixtieth of the time, on a logarithmic scale: nowhere by more than rounding, "
                "because each step of the integrator ends by closing them. Where there is no loop, there is no line.",
            ),
        )
