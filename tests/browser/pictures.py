"""Pictures of a page, compared coarsely: another processor or another version of Chromium draws edges otherwise."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

CELLS = 24  # along each edge of a picture


def seen(locator):
    """(CELLS, CELLS, 3): the colours of a part of a page, each the mean of a cell, from 0 to 255."""
    with Image.open(io.BytesIO(locator.screenshot())) as picture:
        return np.asarray(picture.convert("RGB").resize((CELLS, CELLS), Image.Resampling.BOX), float)


def changed(before, after):
    """How much the cell that changed most did, from 0 to 255."""
    return float(np.abs(after - before).max())
