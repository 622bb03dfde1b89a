"""Kernels that come with the package: optimised intermediate code, of which the first use makes machine code for this processor.

A wheel made by ``make dist`` has them in one archive, a zip file beside this module with a member for each kernel; elsewhere
there is no archive, and kernels are compiled. A member is found by its kernel's key, which stands for all that the kernel is made
of and the versions of what compiled it, and by the platform; the processor does not matter.

Nothing here can make a call fail: what is not there, does not fit or is damaged is compiled, as if it were not kept on disk.

The archive is trusted wherever it lies, unlike the cache: whoever can change it can change the Python files beside it as well.
"""

from __future__ import annotations

import pickle
import re
import sysconfig
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core import serialize

from .sealing import seal, unseal

ARCHIVE = Path(__file__).with_name("kernels.zip")


def pack(kernels: Path, archive: Path) -> None:
    """Put all kernels of a cache folder into an archive, without their machine code."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as members:
        for file in sorted(kernels.glob("*.kernel")):
            content = unseal(file.read_bytes())
            if content is None:
                raise ValueError(f"{file} is damaged; remove it and compile again.")
            name, _, key = file.stem.rsplit(".", 2)
            # the same time for all: the same kernels make the same archive
            members.writestr(zipfile.ZipInfo(_member(name, key)), seal(_without_machine_code(content)), zipfile.ZIP_LZMA)


def has(name: str, key: str) -> bool:
    """Whether the archive has a kernel."""
    return _member(name, key) in _members()


@cache
def _members() -> frozenset[str]:
    try:
        with zipfile.ZipFile(ARCHIVE) as members:
            return frozenset(members.namelist())
    except Exception:  # there is none, or whatever may be wrong with it
        return frozenset()


def load(name: str, key: str, codegen: Any) -> Any:
    """A kernel as it is kept in the cache, with machine code for this processor; None where the archive has none that fits."""
    try:
        with zipfile.ZipFile(ARCHIVE) as members:
            content = unseal(members.read(_member(name, key)))
        return None if content is None else _with_machine_code(content, codegen)
    except Exception:  # there is no archive, no such kernel in it, or whatever may be wrong with it
        return None


def _member(name: str, key: str) -> str:
    return f"{platform()}/{name}.{key}"


@cache
def platform() -> str:
    """What intermediate code depends on besides its key: the operating system, the kind of processor, and Python's build."""
    triple = re.sub(r"(?<=darwin)[\d.]+", "", llvm.get_process_triple())  # of a Mac it would name each release
    return f"{triple}{sysconfig.get_config_var('EXT_SUFFIX')}"


def _without_machine_code(content: bytes) -> bytes:
    described, calls, ((name, _, (_, bitcode)), *rest) = pickle.loads(content)
    return bytes(serialize.dumps((described, calls, (name, bitcode), rest)))


def _with_machine_code(content: bytes, codegen: Any) -> Any:
    described, calls, (name, bitcode), rest = pickle.loads(content)
    machine_code = codegen._tm.emit_object(llvm.parse_bitcode(bitcode))
    return described, calls, ((name, "object", (machine_code, bitcode)), *rest)
