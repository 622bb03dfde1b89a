"""Markers on skin: which one is where on a body, where joints are between them, and how the body moves."""
