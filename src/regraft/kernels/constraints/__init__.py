"""Closed chains: what holds loops together, as constraint rows, their Delassus matrix and their multipliers."""
