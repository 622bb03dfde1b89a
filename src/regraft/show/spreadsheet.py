"""A table with all digits as a file that spreadsheets read."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..atomic import writing


def write_csv(path: Path, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write the headings and the rows."""
    with writing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(headings)
        writer.writerows(rows)
    return path
