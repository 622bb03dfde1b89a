"""The algorithms, compiled and generic in their scalar: one a file. They see arrays and know nothing of names."""
