"""Machine code from disk: how it becomes a function again, in a third of the time that Numba takes.

To load a cached function Numba parses its intermediate code, and before that makes ready all that its compiler knows. Machine
code needs neither: here the one is parsed when something is compiled that merges the function, and the other is left to the first
compilation. Like `libraries`, this file knows how Numba works inside, and is tested with each version of it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler
from numba.core.runtime import _nrt_python

from .libraries import LinkedLibrary, StageLibrary

_OUTSIDE = (".numba.unresolved$", "_numba_hashsecret_")  # recursion and hashes: symbols that come with Numba's compiler


class _Loaded(LinkedLibrary):
    """Machine code beside an empty module; what it was made of is parsed when somebody asks for it."""

    intermediate: bytes
    _shared_module: Any

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self.intermediate)
        return self._shared_module

    def get_llvm_str(self) -> str:
        """The intermediate code as a text."""
        return str(self._get_module_for_linking())


class _LoadedStage(_Loaded, StageLibrary):
    """The same of a stage."""


def load(target: Any, stage: Any, kept: tuple[Any, ...]) -> Any:
    """The compiled function of which Numba made plain data; `stage` says what it is found by, None for an entry.

    The stages that it calls must be there.
    """
    (name, _, (machine_code, intermediate)), described, environment, signature, _, _, notes, begin, environments = kept
    _bring_symbols()
    for function in begin:
        function()
    library = (_Loaded if stage is None else _LoadedStage)(target.codegen(), name)
    library.intermediate = intermediate
    library.enable_object_caching()
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    names = {described.llvm_func_name}
    if stage is None:
        names |= {described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name}
    else:
        library.described = stage
    library.codegen._engine._defined_symbols |= names
    if not library.get_pointer_to_function(described.llvm_func_name):
        raise ValueError(f"there is no {described.qualname} in its machine code.")
    function = target.get_executable(library, described, environment)
    for one in environments:
        library.codegen.set_env(one.env_name, one)
    return compiler.compile_result(
        typing_context=target.typing_context, target_context=target, entry_point=function, type_annotation=notes,
        signature=signature, objectmode=False, lifted=(), fndesc=described, library=library, environment=environment,
        reload_init=begin, referenced_envs=environments,
    )  # fmt: skip


def can_load(library: Any) -> bool:
    """Whether all that machine code calls is there when `load` has it."""
    module = library._final_module
    needed = [own.name for own in (*module.functions, *module.global_variables) if own.is_declaration]
    return not any(name.startswith(_OUTSIDE) for name in needed)


@cache
def _bring_symbols() -> None:
    """What Numba's runtime has for machine code; its compiler, when it begins, brings the same and makes more of it."""
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
