"""The formats of recordings, one file each: which function reads a file and which writes it, by the file's suffix.

A reader takes a path and the options that make sense for its format, and returns a `Recording`. A writer takes a `Recording`, a
path and options. Both are imported when they are first needed.
"""

READERS: dict[str, tuple[str, str]] = {
    ".bvh": ("bvh", "read_bvh"),
    ".amc": ("asf_amc", "read_amc"),
    ".trc": ("trc", "read_trc"),
    ".mot": ("storage", "read_motion"),
    ".sto": ("storage", "read_motion"),
    ".c3d": ("c3d", "read_c3d"),
}
"""The module in this folder and the function of it."""

WRITERS: dict[str, tuple[str, str]] = {
    ".bvh": ("bvh_writing", "write_bvh"),
    ".trc": ("trc", "write_trc"),
    ".mot": ("storage", "write_motion"),
    ".sto": ("storage", "write_motion"),
}
