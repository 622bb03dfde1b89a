"""Packages that need not be installed; where one is missing, the error says which extra of Regraft brings it."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingPackageError

EXTRAS = {
    "typer": "cli",
    "rich": "cli",
    "matplotlib": "show",
    "PIL": "show",
    "pandas": "tables",
    "xarray": "tables",
    "ezc3d": "c3d",
    "mujoco": "robots",
    "xacrodoc": "robots",
    "yaml": "robots",
    "viser": "viewer",
    "distributed": "cluster",
    "zarr": "cluster",
    "torch": "torch",
    "jax": "jax",
}
"""The extra that brings a package, by the name under which it is imported."""


def require(package: str, user: str) -> Any:
    """The package, imported; `user` is what needs it, for the error where it is missing."""
    try:
        return importlib.import_module(package)
    except ImportError as problem:
        raise MissingPackageError(
            f"{user} needs {package}, which cannot be imported ({problem}); "
            f"install it with: pip install 'regraft[{EXTRAS[package]}]'.",
            name=package,
        ) from problem
