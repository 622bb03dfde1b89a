"""Skeletons in maximal coordinates (S3)."""
