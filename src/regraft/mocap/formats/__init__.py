"""Readers of files, one a format."""
