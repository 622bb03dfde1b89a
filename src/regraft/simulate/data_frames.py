"""A trajectory as arrays by name, and as the tables of pandas and xarray, which are optional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import require

Columns = Mapping[str, NDArray[Any]]


def to_frame(columns: Columns, events: list[tuple[float, str]]) -> Any:
    """A pandas DataFrame with the time as its index; what has several numbers gets a column for each."""
    pandas = require("pandas", "to_pandas()")
    flat: dict[str, NDArray[Any]] = {}
    for name, values in columns.items():
        if name == "t":
            continue
        if values.ndim == 1:
            flat[name] = values
        else:
            flat.update({f"{name}[{i}]": values[:, i] for i in range(values.shape[1])})
    frame = pandas.DataFrame(flat, index=pandas.Index(columns["t"], name="t"))
    frame.attrs["events"] = events
    return frame


def to_dataset(columns: Columns, events: list[tuple[float, str]]) -> Any:
    """An xarray Dataset over the dimension "sample", with the time as a coordinate."""
    xarray = require("xarray", "to_xarray()")
    variables = {
        name: (("sample",) if values.ndim == 1 else ("sample", f"{name} component"), values)
        for name, values in columns.items()
        if name != "t"
    }
    attributes = {"event_times": np.array([t for t, _ in events]), "event_names": [name for _, name in events]}
    return xarray.Dataset(variables, coords={"t": ("sample", columns["t"])}, attrs=attributes)
