"""Analytic derivatives of inverse and forward dynamics, in one frame and along the tree."""
