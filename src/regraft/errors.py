"""The errors that Regraft raises; each message names the body or joint and the way out."""


class RegraftError(Exception):
    """Base of every error that Regraft raises on purpose."""


class ModelError(RegraftError, ValueError):
    """A mechanism, state or argument is described wrongly."""


class StructureError(RegraftError):
    """A change or question that the structure of the mechanism does not allow."""


class AssemblyError(RegraftError):
    """Loops that cannot be closed."""


class SimulationError(RegraftError):
    """A simulation that could not go on."""
