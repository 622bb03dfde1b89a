"""Skeletons with mass: which segment a bone is, and how much of the body it carries."""
