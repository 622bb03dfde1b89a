"""Scalars, vectors, rotations, poses, small matrices, and how they get in and out of arrays."""
